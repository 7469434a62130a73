"""load_image a second time: whole pictures in numpy, written from what the manuals say about the functions and their
order, not from our C code.

    load_image(mem_src0, mem_src1, dtype, o, four)   the bytes of the destination

o has the dictionaries of the call with numbers in them; mem_src1 is None where the second plane follows the
first; four: the processor packs channels in fours."""
import numpy as np

METHODS = ('load_image',)
CROP, SWAP, CSC, DTC, AREA, CHANNELS = 1, 4, 8, 64, 256, 512
YUV420, XRGB, RGB, YUV400 = 0, 1, 4, 9
SIZES = {'uint8': 1, 'int8': 1, 'float16': 2}

FROM_VIDEO = [[298, 0, 409], [298, -100, -208], [298, 516, 0]]
TO_VIDEO = [[66, 129, 25], [-38, -74, 112], [112, -94, -18]]
GRAY = [[76, 150, 30], [0, 0, 0], [0, 0, 0]]
ZERO, VIDEO_IN, VIDEO_OUT = [0, 0, 0], [16, 128, 128], [16, 128, 128]


def fixed(convert):
    """(matrix, output bias, input bias) of format_convert."""
    kind = (convert - 1) % 3
    if convert <= 3:
        matrix = [FROM_VIDEO, FROM_VIDEO[::-1], [[256, 0, 0], [0, 0, 0], [0, 0, 0]]][kind]
        return matrix, ZERO, ZERO if kind == 2 else VIDEO_IN
    matrix = [TO_VIDEO, [TO_VIDEO[0], TO_VIDEO[2], TO_VIDEO[1]], GRAY][kind]
    return matrix, ZERO if kind == 2 else VIDEO_OUT, ZERO


def picture(raw, second, fmt, w, h, swap):
    """Height x width x colours, of the whole source."""
    rb, uv, ax = swap
    if fmt == YUV420:
        luma = raw[:w * h].reshape(h, w)
        pairs = (raw[w * h:] if second is None else second)[:w * ((h + 1) // 2)].reshape(-1, w // 2, 2)
        pairs = pairs.repeat(2, axis=0)[:h].repeat(2, axis=1)
        return np.dstack([luma, pairs[:, :, uv], pairs[:, :, 1 - uv]])
    if fmt == YUV400:
        return raw[:w * h].reshape(h, w, 1)
    n = 4 if fmt == XRGB else 3
    p = raw[:w * h * n].reshape(h, w, n).copy()
    if rb:
        p[:, :, [n - 3, n - 1]] = p[:, :, [n - 1, n - 3]]
    return (np.roll(p, -1, axis=2) if ax else p)[:, :, :3]


def converted(p, o):
    c = o['csc_info']
    if c['format_convert']:
        matrix, out, into = fixed(c['format_convert'])
    else:
        matrix, out, into = c['csc_matrix'], c['csc_out_bias'], c['csc_in_bias']
    sums = (p.astype(np.int64) - np.array(into)) @ np.array(matrix, np.int64).T
    return np.clip(np.floor_divide(sums, 256) + np.array(out), 0, 255)


def typed(p, dtype, o, dtc):
    """Elements of the destination, as their numbers."""
    n = p.shape[2]
    p = p.astype(np.int64)
    if not dtc:
        return p.astype(np.uint8).view(np.int8) if dtype == 'int8' else p.astype(dtype)
    d = o['dtc_info']
    with np.errstate(all='ignore'):
        if d['dtc_mean_type']:
            x = (p.astype(np.float16) - np.array(d['dtc_mean'][:n], np.float16)).astype(np.float16)
        else:
            x = p - np.array(d['dtc_mean'][:n])
        if dtype == 'int8':
            return np.clip(np.rint(x.astype(np.float64)), -128, 127).astype(np.int8)
        x = (x.astype(np.float16) - np.array(d['dtc_min'][:n], np.float16)).astype(np.float16)
        x = (x * np.array(d['dtc_var'][:n], np.float16)).astype(np.float16)
        return np.where(np.isnan(x), np.float16(np.nan), x)


def padded(p, dtype, o):
    a = o['area_pad_info']
    sides = ((a['top_pad_rows'], a['botton_pad_rows']), (a['left_pad_cols'], a['right_pad_cols']))
    mode = a['area_pad_mode']
    for axis, (before, after) in enumerate(sides):
        n = p.shape[axis]
        if mode == 0:
            value = np.array([a[f'channel{c}_pad_value'] for c in range(p.shape[2])]).astype(dtype)
            shape = list(p.shape)
            parts = []
            for k in (before, after):
                shape[axis] = k
                parts.append(np.broadcast_to(value, shape))
            p = np.concatenate([parts[0], p, parts[1]], axis)
            continue
        at = np.arange(n)
        if mode == 1:
            order = [0] * before + list(at) + [n - 1] * after
        elif mode == 2:
            order = list(at[:before]) + list(at) + list(at[n - after:])
        else:
            order = list(at[:before][::-1]) + list(at) + list(at[::-1][:after])
        p = np.take(p, order, axis)
    return p


def load_image(raw, second, dtype, o):
    on = o['function_switch']
    s = o['src_info']
    w, h = s['src_horizontal_size'], s['src_vertical_size']
    p = picture(raw, second, o['input_format'], w, h, o['swap_list'] if on & SWAP else (0, 0, 0))
    if on & CROP:
        c = o['crop_info']
        x, y = c['crop_horizontal_start'], c['crop_vertical_start']
        high = 1 if c['single_line_enable'] else c['dst_vertical_size']
        p = p[y:y + high, x:x + c['dst_horizontal_size']]
    if on & CSC:
        p = converted(p, o)
    p = typed(p, dtype, o, on & DTC)
    if on & AREA:
        p = padded(p, dtype, o)
    channels = 32 // SIZES[dtype]
    value = 0
    if on & CHANNELS:
        k = o['channel_pad_info']
        channels = 4 if k['channel_pad_mode'] == 2 else channels
        value = k['channel_pad_value']
    rest = np.full((*p.shape[:2], channels - p.shape[2]), value).astype(dtype)
    return np.concatenate([p.astype(dtype), rest], 2).tobytes()
