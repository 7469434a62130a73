"""Arrays that operators run on, for tools/operators.py (--run).

The contents of an array depend on the operator's path and the array's name alone, so that they stay what they are when
an operator gets, loses or reorders others. Without a convention, floats are fractions around 0 and integers small
numbers, which are often counts and indices; an array whose size the kernel leaves to the run gets UNKNOWN elements.

Many operators want more: tiling data that fit the shapes, indices below a dimension, boxes with a lower and an upper
corner. Such conventions are a table, by default tools/operators_conventions.tsv; lines that begin with # are comments,
fields are separated by tabs:

  path   the end of the operator's path, as dynamic/split_d.py
  what   the name of an array of the kernel, as the facts have it; or `call`, or `own`
  value  what an array is: an expression of numpy, see below; of an output the list of its dimensions (of those that the
         kernel leaves to the run). Of `call`: `OLD -> NEW`, a text of the table's call that is replaced before the
         operator runs, for calls that compile but whose shapes do not belong together; several with ` ;; ` between.
         Of `own`: `RULE: REASON`, a fault of the operator itself that is left; it must occur, and with this rule.
         Of `=NAME`: what NAME is after the run, an output or an input that is updated in place: an expression of the
         inputs by their names and of np; it may have other dimensions and be shorter, what lies after is not looked at.

In an expression stand np, rng (numpy.random.Generator with the seed of the array), shape and dtype (of the facts), n
(the product of shape), and the functions of namespace(). Its value is converted to the array's type; a value of one element
fills the array, a flat one that is shorter is followed by zeros.
"""
import re
import zlib

UNKNOWN = 1 << 16


def random_array(np, rng, dtype, shape):
    if dtype == 'bfloat16':
        return (rng.uniform(-2, 2, shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if dtype.startswith('float'):
        return rng.uniform(-2, 2, shape).astype(dtype)
    if dtype == 'bool':
        return rng.integers(0, 2, shape).astype(np.uint8)
    low = -8 if dtype in ('int8', 'int16') else 0
    return rng.integers(low, 9, shape).astype(dtype)


def is_unknown(argument):
    return bool(argument.get('dynamic'))


def shape_of(argument):
    return [UNKNOWN] if is_unknown(argument) else [int(n) for n in argument['shape']]


def read_conventions(path):
    """End of a path -> what -> value."""
    table = {}
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            fields = line.rstrip('\n').split('\t')
            if not line.strip() or line.startswith('#'):
                continue
            if len(fields) != 3 or fields[1] in table.get(fields[0], {}):
                raise ValueError('%s:%d: three fields, and nothing twice' % (path, number))
            table.setdefault(fields[0], {})[fields[1]] = fields[2]
    return table


def conventions_of(table, path):
    return {what: value for end, rows in table.items() if ('/' + path).endswith('/' + end) for what, value in rows.items()}


def replaced_call(call, value):
    for change in value.split(' ;; '):
        old, new = change.split(' -> ')
        if old not in call:
            raise ValueError('the call has no "%s"' % old)
        call = call.replace(old, new)
    return call


def namespace(np, rng, shape, dtype):
    """What expressions see."""
    def below(limit, *dims):        # indices, of the array's shape or another
        return rng.integers(0, limit, dims or shape)

    def unit(*dims):                # fractions of 1
        return rng.uniform(0, 1, dims or shape)

    def boxes(rows, columns, high, wide):     # x0, y0, x1, y1 in the last axis, at least one wide
        low = rng.uniform(0, 0.6, (rows, 2)) * [columns, high]
        size = np.maximum(rng.uniform(0.1, 0.4, (rows, 2)) * [columns, high], wide)
        return np.concatenate([low, low + size], 1)

    def words(*values):             # a tiling table: the numbers in order, sequences in place of their elements
        return np.concatenate([np.atleast_1d(v) for v in values])

    return {'np': np, 'rng': rng, 'shape': shape, 'dtype': dtype, 'n': int(np.prod(shape)), 'below': below, 'unit': unit,
            'boxes': boxes, 'words': words}


def seed_of(path, name):
    return zlib.crc32(('%s %s' % (path, name)).encode())


def fitted(np, value, shape, dtype):
    """The value of an expression as an array of the shape."""
    value = np.asarray(value).astype(dtype)
    if value.size == 1 or value.shape == tuple(shape):
        return np.ascontiguousarray(np.broadcast_to(value.reshape(-1) if value.size == 1 else value, shape))
    flat = np.zeros(int(np.prod(shape)), dtype)
    if value.size > flat.size:
        raise ValueError('%d numbers for an array of %d' % (value.size, flat.size))
    flat[:value.size] = value.reshape(-1)
    return flat.reshape(shape)


def make_array(np, path, argument, expression):
    shape, dtype = shape_of(argument), argument['dtype']
    rng = np.random.default_rng(seed_of(path, argument['name']))
    if expression is None:
        return random_array(np, rng, dtype, shape)
    value = np.asarray(eval(expression, namespace(np, rng, shape, dtype)))
    return fitted(np, value, value.shape if is_unknown(argument) and value.size > 1 else shape, dtype)


def output_shape(argument, expression):
    """Text of --out after the file: the shape where the kernel leaves it to the run; a preset may give contents."""
    if not is_unknown(argument):
        return ''
    shape = eval(expression, {}) if expression else shape_of(argument)
    return ':' + 'x'.join(map(str, shape))


def expected_wrongs(np, conventions, inputs, outputs):
    """What is wrong with the outputs, name -> array; "" if nothing is."""
    for name, got in outputs.items():
        if '=' + name not in conventions:
            continue
        want = np.asarray(eval(conventions['=' + name], {'np': np, **inputs})).ravel()
        got = got.ravel()[:want.size]
        exact = got.dtype.kind != 'f'
        if got.size < want.size or not (np.array_equal(got, want) if exact else np.allclose(got, want, 2e-3, 1e-5)):
            return '%s is not what its expression says' % name
    return ''


def own_fault(value):
    return re.match(r'([a-z0-9-]+): (.+)', value).groups()
