import numpy as np

a = np.arange(24).reshape(2, 3, 4)
print(a.shape, a.dtype, a.ndim, a.size, len(a), a.T.shape, a.transpose(1, 2, 0).tolist())
print(a[1, :, ::-1].tolist(), a[..., 0].tolist(), a[:, None, 1].shape, a[1][2][3], a[-1, -1, -1], a[0, 1:3].tolist())
print(np.concatenate([a, a], axis=1).tolist()[0], np.concatenate((np.arange(2), np.zeros(2))).tolist(), np.concatenate([a, a], axis=None).shape)
print((a + 1.5).astype(np.float16).tolist()[0][0], (a / 3).astype("float32").tolist()[0][0], (a // 5).tolist()[1], (-a % 7).tolist()[0])
print(np.array([250, 300]).astype(np.uint8).tolist(), np.array([-1, 2]).astype(np.uint64).tolist(), np.array([1.9, -1.9]).astype(np.int32).tolist())
print((np.array([200, 100], dtype=np.uint8) + np.array([100, 1], dtype=np.uint8)).tolist(), (np.arange(3, dtype=np.int8) * 100).tolist())
z = np.zeros((2, 3), dtype=np.float32)
z[0] = 3
view = z[1]
view[1:] = [7, 8]
z[:, 0] += 1
later = z + 1
z[...] = 0
print(z.tolist(), later.tolist(), view.tolist(), np.ones(3).tolist(), np.full((2,), 2).dtype, np.full((2, 1), 0.1, np.float16).tolist())
print(np.tile(np.arange(3), 2).tolist(), np.tile(np.arange(2), (2, 2)).tolist(), np.repeat(np.arange(2), 2).tolist(), np.repeat(a[:, :2, 0], 2, axis=1).tolist())
print(np.eye(2).tolist(), np.stack([np.arange(2), np.arange(2)], 1).tolist(), np.vstack([[1, 2], [3, 4]]).tolist(), np.hstack([[1], [2, 3]]).tolist())
print(int(np.sum(a)), int(np.max(a)), int(a.min()), int(np.prod([2, 3])), np.arange(0, 1, 0.25).tolist(), np.arange(5, dtype=np.float16).dtype, np.arange(1, 10, 3).tolist())
print((np.arange(4) > 1).tolist(), (a == a).all is not None, np.zeros_like(a).shape, np.ones_like(a, dtype="int8").dtype, np.expand_dims(a, 0).shape, np.squeeze(a[:1]).shape)
kinds = ["int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]
for x in kinds:
    print([str((np.ones(1, x) + np.ones(1, y)).dtype) for y in kinds])
print((np.ones(2, np.float16) * 0.1).tolist(), (np.ones(2, np.float32) * 0.1).tolist(), (np.arange(3, dtype=np.float32) / 3).tolist(), (np.arange(3, dtype=np.float16) - 0.3).tolist())
big = np.zeros((100, 200, 3)) + np.arange(3)
print(big.shape, big.dtype, big.nbytes, big[5, 7].tolist(), big.reshape(-1, 3)[19999].tolist(), big.transpose(2, 0, 1)[1, 3, :2].tolist())
print(np.broadcast_to(np.arange(3), (2, 3)).tolist(), np.array([[1, 2], [3, 4]]).flatten().tolist(), np.ravel([[1], [2]]).tolist(), np.array(7).item(), np.swapaxes if False else a.swapaxes(0, 2).shape)
for wrong in (lambda: a.reshape(5, 5), lambda: a[5], lambda: np.concatenate([a, np.zeros((1, 1, 1))]), lambda: np.arange(3) + np.arange(4), lambda: np.array([1, 2]).item()):
    try:
        wrong()
    except (ValueError, IndexError) as e:
        print(type(e).__name__)
print(bool(np.array([3])), int(np.array([[4]])), float(np.arange(1)), [float(x) for x in np.array([0.5, 1.5])], [10, 20, 30][np.int32(1)], list(range(np.int64(3))))
