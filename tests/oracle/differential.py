#!/usr/bin/python3
"""Random kernels (gen.py) on native code at two optimisation levels, on the emulator and on the numpy model:
the same bytes, or the same fault. TIKC_PROGRAMS sets their number (10000), TIKC_SEED the first seed (1). Each
failure prints the seed and the program. Ends with 'N passed, N failed'.
usage: differential.py [SEED]   with a seed: prints that program and runs it alone"""
import concurrent.futures
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen  # noqa: E402
import ref_model  # noqa: E402

BUILD = os.environ.get('BUILD', os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../build'))
CHUNK = 250


def encode(p, inputs):
    source = p.source().encode()
    out = [b'PROGRAM %d %d %s\n' % (p.seed, len(source), p.soc.encode()), source, b'\n']
    for name, a in inputs.items():
        raw = a.tobytes()
        out += [b'IN %s %d\n' % (name.encode(), len(raw)), raw, b'\n']
    return b''.join(out + [b'END\n'])


def results(raw):
    """{seed: (status, detail, {tensor: bytes})} from what diffrun printed."""
    out, at = {}, 0
    while at < len(raw):
        end = raw.index(b'\n', at)
        line = raw[at:end].decode(errors='replace')
        at = end + 1
        if line.startswith('RESULT '):
            _, seed, status, *detail = line.split(' ')
            entry = (status, ' '.join(detail), {})
            out[int(seed)] = entry
        elif line.startswith('OUT '):
            _, name, size = line.split(' ')
            entry[2][name] = raw[at:at + int(size)]
            at += int(size) + 1
    return out


def expected(p, inputs):
    try:
        return 'ok', p.run(inputs).tobytes()
    except ref_model.Fault as f:
        return 'fault', f.args[0]


def judge(p, inputs, got):
    """None, or what is wrong."""
    if got is None:
        return 'no result (crash?)'
    status, detail, outs = got
    want, what = expected(p, inputs)
    if status != want:
        return f'{status} {detail}; the model says {want} {what if want == "fault" else ""}'
    if want == 'fault':
        rule = detail.split(' ')[0]
        return None if rule == what else f'fault {detail}; the model says {what}'
    if outs['out0'] != what:
        first = next(i for i, (a, b) in enumerate(zip(outs['out0'], what)) if a != b)
        return f'out0 differs from the model, first at byte {first}'
    return None


def chunk(seeds):
    programs = [gen.Program(s) for s in seeds]
    inputs = [p.inputs() for p in programs]
    job = b''.join(encode(p, i) for p, i in zip(programs, inputs))
    run = subprocess.run([os.path.join(BUILD, 'tools/diffrun')], input=job, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    got = results(run.stdout)
    bad, faults = [], 0
    for p, i in zip(programs, inputs):
        wrong = judge(p, i, got.get(p.seed))
        faults += got.get(p.seed, ('',))[0] == 'fault'
        if wrong:
            bad.append(f'seed {p.seed}: {wrong}\n{p.source()}')
    if run.returncode:
        bad.append(f'seeds {seeds[0]}..{seeds[-1]}: diffrun ended with {run.returncode}: '
                   + run.stderr.decode(errors='replace')[-2000:])
    return len(seeds) - len(bad), bad, faults


def main():
    if len(sys.argv) > 1:
        seeds = [int(sys.argv[1])]
        print(gen.Program(seeds[0]).source())
    else:
        first = int(os.environ.get('TIKC_SEED', '1'))
        seeds = list(range(first, first + int(os.environ.get('TIKC_PROGRAMS', '10000'))))
    chunks = [seeds[i:i + CHUNK] for i in range(0, len(seeds), CHUNK)]
    passed, bad, faults = 0, [], 0
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for ok, wrong, f in pool.map(chunk, chunks):
            passed += ok
            bad += wrong
            faults += f
    for text in bad[:10]:
        print(text)
    print(f'seeds {seeds[0]} to {seeds[-1]}; {faults} programs ended with the expected fault')
    print(f'{passed} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
