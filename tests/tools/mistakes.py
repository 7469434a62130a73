#!/usr/bin/python3
"""Mistakes that authors of kernels make, each in a kernel that is right without it, and what the checker says: the
thing, the value, the rule's name, the place and, wherever it is known, the next right value. Each mistake is one
finding. tests/lit/cli/mistakes.test compares the output with what was read and found good.
usage: tests/tools/mistakes.py TIKC                prints what is said of each
       tests/tools/mistakes.py TIKC --faults N     N kernels of the samples with one fault each: how many have one error"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HEAD = """from te import tik
t = tik.Tik()
x = t.Tensor("float16", (1024,), name="x", scope=tik.scope_gm)
y = t.Tensor("float16", (1024,), name="y", scope=tik.scope_gm)
w = t.Tensor("int32", (64,), name="w", scope=tik.scope_gm)
a = t.Tensor("float16", (1024,), name="a", scope=tik.scope_ubuf)
b = t.Tensor("float16", (1024,), name="b", scope=tik.scope_ubuf)
c = t.Tensor("float32", (1024,), name="c", scope=tik.scope_ubuf)
n = t.Scalar("int32", name="n", init_value=3)
t.data_move(a, x, 0, 1, 64, 0, 0)
t.vec_dup(64, c, 0.0, 16, 8)
t.vec_dup(128, b, 0.0, 8, 8)
"""
TAIL = """
t.data_move(y, b, 0, 1, 64, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[x, w], outputs=[y])
"""

# name: lines that are put into the kernel
MISTAKES = {
    'misaligned-start': 't.vec_add(128, b[3], a, a, 1, 8, 8, 8)',
    'misaligned-in-loop': 'with t.for_range(0, 4) as i:\n    t.vec_add(16, b[i * 100], a, a, 1, 8, 8, 8)',
    'misaligned-move': 't.data_move(a[8], x, 0, 1, 32, 0, 0)',
    'strides-in-elements': 't.vec_add(128, b, a, a, 8, 128, 128, 128)',
    'burst-in-elements': 't.data_move(a, x, 0, 1, 1024, 0, 0)',
    'burst-in-bytes': 't.data_move(a, x, 0, 1, 2048, 0, 0)',
    'tensor-plus-tensor': 'd = a + b',
    'tensor-times-number': 'd = a * 2',
    'undefined-tensor': 't.vec_add(128, b, a, aa, 8, 8, 8, 8)',
    'undefined-case': 't.vec_add(128, b, A, a, 8, 8, 8, 8)',
    'undefined-misspelt': 'repeat_tims = 8\nt.vec_add(128, b, a, a, repeat_times, 8, 8, 8)',
    'misspelt-method': 't.vec_ad(128, b, a, a, 8, 8, 8, 8)',
    'misspelt-method-2': 't.data_mvoe(a, x, 0, 1, 64, 0, 0)',
    'misspelt-keyword': 't.vec_add(128, b, a, a, repeat_time=8, dst_rep_stride=8, src0_rep_stride=8, src1_rep_stride=8)',
    'camel-case': 't.DataCopy(a, x, 1024)',
    'mask-forgotten': 't.vec_add(b, a, a, 8, 8, 8, 8)',
    'argument-missing': 't.vec_add(128, b, a, a, 8, 8, 8)',
    'argument-too-many': 't.vec_add(128, b, a, a, 8, 8, 8, 8, 8)',
    'swapped-move': 't.data_move(x, a, 0, 1, 64, 0, 0)',
    'for-step': 'with t.for_range(0, 8, 2) as i:\n    t.vec_add(128, b[i * 128], a[i * 128], a[i * 128], 1, 8, 8, 8)',
    'for-backwards': 'with t.for_range(8, 0) as i:\n    t.vec_dup(128, b, 0.0, 1, 8)',
    'for-float': 'with t.for_range(0, 8.5) as i:\n    t.vec_dup(128, b, 0.0, 1, 8)',
    'python-range': 'for i in range(n):\n    t.vec_dup(128, b, 0.0, 1, 8)',
    'python-if': 'if n > 2:\n    t.vec_dup(128, b, 0.0, 1, 8)',
    'float-shape': 'd = t.Tensor("float16", (1024 / 2,), name="d", scope=tik.scope_ubuf)\nt.vec_dup(128, d, 0.0, 4, 8)',
    'fraction-shape': 'd = t.Tensor("float16", (1000 / 3,), name="d", scope=tik.scope_ubuf)',
    'zero-shape': 'd = t.Tensor("float16", (0,), name="d", scope=tik.scope_ubuf)',
    'shape-not-tuple': 'd = t.Tensor("float16", 1024, name="d", scope=tik.scope_ubuf)',
    'dtype-fp16': 'd = t.Tensor("fp16", (1024,), name="d", scope=tik.scope_ubuf)',
    'dtype-unknown': 'd = t.Tensor("float12", (1024,), name="d", scope=tik.scope_ubuf)',
    'scope-misspelt': 'd = t.Tensor("float16", (1024,), name="d", scope=tik.scope_ub)',
    'scope-text': 'd = t.Tensor("float16", (1024,), name="d", scope="ub")',
    'tensor-no-name': 'd = t.Tensor("float16", (1024,), scope=tik.scope_ubuf)',
    'element-to-int-scalar': 's = t.Scalar("int32", name="s")\ns.set_as(a[0])\nt.vec_dup(128, b, 0.0, s, 8)',
    'scalar-fraction': 's = t.Scalar("int32", name="s")\ns.set_as(1.5)\nt.vec_dup(128, b, 0.0, s, 8)',
    'scalar-range': 's = t.Scalar("int32", name="s")\ns.set_as(3000000000)',
    'scalar-unset': 's = t.Scalar("int32", name="s")\nt.vec_dup(128, b, 0.0, s, 8)',
    'element-assigned': 'a[0] = 1.0\nq = a[0] + 1',
    'dtype-mixed': 't.vec_add(64, b, a, c, 8, 8, 8, 8)',
    'dtype-unsupported': 'd = t.Tensor("int8", (1024,), name="d", scope=tik.scope_ubuf)\nt.vec_add(128, d, d, d, 1, 8, 8, 8)',
    'conv-mode': 't.vec_conv(64, "roundd", c, a, 8, 8, 4)',
    'conv-pair': 'd = t.Tensor("int64", (1024,), name="d", scope=tik.scope_ubuf)\nt.vec_conv(64, "", d, a, 8, 16, 4)',
    'mask-too-large': 't.vec_add(256, b, a, a, 4, 8, 8, 8)',
    'mask-f32-128': 't.vec_adds(128, c, c, 1.0, 8, 8, 8)',
    'mask-zero': 't.vec_add(0, b, a, a, 8, 8, 8, 8)',
    'mask-list-one': 't.vec_add([255], b, a, a, 8, 8, 8, 8)',
    'repeat-too-many': 't.vec_add(128, b, a, a, 300, 0, 0, 0)',
    'repeat-zero': 't.vec_add(128, b, a, a, 0, 8, 8, 8)',
    'repeat-negative': 't.vec_add(128, b, a, a, -1, 8, 8, 8)',
    'stride-zero': 't.vec_add(128, b, a, a, 8, 0, 8, 8)',
    'stride-too-large': 't.vec_add(16, b, a, a, 1, 300, 8, 8)',
    'nburst-zero': 't.data_move(a, x, 0, 0, 64, 0, 0)',
    'nburst-too-many': 't.data_move(a, x, 0, 5000, 1, 0, 0)',
    'overflow-repeat': 't.vec_add(128, b, a, a, 9, 8, 8, 8)',
    'overflow-loop': 'with t.for_range(0, 9) as i:\n    t.vec_add(128, b[i * 128], a[i * 128], a[i * 128], 1, 8, 8, 8)',
    'overflow-index': 's = t.Scalar("float16", name="s")\ns.set_as(a[2000])',
    'gm-operand': 't.vec_add(128, b, x, a, 1, 8, 8, 8)',
    'path-gm-gm': 't.data_move(y, x, 0, 1, 64, 0, 0)',
    'overlap': 't.vec_add(128, a[16], a, b, 2, 8, 8, 8)',
    'ub-too-large': 'd = t.Tensor("float16", (200000,), name="d", scope=tik.scope_ubuf)\nt.vec_dup(128, d, 0.0, 1, 8)',
    'l1-forgotten': 'd = t.Tensor("float16", (16, 16), name="d", scope=tik.scope_cbuf)\nt.vec_dup(128, d, 0.0, 1, 8)',
    'not-on-processor': 't.vec_relu(128, b, a, 8, 8, 8)\nt.vgather(128, b, a, w, 1, 8)',
    'no-such-instruction': 't.vbitsort32(b, a, w, 1)',
    'not-in-kernel-output': 'z = t.Tensor("float16", (16,), name="z", scope=tik.scope_gm)\nt.data_move(z, b, 0, 1, 1, 0, 0)',
    'scalar-as-tensor': 't.vec_add(128, b, n, a, 8, 8, 8, 8)',
    'tensor-as-scalar': 't.vec_adds(128, b, a, a, 8, 8, 8)',
    'text-number': 't.vec_adds(128, b, a, "1.0", 8, 8, 8)',
    'none-operand': 't.vec_add(128, b, None, a, 8, 8, 8, 8)',
    'break-outside': 't.tik_break()',
    'else-without-if': 'with t.else_scope():\n    t.vec_dup(128, b, 0.0, 1, 8)',
    'block-num': 'with t.for_range(0, 70000, block_num=70000) as i:\n    t.vec_dup(128, b, 0.0, 1, 8)',
    'syntax': 't.vec_add(128, b, a, a, 8, 8, 8, 8',
    'indent': 'with t.for_range(0, 8) as i:\nt.vec_dup(128, b, 0.0, 1, 8)',
    'thread-num': 'with t.for_range(0, 8, thread_num=5) as i:\n    t.vec_dup(128, b, 0.0, 1, 8)',
    'if-scope-tensor': 'with t.if_scope(a):\n    t.vec_dup(128, b, 0.0, 1, 8)',
}


def check(tikc, paths):
    """[(path, [finding])] of files."""
    run = subprocess.run([tikc, 'check', '--format', 'json', '--max-errors', '0', *paths], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        raise SystemExit(run.stderr)
    found = {p: [] for p in paths}
    for line in run.stdout.splitlines():
        finding = json.loads(line)
        found.setdefault(finding['file'], []).append(finding)
    return found


def say(finding):
    yield f"{finding['line']}:{finding['column']}: {finding['level']}: {finding['message']} [{finding['name']}]"
    for note in finding['notes']:
        yield f"note: {note['message']}"
    if finding['help']:
        yield f"help: {finding['help']}"


def mistakes(tikc):
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, lines in MISTAKES.items():
            paths[name] = os.path.join(folder, name + '.tik')
            with open(paths[name], 'w', encoding='utf-8') as f:
                f.write(HEAD + lines + TAIL)
        found = check(tikc, list(paths.values()))
    for name, path in paths.items():
        print('==', name)
        print('    ' + MISTAKES[name].replace('\n', '\n    '))
        for finding in found[path]:
            print('\n'.join(say(finding)))
    print(len(MISTAKES), 'mistakes;', sum(len(found[p]) == 1 for p in paths.values()), 'with one finding')


# ---- one fault each ------------------------------------------------------------------------------------

def call(rng, text, names):
    """A random call of one of some methods: its match, or None."""
    found = list(re.finditer(r'\.(' + names + r')\(([^()\n]*)\)', text))
    return rng.choice(found) if found else None


def replaced(text, match, group, by):
    return text[:match.start(group)] + by + text[match.end(group):]


def misspell(rng, text):
    m = call(rng, text, r'vec_\w+|data_move|for_range|Tensor')
    word = m and m.group(1)
    return m and replaced(text, m, 1, word[:-2] + word[-1] + word[-2] + 'x')


def drop_argument(rng, text):
    m = call(rng, text, r'vec_\w+|data_move')
    return m and replaced(text, m, 2, ', '.join(m.group(2).split(', ')[:-1]))


def unknown_name(rng, text):
    m = call(rng, text, r'vec_\w+|data_move')
    parts = m.group(2).split(', ') if m else []
    parts[1:2] = ['no_such_tensor']
    return m and replaced(text, m, 2, ', '.join(parts))


def too_many_repeats(rng, text):
    m = call(rng, text, r'vec_(?:add|mul|sub|muls|adds|exp|dup)')
    parts = m.group(2).split(', ') if m else []
    numbers = [i for i, p in enumerate(parts) if p.isdigit() and i > 2]
    if not numbers:
        return None
    parts[numbers[0]] = '100000'
    return replaced(text, m, 2, ', '.join(parts))


def negative_burst(rng, text):
    m = call(rng, text, 'data_move')
    parts = m.group(2).split(', ') if m else []
    if len(parts) < 5:
        return None
    parts[4] = '-1'
    return replaced(text, m, 2, ', '.join(parts))


def open_bracket(rng, text):
    m = call(rng, text, r'vec_\w+|data_move')
    return m and text[:m.end() - 1] + text[m.end():]


def unknown_dtype(rng, text):
    found = list(re.finditer(r'Tensor\("(\w+)"', text))
    return replaced(text, rng.choice(found), 1, 'float17') if found else None


def unknown_scope(rng, text):
    found = list(re.finditer(r'tik\.(scope_\w+)', text))
    return replaced(text, rng.choice(found), 1, 'scope_nowhere') if found else None


def float_mask(rng, text):
    m = call(rng, text, r'vec_(?:add|mul|sub|muls|adds|exp|dup)')
    parts = m.group(2).split(', ') if m else []
    parts[:1] = ['1.5']
    return m and replaced(text, m, 2, ', '.join(parts))


def no_import(_, text):
    return re.sub(r'^from \w+ import tik$', '', text, flags=re.M)


FAULTS = [misspell, drop_argument, unknown_name, too_many_repeats, negative_burst, open_bracket, unknown_dtype,
          unknown_scope, float_mask, no_import]


def faults(tikc, n):
    """Prints for each kind how many of n kernels have exactly one error. A change that is no fault is made again."""
    rng = random.Random(1)
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../samples')
    sources = [os.path.join(root, f) for f in sorted(os.listdir(root)) if f.endswith('.tik')]
    counts = {kind.__name__: [0, 0] for kind in FAULTS}
    several = []
    with tempfile.TemporaryDirectory() as folder:
        while sum(c[1] for c in counts.values()) < n:
            kinds = {}
            for i in range(n // 2):
                kind = rng.choice(FAULTS)
                with open(rng.choice(sources), encoding='utf-8') as f:
                    text = f.read()
                changed = kind(rng, text)
                if changed and changed != text:
                    path = os.path.join(folder, f'k{i}.tik')
                    kinds[path] = kind.__name__
                    with open(path, 'w', encoding='utf-8') as f:
                        f.write(changed)
            for path, found in check(tikc, sorted(kinds)).items():
                errors = [f for f in found if f['level'] == 'error']
                if errors and sum(c[1] for c in counts.values()) < n:
                    counts[kinds[path]][0] += len(errors) == 1
                    counts[kinds[path]][1] += 1
                    if len(errors) > 1:
                        several.append((kinds[path], [f"{e['line']}: {e['message']}" for e in errors]))
    for kind, messages in several[:20]:
        print(kind, *messages, sep='\n  ')
    for kind, (one, all_) in sorted(counts.items()):
        print(f'{kind}: {one} of {all_}')
    one = sum(c[0] for c in counts.values())
    print(f'{one} of {n} kernels with one fault have one error')
    return one >= 0.95 * n


def main():
    tikc = sys.argv[1]
    if len(sys.argv) > 3 and sys.argv[2] == '--faults':
        sys.exit(not faults(tikc, int(sys.argv[3])))
    mistakes(tikc)


if __name__ == '__main__':
    main()
