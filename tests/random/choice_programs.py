"""Programs for choices.py: what readings of uncertain points change.

    dict(processor=..., source=text, inputs={tensor: array},
         readings={'': the usual result, 'U6=has-not': another one})

A result is {output tensor: array}, or 'reject RULE' or 'fault RULE'. Every program runs with each reading and without."""
import numpy as np

HEAD = '''from tbe import tik
t = tik.Tik()
'''


def scalar_conv_away():
    """scalar_conv has the rounding mode as well."""
    values = np.array([1.2, -1.2, 2.5, -0.5, 3.0, -7.0, 0.0, 2147483520.0], np.float32)
    source = HEAD + '''
src = t.Tensor("float32", (8,), name="src", scope=tik.scope_gm)
dst = t.Tensor("int32", (8,), name="dst", scope=tik.scope_gm)
a = t.Tensor("float32", (8,), name="a", scope=tik.scope_ubuf)
b = t.Tensor("int32", (8,), name="b", scope=tik.scope_ubuf)
t.data_move(a, src, 0, 1, 1, 0, 0)
x = t.Scalar("float32", name="x")
y = t.Scalar("int32", name="y")
for i in range(8):
    x.set_as(a[i])
    t.scalar_conv("away-zero", y, x)
    b[i].set_as(y)
t.data_move(dst, b, 0, 1, 1, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[src], outputs=[dst])
'''
    return dict(processor='Ascend310P3', source=source, inputs={'src': values}, readings={
        '': {'dst': np.array([1, -1, 3, -1, 3, -7, 0, 2147483520], np.int32)},
        'U8=directed': {'dst': np.array([2, -2, 3, -1, 3, -7, 0, 2147483520], np.int32)}})


def vadddeqrelu_on_910b():
    source = HEAD + '''
src = t.Tensor("int32", (64,), name="src", scope=tik.scope_gm)
dst = t.Tensor("float16", (64,), name="dst", scope=tik.scope_gm)
a = t.Tensor("int32", (64,), name="a", scope=tik.scope_ubuf)
b = t.Tensor("float16", (64,), name="b", scope=tik.scope_ubuf)
t.data_move(a, src, 0, 1, 8, 0, 0)
t.vadddeqrelu(64, b, 0.5, a, a, 1, 1, 1, 1, 4, 8, 8)
t.data_move(dst, b, 0, 1, 4, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[src], outputs=[dst])
'''
    values = np.arange(-32, 32, dtype=np.int32)
    return dict(processor='Ascend910B1', source=source, inputs={'src': values}, readings={
        '': 'reject not-on-arch', 'U6=has': {'dst': np.maximum(values, 0).astype(np.float16)}})


def int4_order():
    x = np.resize(np.array([1, -2, 7, 100, -100, 2.5], np.float16), 128)
    source = HEAD + '''
src = t.Tensor("float16", (128,), name="src", scope=tik.scope_gm)
dst = t.Tensor("uint8", (64,), name="dst", scope=tik.scope_gm)
a = t.Tensor("float16", (128,), name="a", scope=tik.scope_ubuf)
b = t.Tensor("int4", (128,), name="b", scope=tik.scope_ubuf)
t.data_move(a, src, 0, 1, 8, 0, 0)
t.vconv(128, "none", b, a, 1, 1, 1, 2, 8)
t.data_move(dst, b.reinterpret_cast_to("uint8"), 0, 1, 2, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[src], outputs=[dst])
'''
    even, odd = np.resize([0x1, 0x7, 0x8], 64).astype(np.uint8), np.resize([0xe, 0x7, 0x2], 64).astype(np.uint8)
    return dict(processor='Ascend310P3', source=source, inputs={'src': x}, readings={
        '': {'dst': odd << 4 | even}, 'U9=high': {'dst': even << 4 | odd}})


def block_stride_0(call, value):
    """dst begins as 1000. With a block stride of 0 only block 0 is written, and the last block stays there."""
    source = HEAD + f'''
src = t.Tensor("float16", (128,), name="src", scope=tik.scope_gm)
dst = t.Tensor("float16", (128,), name="dst", scope=tik.scope_gm)
a = t.Tensor("float16", (128,), name="a", scope=tik.scope_ubuf)
b = t.Tensor("float16", (128,), name="b", scope=tik.scope_ubuf)
t.data_move(a, src, 0, 1, 8, 0, 0)
t.vec_dup(128, b, 1000.0, 1, 8)
t.{call}
t.data_move(dst, b, 0, 1, 8, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[src], outputs=[dst])
'''
    x = np.arange(128).astype(np.float16)
    kept = np.full(128, 1000, np.float16)
    kept[:16] = value(x)[-16:]
    return dict(processor='Ascend310P3', source=source, inputs={'src': x}, readings={
        '': {'dst': kept}, 'U1=one': {'dst': value(x)}})


