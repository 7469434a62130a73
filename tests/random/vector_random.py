#!/usr/bin/python3
"""Random calls of every vector method (vector_gen), hundreds in one program, on native code at two optimisation
levels, on the emulator and on the numpy model (vector_model): all memory of all operands, byte for byte.

TIKC_VECTORS sets the number of calls (20000), TIKC_SEED the first seed (1). A method that tikc does not compile is
skipped and counted. Each failure prints a command that runs its call alone. Ends with 'N passed, N failed'.
usage: vector_random.py [--match TEXT] [--processor NAME] [--show]
       vector_random.py METHOD PROCESSOR TYPES SEED     one call: prints its program and what differs"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD  # noqa
from differential import results  # noqa: E402
from isa_rows import register_rows, vector_rows  # noqa: E402
from vector_gen import draw  # noqa: E402
from vector_gen.batch import BITS, Batch  # noqa: E402

CALLS = 150           # in one program
ROOM = 150 * 1024     # bytes of on-core memory that a program may take
UNSUPPORTED = 'not-supported'


def encode(batch, number):
    source = batch.source().encode()
    out = [b'PROGRAM %d %d %s\n' % (number, len(source), batch.processor.encode()), source, b'\n']
    out += [b'CHOICE %s %s\n' % tuple(c.encode().split(b'=')) for c in batch.choices]
    for name, raw in batch.inputs().items():
        out += [b'IN %s %d\n' % (name.encode(), len(raw)), raw, b'\n']
    return b''.join(out + [b'END\n'])


def execute(batches):
    """[(status, detail, {tensor: bytes})] of programs, None where the tool gave nothing."""
    run = subprocess.run([os.path.join(BUILD, 'tools/diffrun')], input=b''.join(encode(b, i) for i, b in
                         enumerate(batches)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    got = results(run.stdout)
    return [got.get(i, ('crash', run.stderr.decode(errors='replace')[-2000:], {})) for i in range(len(batches))]


def alone(d):
    return f'vector_random.py {d.method} {d.processor} {d.operands} {d.seed}'


def verdict(batch, result):
    """[(call or None, what is wrong)]"""
    status, detail, tensors = result
    if status != 'ok':
        return [(None, f'{status} {detail}')]
    batch.expected()
    return batch.blame({t: tensors[f'out{BITS[t]}'] for t in batch.image})


def narrow(batch, text):
    """The calls of a program that did not run, each alone."""
    out = []
    for d in batch.instances:
        single = Batch(batch.processor, [d])
        out += [(d, why) for _, why in verdict(single, execute([single])[0])][:1]
        if len(out) == 3:
            break
    return out or [(batch.instances[0], f'only together with the others of its program: {text}')]


def check(work):
    """Runs one list of calls as programs. (calls that pass, [what is wrong])"""
    calls, allowed = work
    batches, now, room = [], [], collections.Counter()
    for method, processor, operands, seed in calls:
        d = draw.Draw(method, processor, operands, seed, allowed)
        more = collections.Counter()
        for t in d.tensors:
            more[t.dtype, sum(k[0] == t.dtype for k in more)] = t.data.nbytes + 512
        both = room | more
        if now and (len(now) == CALLS or sum(both.values()) > ROOM):
            batches.append(Batch(processor, now))
            now, both = [], more
        now.append(d)
        room = both
    batches.append(Batch(calls[0][1], now))
    bad = []
    for batch, result in zip(batches, execute(batches)):
        wrong = verdict(batch, result)
        if wrong and wrong[0][0] is None:
            wrong = narrow(batch, wrong[0][1])
        bad += [f'{alone(d)}\n    {text}' for d, text in wrong]
    return len(calls) - min(len(bad), len(calls)), bad


def supported(pairs):
    """The methods among (method, processor) that tikc compiles, by trying one call of each on each processor."""
    everything = frozenset()
    probes = [draw.Draw(m, p, draw.types(m, p)[0], 0, everything) for m, p in pairs]
    given = execute([Batch(d.processor, [d]) for d in probes])
    return [pair for pair, (status, detail, _) in zip(pairs, given)
            if not (status == 'reject' and UNSUPPORTED in detail)]


def jobs(pairs, total, first):
    """Lists of calls of one method on one processor, all operand types in turn."""
    share = -(-total // max(len(pairs), 1))
    out = []
    for n, (method, processor) in enumerate(pairs):
        kinds = draw.types(method, processor)
        count = max(share, len(kinds))
        out.append([(method, processor, kinds[i * len(kinds) // count], first + n * 1000003 + i) for i in range(count)])
    return out


def show_one(method, processor, operands, seed):
    d = draw.Draw(method, processor, operands, int(seed), frozenset(m for m, _ in supported(every_pair('', ''))))
    batch = Batch(processor, [d])
    print(batch.source())
    wrong = verdict(batch, execute([batch])[0])
    print('\n'.join(text for _, text in wrong) or 'equal')
    return 1 if wrong else 0


# Families on the same queue that have random calls of their own: cube_random, quant_random, move_random, lmem_random;
# reg_random demands those on vector registers.
ELSEWHERE = ('LOAD', 'ACC', 'TRANSFER', 'LMEM')


def every_pair(match, processor):
    return [(m, p) for m in sorted(draw.FAMILIES) for p in draw.PROCESSORS
            if re.search(match, m) and processor in p and draw.types(m, p)]


def left_over(able):
    """Vector instructions of tikc's table of which no call ran."""
    registers = register_rows()
    return [m for m, (_, family) in vector_rows().items()
            if '.' not in m and m not in able and m not in registers and family not in ELSEWHERE]


def main():
    if len(sys.argv) == 5 and sys.argv[1] in draw.FAMILIES:
        return show_one(*sys.argv[1:])
    ap = argparse.ArgumentParser()
    ap.add_argument('--match', default='')
    ap.add_argument('--processor', default='')
    ap.add_argument('--show', action='store_true', help='calls per method')
    a = ap.parse_args()
    pairs = every_pair(a.match, a.processor)
    able = supported(pairs)
    work = jobs(able, int(os.environ.get('TIKC_VECTORS', '20000')), int(os.environ.get('TIKC_SEED', '1')))
    allowed = frozenset(m for m, _ in able)
    whole = not a.match and not a.processor
    passed, bad = 0, [f'{m}: is in op.def, but no call of it ran' for m in left_over(allowed) if whole]
    counts = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for calls, (ok, wrong) in zip(work, pool.map(check, [(w, allowed) for w in work])):
            passed += ok
            bad += wrong
            counts[calls[0][0]] += ok
    print('\n'.join(bad[:20]))
    if a.show:
        print(' '.join(f'{m}:{n}' for m, n in sorted(counts.items())))
    skipped = {m for m, _ in pairs} - allowed
    print(f'{len(allowed)} methods; {len(skipped)} that tikc does not compile are skipped')
    print(f'{passed} passed, {len(bad)} failed')
    return 1 if bad or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
