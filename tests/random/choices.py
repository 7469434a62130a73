#!/usr/bin/python3
"""Every reading of runtime/isa/choice.def but the usual ones: native code at two levels, the emulator and a model
agree on it, and it makes a difference.

Readings of vector instructions run random calls (vector_gen) of the methods that they concern, with the numpy model
(vector_model) as verdict. PROGRAMS are small programs for the others. A reading that neither has, nor a test elsewhere, is a failure.
TIKC_SEED sets the first seed (1), TIKC_VECTORS the calls of each method (40). Ends with 'N passed, N failed'.
usage: choices.py [--match TEXT]"""
import argparse
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
from choice_moves import PROGRAMS as MOVES  # noqa: E402
from choice_programs import PROGRAMS as OTHERS  # noqa: E402
from differential import results  # noqa: E402
from vector_gen import draw  # noqa: E402
from vector_gen.batch import Batch  # noqa: E402
from vector_random import BUILD, alone, encode, execute, verdict  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = 15   # in one program
PROGRAMS = OTHERS + MOVES

# Methods whose results depend on a reading, and processors on which they do.
VECTORS = {
    'U2=saturate': (r'(v(add|mul|div|rec|rsqrt|exp|mla|madd|maddrelu|axpy|lrelu|addrelu|subrelu|muls|cadd|cgadd|cpadd|bi|aadd)|'
                    r'h_(add|mul|div|rec|exp|reduce_sum)|viou|vrpac|vec_reduce_add)', 'Ascend310P3'),
    'U3=saturate': (r'(v(add|sub|mul|adds|muls|abs|addrelu|subrelu)|vec_(add|sub|mul)|h_(add|sub|mul))', 'Ascend310P3'),
    'U5=fast': (r'(v(exp|ln|rsqrt)|vec_(exp|ln|rsqrt)|vec_(ln|rsqrt)_high_preci|h_(exp|ln|rsqrt))', 'Ascend310P3'),
    'U7=once': (r'(vmla|vmadd|vmaddrelu|vaxpy|vec_axpy)', 'Ascend310P3'),
    'U14=sixteen': (r'vmrgch', 'Ascend310P3'),
    'U15=chip': (r'vec_reduce_add', 'Ascend910B1'),
    'U16=zero-pairs': (r'(vcpadd|vec_cpadd)', 'Ascend910A'),
    'U18=dense-310p': (r'vreduce', 'Ascend910B1'),
    'U18=blocks': (r'vreduce', 'Ascend310P3'),
    'U8=directed': (r'(vconv|vec_conv|h_cast)', 'Ascend910B1'),
    'U10=float32': (r'(vconv|vec_conv)', 'Ascend310P3'),
    'U11=extended': (r'vcbd', 'Ascend310B1'),
    'U12=restarts': (r'vci', 'Ascend310B1'),
    'U13=kept': (r'vcmp_(lt|ne)', 'Ascend310P3'),
    'U17=index-first': (r'vcm(ax|in)', 'Ascend910B1'),
    'U20=once': (r'(viou|vrpac)', 'Ascend310P3'),
    'U21=skipped': (r'vmrgsort4?', 'Ascend310P3'),
    'U22=zero-removed': (r'rpn_cor(_diag)?', 'Ascend310P3'),
    'U24=all-bits': (r'vshl', 'Ascend910B1'),
}


def readings():
    """'U8=directed' ... of the table, without the usual ones."""
    text = open(os.path.join(HERE, '../../runtime/isa/choice.def')).read()
    numbers = dict(re.findall(r'^CHOICE\((\w+), "(\w+)"', text, re.M))
    return [f'{numbers[c]}={name}' for c, n, name in re.findall(r'^READING\((\w+), (\d+), \w+, "([\w-]+)"', text, re.M)
            if n != '0']