def scaled_conversion():
    """The sum of 1024.5 and a bit that a float32 has no room for."""
    x = np.resize(np.array([2049 * 2**13 + 1, 2049 * 2**13, -2049 * 2**13 - 1], np.int32), 64)
    source = HEAD + '''
src = t.Tensor("int32", (64,), name="src", scope=tik.scope_gm)
dst = t.Tensor("float16", (64,), name="dst", scope=tik.scope_gm)
a = t.Tensor("int32", (64,), name="a", scope=tik.scope_ubuf)
b = t.Tensor("float16", (64,), name="b", scope=tik.scope_ubuf)
t.data_move(a, src, 0, 1, 8, 0, 0)
t.vconv(64, "none", b, a, 1, 1, 1, 4, 8, deqscale=2.0**-14)
t.data_move(dst, b, 0, 1, 4, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[src], outputs=[dst])
'''
    return dict(processor='Ascend310P3', source=source, inputs={'src': x}, readings={
        '': {'dst': np.resize(np.array([1025, 1024, -1025], np.float16), 64)},
        'U10=float32': {'dst': np.resize(np.array([1024, 1024, -1024], np.float16), 64)}})


def sum_of_repeats():
    """2048 and three ones, a repeat each: one after the other none of them counts. 300 repeats are two chunks."""
    x = np.zeros(300 * 16, np.float16)
    x[[0, 16, 32, 48]] = 2048, 1, 1, 1
    x[16 * 255] = 4
    source = HEAD + '''
src = t.Tensor("float16", (4800,), name="src", scope=tik.scope_gm)
dst = t.Tensor("float16", (16,), name="dst", scope=tik.scope_gm)
a = t.Tensor("float16", (4800,), name="a", scope=tik.scope_ubuf)
b = t.Tensor("float16", (16,), name="b", scope=tik.scope_ubuf)
work = t.Tensor("float16", (304,), name="work", scope=tik.scope_ubuf)
t.data_move(a, src, 0, 1, 300, 0, 0)
t.vec_dup(16, b, 0, 1, 8)
t.vec_reduce_add(1, b, a, work, 300, 1)
t.data_move(dst, b, 0, 1, 1, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[src], outputs=[dst])
'''
    def result(v):
        return {'dst': np.array([v] + [0] * 15, np.float16)}
    return dict(processor='Ascend910B1', source=source, inputs={'src': x},
                readings={'': result(2054), 'U15=chip': result(2052)})


def slice_with_a_rest():
    """Rows 0 and 2 of four are selected; the row after them is no whole step."""
    x = np.arange(320, dtype=np.float32).reshape(4, 80)
    want = np.zeros((8, 80), np.float32)
    want[0, :8], want[1, :8] = x[0, :8], x[2, :8]
    source = HEAD + '''
src = t.Tensor("float32", (4, 80), name="src", scope=tik.scope_gm)
dst = t.Tensor("float32", (8, 80), name="dst", scope=tik.scope_gm)
ub = t.Tensor("float32", (8, 80), name="ub", scope=tik.scope_ubuf)
t.vec_dup(64, ub, 0.0, 10, 8)
t.data_copy(ub, src, [tik.SliceInfo(0, 7, 0, 1, 80), tik.SliceInfo(0, 1, 0, 1, 2)],
            [tik.SliceInfo(0, 7, 0, 1, 80), tik.SliceInfo(0, 3, 1, 1, 4)], 2)
t.data_move(dst, ub, 0, 1, 80, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[src], outputs=[dst])
'''
    return dict(processor='Ascend310P3', source=source, inputs={'src': x},
                readings={'': 'reject slice-fit', 'D8=drop': {'dst': want}})


def half_literals():
    """A literal beyond 65504, of a fill and of arithmetic."""
    source = HEAD + '''
dst = t.Tensor("float16", (32,), name="dst", scope=tik.scope_gm)
a = t.Tensor("float16", (32,), name="a", scope=tik.scope_ubuf)
t.vec_dup(32, a, -65534.0, 1, 8)
t.vec_adds(16, a, a, 65535, 1, 8, 8)
t.data_move(dst, a, 0, 1, 2, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[], outputs=[dst])
'''
    def result(first, last):
        return {'dst': np.array([first] * 16 + [last] * 16, np.uint16).view(np.float16)}
    return dict(processor='Ascend310P3', source=source, inputs={}, readings={
        '': result(0x7e00, 0xfc00), 'N1=limited': result(0, 0xfbff)})


