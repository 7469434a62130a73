#!/usr/bin/python3
"""Runs tests that operator authors wrote, with their own numpy references, through `tikc test`.

usage: tests/tools/authors.py CORPUS OUT [--tikc TIKC] [--only TEXT] [--most ELEMENTS] [-j N]

CORPUS is a folder with ops/built-in/tbe/impl and ops/built-in/tests/ut/ops_test of a package of operators (docs/testing.md
says which is published). There a test file declares cases (add_precision_case of op_test_frame): the parameters of a call,
the ranges of its inputs, a Python function that computes what comes out, and a tolerance. For each case whose function
needs only numpy, or torch (where it is not installed some of its functions on numpy take its place), OUT gets a folder of the operator with a program that imports it, the inputs and expected outputs as .npy
files, and a NAME.test.toml; `tikc test OUT` then runs them on both back ends. Beside what tikc test prints there is a list
of cases that are none, with the reason. Nothing of CORPUS is changed. Exit code: 0 if every case passes.

The tolerance of that frame is a share: at most rtol of the elements may be off by more than atol times what is expected,
none by more than max_atol times. tikc test has none for shares, so there each element must be within max_atol times what
is expected, or atol where there is no such, and integers without a tolerance are equal. A case that fails there is run once
more and compared by the share, and printed with it; so is one whose kernel declares a larger output than the case has, of
which tikc test compares the back ends only."""
import argparse
import builtins
import collections
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import types
import zlib

import numpy as np

IMPL, TESTS = 'ops/built-in/tbe', 'ops/built-in/tests/ut/ops_test'
ABSENT = ('op_test_frame', 'te', 'tbe', 'topi', 'impl', 'tensorflow', 'tvm', 'mindspore', 'sch_test_frame', 'auto_schedule')
STANDARD = {'float16': (0.001, 0.001, 0.1), 'float32': (0.0001, 0.0001, 0.01)}
WHICH = {'all': 'Ascend910A'}


# ---- what test files import --------------------------------------------------------------------------

class Anything:
    """Stands for what is not installed; a result of it is no expected output."""

    def __init__(self, *args, **named):
        pass

    def __call__(self, *args, **named):
        return Anything()

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return Anything()

    def __getitem__(self, key):
        return Anything()

    def __iter__(self):
        return iter(())

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False


class PrecisionStandard:
    def __init__(self, rtol, atol, max_atol=None, **_):
        self.rtol, self.atol, self.max_atol = rtol, atol, max_atol


def module_of(op_type):
    return 'impl.' + re.sub(r'(?<!^)([A-Z])', r'_\1', str(op_type)).lower()


class OpUT:
    """Notes the cases that a test file declares."""
    cases: list = []

    def __init__(self, op_type, op_module_name=None, op_func_name=None):
        self.module = op_module_name or module_of(op_type)
        self.function = op_func_name or module_of(op_type)[len('impl.'):]

    def add_precision_case(self, support_soc=None, case=None, **_):
        if isinstance(case, dict) and case.get('calc_expect_func'):
            OpUT.cases.append((self, support_soc, case))

    def __getattr__(self, name):
        return lambda *args, **named: None


class Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        if name.endswith('OpUT') or name == 'OpUT':
            return OpUT
        return PrecisionStandard if name == 'PrecisionStandard' else importlib.import_module(self.__name__ + '.' + name) if name == 'precision_info' \
            else Anything()


class Tensor(np.ndarray):
    """An array with the methods of torch that references call."""

    def numpy(self):
        return np.asarray(self)

    def int_repr(self):
        return self

    def permute(self, *axes):
        return self.transpose(*axes)

    def float(self):
        return tensor(self.astype(np.float32))


def tensor(a):
    return np.asarray(a).view(Tensor)


def roll(x, shifts, dims=None):
    dims = tuple(dims) if isinstance(dims, (list, tuple)) else dims
    shifts = tuple(shifts) if isinstance(shifts, (list, tuple)) else shifts
    if dims in (None, ()):
        return np.roll(x, shifts[0] if isinstance(shifts, tuple) else shifts)
    return np.roll(x, shifts, dims)


def cross(a, b):
    return np.cross(a, b, axis=a.shape.index(3)).astype(a.dtype)


def cummin(x, dim):
    """The smallest so far and where it is, of equal ones the last."""
    values = np.minimum.accumulate(x, axis=dim)
    shape = [-1 if i == dim % x.ndim else 1 for i in range(x.ndim)]
    here = np.where(x == values, np.arange(x.shape[dim]).reshape(shape), 0)
    return tensor(values), tensor(np.maximum.accumulate(here, axis=dim))