def named_elsewhere(name):
    """Whether another test runs with the reading, by its name or that of its point: moves and the matrix unit have
    models and scripts of their own."""
    text = open(os.path.join(HERE, '../../runtime/isa/choice.def')).read()
    number, reading = name.split('=')
    point = re.search(r'^CHOICE\(\w+, "%s", "([\w-]+)"' % number, text, re.M).group(1)
    words = re.compile(r'\b(%s|%s)(=|:|\W+)%s\b' % (number, point, reading))
    for folder, _, files in os.walk(os.path.join(HERE, '..')):
        for f in files:
            path = os.path.join(folder, f)
            if f.endswith(('.py', '.test', '.tik')) and not path.startswith(os.path.join(HERE, 'choice')) and \
                    words.search(open(path, errors='replace').read()):
                return True
    return False


# ---- random calls


def batches(pattern, processor, choices):
    allowed = frozenset(draw.FAMILIES)
    first, count = int(os.environ.get('TIKC_SEED', '1')), int(os.environ.get('TIKC_VECTORS', '40'))
    calls = []
    for method in sorted(m for m in draw.FAMILIES if re.fullmatch(pattern, m)):
        kinds = draw.types(method, processor)
        calls += [draw.Draw(method, processor, kinds[i % len(kinds)], first + i, allowed) for i in range(count) if kinds]
    return [Batch(processor, calls[i:i + CALLS], choices) for i in range(0, len(calls), CALLS)]


def check_calls(name):
    """[what is wrong]"""
    pattern, processor = VECTORS[name]
    chosen = batches(pattern, processor, [name])
    usual = batches(pattern, processor, [])
    got, plain = execute(chosen), execute(usual)
    bad = []
    for batch, result in zip(chosen, got):
        bad += [f'{alone(d) if d else ""} {text}' for d, text in verdict(batch, result)]
    if not any(name in p['readings'] for p in PROGRAMS) and not bad and [g[2] for g in got] == [g[2] for g in plain]:
        bad = [f'no result of {len(chosen)} programs differs from the usual reading']
    return bad


# ---- programs


def job(program, number, choices):
    source = program['source'].encode()
    out = [b'PROGRAM %d %d %s\n' % (number, len(source), program['processor'].encode()), source, b'\n']
    out += [b'CHOICE %s %s\n' % tuple(c.encode().split(b'=')) for c in choices]
    for tensor, a in program.get('inputs', {}).items():
        out += [b'IN %s %d\n' % (tensor.encode(), a.nbytes), a.tobytes(), b'\n']
    return b''.join(out + [b'END\n'])


def outcome(result):
    """The bytes of all tensors, or the name of the error."""
    status, detail, tensors = result
    return tensors if status == 'ok' else status + ' ' + re.match(r'[\w-]*', detail).group()


def expected(program, have, name):
    want = program['readings'][name]
    if isinstance(want, str):
        return have == want
    return isinstance(have, dict) and all(have[t] == a.tobytes() for t, a in want.items())


def check_program(program, name):
    """One program, whose readings ('': the usual one) give arrays or 'reject RULE', 'fault RULE'."""
    run = subprocess.run([os.path.join(BUILD, 'tools/diffrun')], input=job(program, 0, [name]) + job(program, 1, []),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    got = results(run.stdout)
    if len(got) != 2:
        return ['crash ' + run.stderr.decode(errors='replace')[-500:]]
    return [f'with {which or "the usual reading"}: {have if isinstance(have, str) else "other bytes"}'
            for which, have in ((name, outcome(got[0])), ('', outcome(got[1]))) if not expected(program, have, which)]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--match', default='')
    a = ap.parse_args()
    passed = failed = 0
    for name in readings():
        if a.match not in name:
            continue
        bad = check_calls(name) if name in VECTORS else []
        mine = [p for p in PROGRAMS if name in p['readings']]
        for program in mine:
            bad += check_program(program, name)
        if name not in VECTORS and not mine and not named_elsewhere(name):
            bad = ['there is no test of it']
        for text in bad[:5]:
            print(f'{name}: {text}')
        passed, failed = passed + (not bad), failed + bool(bad)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