def narrow_exprs():
    """Sums, shifts and complements of Scalars of 8 and 16 bits."""
    source = HEAD + '''
src = t.Tensor("uint8", (32,), name="src", scope=tik.scope_gm)
dst = t.Tensor("int32", (8,), name="dst", scope=tik.scope_gm)
a = t.Tensor("uint8", (32,), name="a", scope=tik.scope_ubuf)
b = t.Tensor("int32", (8,), name="b", scope=tik.scope_ubuf)
t.data_move(a, src, 0, 1, 1, 0, 0)
t.vec_dup(8, b, 0, 1, 8)
x = t.Scalar("uint8", name="x")
y = t.Scalar("int16", name="y")
x.set_as(a[0])
y.set_as(x * 1 + 0)
b[0].set_as(x + x)
b[1].set_as(x * x)
b[2].set_as(~x)
b[3].set_as(x << 4)
b[4].set_as((y << 8) + y)
b[5].set_as(x - 201)
t.data_move(dst, b, 0, 1, 1, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[src], outputs=[dst])
'''
    return dict(processor='Ascend310P3', source=source, inputs={'src': np.full(32, 200, np.uint8)}, readings={
        '': {'dst': np.array([144, 64, 55, 128, -14136, 255, 0, 0], np.int32)},
        'N2=widened': {'dst': np.array([400, 40000, -201, 3200, 51400, -1, 0, 0], np.int32)}})


# Moves of no bursts or of empty ones: between which tensors, the destination, the source, and what stands before.
EMPTY = [('gm to ub', 'a[16]', 'src', ''), ('ub to ub', 'a[16]', 'a[8]', ''), ('ub to gm', 'dst[8]', 'a[32]', ''),
         ('atomic', 'dst.reinterpret_cast_to("float32")[8]', 'a.reinterpret_cast_to("float32")[32]', 't.set_atomic_add(1)'),
         ('gm to l1', 'l1[8]', 'src', ''), ('ub to l0c', 'c', 'a', '')]
COUNTS = [('range-nburst', 'n, 1, 1, 1'), ('range-burst', '2, n, 0, 3')]


def empty_move(dst, src, before, counts, rule, folds):
    """A count of 0 that only the run knows, or that folds."""
    value = 't.Scalar("int32", name="n", init_value=0)' if folds else 't.Scalar("int32", name="n")\nn.set_as(a[0])'
    source = HEAD + f'''
src = t.Tensor("int32", (256,), name="src", scope=tik.scope_gm)
dst = t.Tensor("int32", (768,), name="dst", scope=tik.scope_gm)
a = t.Tensor("int32", (256,), name="a", scope=tik.scope_ubuf)
l1 = t.Tensor("int32", (256,), name="l1", scope=tik.scope_cbuf)
c = t.Tensor("int32", (256,), name="c", scope=tik.scope_cc)
t.data_move(a, src, 0, 1, 32, 0, 0)
t.data_move(dst, a, 0, 1, 32, 0, 0)
t.data_move(l1, src, 0, 1, 32, 0, 0)
t.tensor_mov(c, a, "m", 1, 1, 0, 0)
n = {value}
t.vec_adds(64, a, a, 1, 4, 8, 8)
{before or "pass"}
t.data_move({dst}, {src}, 0, {counts})
{"t.set_atomic_add(0)" if before else "pass"}
t.data_move(a, l1, 0, 1, 32, 0, 0)
t.data_move(dst[256], a, 0, 1, 32, 0, 0)
t.tensor_mov(a, c, "m", 1, 1, 0, 0)
t.data_move(dst[512], a, 0, 1, 32, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[src], outputs=[dst])
'''
    x = np.arange(256, dtype=np.int32)
    return dict(processor='Ascend310P3', source=source, inputs={'src': x}, readings={
        '': ('reject ' if folds else 'fault ') + rule, 'D10=nothing': {'dst': np.concatenate([x, x, x])}})


PROGRAMS = [empty_move(dst, src, before, counts, rule, folds) for _, dst, src, before in EMPTY for rule, counts in COUNTS
            for folds in (False, True)]
PROGRAMS += [half_literals(), narrow_exprs(), int4_order(), slice_with_a_rest(), sum_of_repeats(), scaled_conversion(), scalar_conv_away(), vadddeqrelu_on_910b(),
            block_stride_0('vadd(128, b, a, a, 1, 0, 1, 1, 8, 8, 8)', lambda x: x + x),
            block_stride_0('vmin(128, b, a, a, 1, 0, 1, 1, 8, 8, 8)', lambda x: x)]