def quantized(x, scale, zero, kind):
    low, high, dtype = {'qint8': (-128, 127, np.int8), 'quint8': (0, 255, np.uint8), 'qint32': (-2 ** 31, 2 ** 31 - 1, np.int32)}[kind]
    return np.clip(np.rint(x.astype(float) / scale) + zero, low, high).astype(dtype)


def quantize_per_channel(x, scales, zeros, axis, kind):
    shape = [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]
    return quantized(x, np.asarray(scales, float).reshape(shape), np.asarray(zeros).reshape(shape), kind)


def pdist(x, p=2.0):
    i, j = np.triu_indices(len(x), 1)
    d = np.abs(x[i].astype(float) - x[j])
    far = (d != 0).sum(1) if p == 0 else d.max(1) if p == float('inf') else (d ** p).sum(1) ** (1 / p)
    return far.astype(x.dtype)


def fold(x, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Adds up columns, each a patch of the picture, in the type of x."""
    (h, w), (kh, kw), (dh, dw), (ph, pw), (sh, sw) = ((v, v) if np.isscalar(v) else v for v in (output_size, kernel_size, dilation, padding, stride))
    rows, columns = (h + 2 * ph - dh * (kh - 1) - 1) // sh + 1, (w + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    patches = np.asarray(x).reshape(len(x), -1, kh, kw, rows, columns)
    picture = np.zeros((*patches.shape[:2], h + 2 * ph, w + 2 * pw), x.dtype)
    for i, j in np.ndindex(kh, kw):
        picture[:, :, i * dh:i * dh + rows * sh:sh, j * dw:j * dw + columns * sw:sw] += patches[:, :, i, j]
    return picture[:, :, ph:ph + h, pw:pw + w]


def torch_on_numpy():
    """Some functions of torch, from their documentation, for machines without it."""
    def gives(f):
        return lambda *args, **named: (lambda r: r if isinstance(r, tuple) else tensor(r))(f(*args, **named))
    torch = Module('torch')
    torch.__path__ = []
    functional = types.SimpleNamespace(pdist=gives(pdist), fold=gives(fold))
    torch.__dict__.update(
        from_numpy=tensor, eye=gives(lambda *n: np.eye(*n, dtype=np.float32)), roll=gives(roll), cross=gives(cross), cummin=cummin,
        quantize_per_tensor=gives(lambda x, scale, zero, kind: quantized(x, float(scale), int(zero), kind)),
        quantize_per_channel=gives(quantize_per_channel), qint8='qint8', quint8='quint8', qint32='qint32',
        nn=types.SimpleNamespace(functional=functional))
    return torch


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split('.')[0] in ABSENT else None

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


def declared(path):
    """The cases of a test file. Names that numpy has dropped are there, since these files are of its time."""
    for name in ('bool', 'int', 'float', 'object', 'str'):
        if name not in np.__dict__:
            setattr(np, name, getattr(builtins, name))
    OpUT.cases = []
    with open(path, encoding='utf-8', errors='replace') as f:
        code = compile(f.read(), path, 'exec')
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        exec(code, {'__name__': 'authors_case', '__file__': path})  # pylint: disable=exec-used
    except Exception as e:  # cases that were declared before count
        print(f'{path}: {e!r}', file=sys.stderr)
    finally:
        sys.stdout = out
    return OpUT.cases


# ---- a case ------------------------------------------------------------------------------------------

class NoCase(Exception):
    pass


def tensors(params, kind):
    """The descriptions of tensors of one kind, in their order, also those in lists."""
    for p in params:
        if isinstance(p, dict) and p.get('param_type') == kind:
            yield p
        elif isinstance(p, (list, tuple)):
            yield from tensors(p, kind)


def shape_of(p):
    return tuple(int(n) for n in (p.get('run_shape') or p['shape']))


def value_of(p, rng, outputs, most):
    """Values of an input: uniform in its range. Without a range integers would be 0: those of an output's type get one."""
    if 'value' in p:
        return np.array(p['value'])
    shape, dtype = shape_of(p), p['dtype']
    if np.prod(shape, dtype=float) > most:
        raise NoCase(f'an input has more than {most} elements')
    if dtype == 'bfloat16':
        raise NoCase('numpy has no bfloat16')
    low, high = p.get('value_range', (0.1, 1))
    if dtype == 'bool':
        low, high, dtype = 0, 2, 'int8'
    elif 'value_range' not in p and 'int' in dtype and dtype in outputs:
        low, high = (0, 100) if dtype[0] == 'u' else (-100, 100)
    return np.asarray(rng.normal(low, abs(high) + 1e-4, shape) if p.get('distribution') == 'normal' else rng.uniform(low, high, shape)).astype(dtype)


LEFT_OUT = ('value', 'data_path', 'param_type', 'value_range', 'range_value', 'distribution', 'run_shape')


def literal(x):
    if isinstance(x, dict):
        return '{' + ', '.join(f'{k!r}: {literal(v)}' for k, v in x.items() if k not in LEFT_OUT) + '}'
    if isinstance(x, (list, tuple)):
        inner = ', '.join(map(literal, x))
        return f'[{inner}]' if isinstance(x, list) else f'({inner},)' if x else '()'
    if isinstance(x, (np.ndarray, np.generic)):
        return literal(x.tolist())
    if not isinstance(x, (int, float, str, bool, type(None))):
        raise NoCase(f'an argument is {type(x).__name__}')
    return repr(x)


def call_of(op, case):
    params, more = case['params'], case.get('addition_params') or {}
    words = [f'{k}={literal(v)}' for k, v in params.items()] if isinstance(params, dict) else [literal(v) for v in params]
    words += [f'{k}={literal(v)}' for k, v in more.items() if k != 'kernel_name']
    return f'{op.function}({", ".join(words)}, kernel_name="k")'


def expected(case, values, inputs):
    """What the author's function gives: arrays."""
    function, more = case['calc_expect_func'], case.get('addition_params') or {}
    args = copy.deepcopy(values)
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        if isinstance(case['params'], dict):
            got = function(**dict(zip(case['params'], args)))
        else:
            takes = [p for p in inspect.signature(function).parameters.values() if p.kind == p.POSITIONAL_OR_KEYWORD]
            some = len(takes) == inputs < len(args)  # some take the inputs only
            got = function(*args[:len(takes)]) if some else function(*args, **{k: v for k, v in more.items() if k != 'kernel_name'})
    except Exception as e:
        raise NoCase(f'its reference does not run here: {type(e).__name__}: {e}') from e
    finally:
        sys.stdout = out
    arrays = [got] if not isinstance(got, (list, tuple)) else list(got)
    if any(isinstance(a, Anything) or np.asarray(a).dtype.kind not in 'fiub' for a in arrays):
        raise NoCase('its reference needs more than numpy')
    return [np.asarray(a) for a in arrays]


def arguments(tikc, program, options, folder):
    """The kernel's inputs and outputs."""
    with tempfile.TemporaryDirectory() as facts:
        run = subprocess.run([tikc, 'build', program, '--facts', facts, '-o', os.path.join(facts, 'k.tkb'), *options], cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode:
            raise NoCase('it does not compile: ' + (re.search(r'error: .*', run.stderr) or [run.stderr[:200]])[0])
        found = [json.load(open(os.path.join(facts, f), encoding='utf-8')) for f in os.listdir(facts) if f.endswith('.json')]
    if len(found) != 1:
        raise NoCase(f'it builds {len(found)} kernels')
    kinds = collections.defaultdict(list)
    for a in found[0]['arguments']:
        kinds[a['kind']].append(a)
    return kinds['input'], kinds['output']


def stored(value, argument):
    """The array in the type of the kernel's argument, and as large: kernels may declare other sizes than callers give."""
    flat = np.ascontiguousarray(value).ravel().astype({'bool': 'int8'}.get(argument['dtype'], argument['dtype']))
    size = elements(argument) or flat.size
    return np.concatenate([flat[:size], np.zeros(max(size - flat.size, 0), flat.dtype)])


def elements(argument):
    return int(np.prod(argument['shape'])) if argument['shape'] else 0


def tolerance(case, dtype):
    """The share, the tolerance of most elements, and that of all or None."""
    standard = case.get('precision_standard')
    if isinstance(standard, PrecisionStandard):
        return standard.rtol, standard.atol, standard.max_atol
    return STANDARD.get(dtype, (0, 0, None))


def text(x):
    return '"' + str(x).replace('\\', '\\\\').replace('"', '\\"') + '"'


def write_case(o, op, soc, case, number, folder):
    """Writes the files of a case and returns its lines of the test."""
    values = list(case['params'].values()) if isinstance(case['params'], dict) else list(case['params'])
    inputs, outputs = list(tensors(values, 'input')), list(tensors(values, 'output'))
    if not outputs:
        raise NoCase('it names no outputs')
    call = call_of(op, case)
    mode = 'dynamic' if '.dynamic.' in op.module else 'static'
    kin, kout = arguments(o.tikc, op.function + '.tik', ['--soc', soc, '--mode', mode, '-I', o.impl, '--call', call], folder)
    rng = np.random.default_rng(zlib.crc32(f'{op.function}#{number}'.encode()))
    for p in inputs:
        p['value'] = value_of(p, rng, {q['dtype'].replace('bool', 'int8') for q in outputs}, o.most)
    wanted = expected(case, values, len(inputs))
    if len(kin) != len(inputs) or len(kout) < len(wanted) or len(wanted) != len(outputs):
        raise NoCase(f'{len(inputs)} inputs and {len(wanted)} expected outputs for {len(kin)} and {len(kout)} of the kernel')
    lines = ['[[test]]', f'name = "case {number}"', f'call = {text(call)}', f'soc = "{soc}"', f'mode = "{mode}"', f'include = {text(o.impl)}']
    for a, p in zip(kin, inputs):
        np.save(os.path.join(folder, f'{number}-{a["name"]}.npy'), stored(p['value'], a))
        lines.append(f'in.{a["name"]} = "{number}-{a["name"]}.npy"')
    for a, w in zip(kout, wanted):
        if 0 < elements(a) < w.size:
            raise NoCase(f'the kernel declares {a["name"]} with {elements(a)} elements, and the case expects {w.size}')
        np.save(os.path.join(folder, f'{number}-{a["name"]}.npy'), stored(w, a)[:w.size])
        if elements(a) in (0, w.size):
            lines.append(f'expect.{a["name"]} = "{number}-{a["name"]}.npy"')
    limits = [tolerance(case, p['dtype']) for p in outputs]
    with open(os.path.join(folder, f'{number}-limits.json'), 'w', encoding='utf-8') as f:
        json.dump({'options': ['--soc', soc, '--mode', mode, '-I', o.impl, '--call', call], 'in': [a['name'] for a in kin],
                   'out': {a['name']: limit for a, limit in zip(kout, limits)},
                   'smaller': [f'{a["name"]}: {elements(a)} for {p["value"].size}' for a, p in zip(kin, inputs) if 0 < elements(a) < p['value'].size],
                   'larger': [a['name'] for a, w in zip(kout, wanted) if elements(a) > w.size]}, f)
    if any(line.startswith('expect.') for line in lines):
        lines.append(f'rtol = {max(most or some for _, some, most in limits)}')
    return lines + ['']


def is_tik(o, module):
    """Whether the operator's file builds kernels with TIK; most are written in another language, tensor expressions."""
    path = os.path.join(o.impl, *module.split('.')) + '.py'
    if not os.path.isfile(path):
        return False
    with open(path, encoding='utf-8', errors='replace') as f:
        return re.search(r'import.*\btik\b', f.read()) is not None


def may_have_cases(o, path):
    """Whether the file is worth executing: it has cases with references, of an operator in TIK."""
    with open(path, encoding='utf-8', errors='replace') as f:
        source = f.read()
    found = re.findall(r"""OpUT\(\s*["'](\w+)["'](?:\s*,\s*["']([\w.]+)["'])?""", source)
    return 'calc_expect_func' in source and any(is_tik(o, module or module_of(name)) for name, module in found)


def write_file(o, path):
    """Writes the tests of one file. Returns how many, and the reasons of those that are none."""
    written, left = 0, []
    for number, (op, soc, case) in enumerate(declared(path)):
        if not is_tik(o, op.module):
            continue
        folder = os.path.join(o.out, op.module.replace('impl.', '').replace('.', '-'))
        os.makedirs(folder, exist_ok=True)
        program = os.path.join(folder, op.function)
        if not os.path.exists(program + '.tik'):
            with open(program + '.tik', 'w', encoding='utf-8') as f:
                f.write(f'from {op.module} import {op.function}\n')
        soc = soc[0] if isinstance(soc, (list, tuple)) else str(soc)
        try:
            lines = write_case(o, op, WHICH.get(soc, soc), case, number, folder)
            with open(program + '.test.toml', 'a', encoding='utf-8') as f:
                f.write('\n'.join(lines) + '\n')
            written += 1
        except NoCase as e:
            left.append(f'{os.path.relpath(path, o.tests)} case {number}: {e}')
    return written, left


# ---- what is allowed -----------------------------------------------------------------------------------

def off(got, wanted, limits):
    """How many elements are off, of how many, and whether the share allows it."""
    share, some, most = limits
    got, wanted = got.ravel().astype(float), wanted.ravel().astype(float)
    with np.errstate(invalid='ignore'):
        distance = np.where((got == wanted) | (np.isnan(got) & np.isnan(wanted)), 0, np.abs(got - wanted))
    distance[np.isnan(distance)] = np.inf
    n = int((distance > some * np.abs(wanted)).sum())
    return n, wanted.size, n <= share * wanted.size and not (most and (distance > most * np.abs(wanted)).any())


def limits_of(test):
    folder, number = os.path.dirname(test['file']), test['test'].split()[-1]
    with open(os.path.join(folder, number + '-limits.json'), encoding='utf-8') as f:
        return folder, number, json.load(f)


def by_share(o, test):
    """Runs a case once more: True if the authors' rule allows what it gives. Says so."""
    folder, number, case = limits_of(test)
    good = True
    with tempfile.TemporaryDirectory() as out:
        command = [o.tikc, 'run', test['file'], *case['options']]
        command += [w for a in case['in'] for w in ('--in', f'{a}={folder}/{number}-{a}.npy')]
        command += [w for a in case['out'] for w in ('--out', f'{a}={out}/{a}.npy')]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return False
        for a, limits in case['out'].items():
            wanted = np.load(f'{folder}/{number}-{a}.npy')
            n, size, allowed = off(np.load(f'{out}/{a}.npy').ravel()[:wanted.size], wanted, limits)
            print(f'         {a}: {n} of {size} elements are off by more than {limits[1]} times what is expected; {limits[0]:.2%} may be')
            good = good and allowed
    return good


def run_tests(o):
    """Runs tikc test and prints its tests. Returns the exit code."""
    run = subprocess.run([o.tikc, 'test', '--format', 'json', '-j', o.j, o.out], stdout=subprocess.PIPE, text=True, check=False)
    operators, passed, count = {}, 0, 0
    for line in run.stdout.splitlines():
        test = json.loads(line)
        if 'status' not in test:
            continue
        print(f'{test["status"]:8} {os.path.relpath(test["test"], o.out)}')
        good = test['status'] == 'passed'
        if good and limits_of(test)[2]['larger']:
            good = by_share(o, test)
        elif not good:
            for sizes in limits_of(test)[2]['smaller']:
                print('         the kernel declares less elements than the case gives: ' + sizes)
            print('\n'.join('         ' + d['message'].replace(o.out + '/', '') for d in test['diagnostics'] if d['level'] == 'error'))
            good = test['status'] == 'failed' and by_share(o, test)
        operators[test['file']] = operators.get(test['file'], True) and good
        passed, count = passed + good, count + 1
    print(f'{count} cases of {len(operators)} operators: {passed} pass; of {sum(operators.values())} operators all')
    return 0 if count and passed == count else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('corpus')
    parser.add_argument('out')
    parser.add_argument('--tikc', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../build/tikc'))
    parser.add_argument('--only', default='', metavar='TEXT', help='test files whose path has the text')
    parser.add_argument('--most', type=int, default=1 << 22, metavar='ELEMENTS', help='larger inputs are left out')
    parser.add_argument('-j', default='2', metavar='N')
    o = parser.parse_args()
    o.out = os.path.abspath(o.out)
    o.tikc, o.impl, o.tests = os.path.abspath(o.tikc), os.path.abspath(os.path.join(o.corpus, IMPL)), os.path.abspath(os.path.join(o.corpus, TESTS))
    if not os.path.isdir(o.tests):
        raise SystemExit(f'there is no folder {o.tests}')
    if os.path.exists(o.out):
        raise SystemExit(f'{o.out} is there already')
    if not importlib.util.find_spec('torch'):
        sys.modules['torch'] = torch_on_numpy()
    sys.meta_path.insert(0, Finder())
    written, left = 0, []
    for folder, folders, files in os.walk(o.tests):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name.endswith('.py') and o.only in path and may_have_cases(o, path):
                n, reasons = write_file(o, path)
                written, left = written + n, left + reasons
                if n or reasons:
                    print(f'{os.path.relpath(path, o.tests)}: {n} cases', file=sys.stderr, flush=True)
    print('\n'.join(f'no case  {reason}' for reason in left))
    if not written:
        raise SystemExit('no case was found')
    return run_tests(o)


if __name__ == '__main__':
    sys.exit(main())
