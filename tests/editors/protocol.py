#!/usr/bin/python3
"""What tikc lsp says to a client that keeps to the protocol: the life of the server, changes of texts in both units of columns, findings as
'tikc check' has them, fixes as 'tikc fix' makes them, files that import others, names and their values."""
import glob
import json
import os
import subprocess
import sys
import tempfile

from client import ROOT, TIKC, Client, all_of, apply, run

HEAD = '''from tbe import tik

t = tik.Tik()
x = t.Tensor("float16", (1024,), name="x", scope=tik.scope_gm)
y = t.Tensor("float16", (1024,), name="y", scope=tik.scope_gm)
a = t.Tensor("float16", (1024,), name="a", scope=tik.scope_ubuf)
'''
GOOD = HEAD + '''t.data_move(a, x, 0, 1, 64, 0, 0)
t.data_move(y, a, 0, 1, 64, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])
'''
URI = 'file:///nowhere/k.tik'


def place(text, part, after=0):
    """Line and character of a part of a text."""
    at = text.index(part, after)
    return text.count('\n', 0, at), at - text.rfind('\n', 0, at) - 1


def opened(text, *options, **more):
    c = Client(*options, **more)
    c.open(URI, text)
    return c


def codes(c, uri=URI):
    return [d['code'] for d in c.diagnostics(uri)]


# ---- life ---------------------------------------------------------------------------------------------


def test_life():
    c = Client()
    assert c.capabilities['positionEncoding'] == 'utf-16'
    assert c.request('initialize', {})['error']['code'] == -32600
    assert c.end() == 0


def test_encodings():
    assert Client(encodings=['utf-8', 'utf-16']).capabilities['positionEncoding'] == 'utf-8'
    assert Client(encodings=['utf-32', 'utf-16']).capabilities['positionEncoding'] == 'utf-16'


def test_exit_without_shutdown():
    c = Client()
    c.tell('exit')
    assert c.close() == 1
    assert Client().close() == 1
    c = Client(begin=False)
    c.tell('exit')
    assert c.close() == 1


def test_after_shutdown():
    c = Client()
    c.ask('shutdown')
    assert c.request('textDocument/hover', {})['error']['code'] == -32600
    c.tell('exit')
    assert c.close() == 0


# ---- texts --------------------------------------------------------------------------------------------


def test_typing():
    """Findings come from the text in the editor, in its version."""
    c = opened(GOOD)
    assert codes(c) == []
    line, character = place(GOOD, '1, 64')
    c.change(URI, 2, {'range': {'start': {'line': line, 'character': character}, 'end': {'line': line, 'character': character + 1}}, 'text': '5000'})
    found = c.diagnostics(URI)
    assert [d['code'] for d in found] == ['range-nburst'] and c.published[URI]['version'] == 2, found
    assert found[0]['range'] == {'start': {'line': line, 'character': character}, 'end': {'line': line, 'character': character + 4}}, found
    assert found[0]['severity'] == 1 and found[0]['source'] == 'tikc' and found[0]['message'].startswith('nburst is 5000'), found
    c.change(URI, 3, {'text': GOOD})
    assert codes(c) == [] and c.published[URI]['version'] == 3
    c.tell('textDocument/didClose', {'textDocument': {'uri': URI}})
    assert c.end() == 0


def test_columns():
    """Characters outside of ASCII before a finding, in both units; changes count in them, too."""
    text = GOOD.replace('t.data_move(a, x', '"ä𝄞"; t.data_move(a, xx')
    for encodings, units, width in ((None, 'utf-16', 3), (['utf-8'], 'utf-8', 6)):
        c = opened(text, encodings=encodings)
        found = c.diagnostics(URI)
        assert [d['code'] for d in found] == ['name-error'], found
        begin = found[0]['range']['start']['character']
        assert begin == width + len('""; t.data_move(a, '), (begin, units)
        at = dict(found[0]['range'])
        c.change(URI, 2, {'range': at, 'text': 'x'})
        assert codes(c) == []
        assert c.at('hover', URI, at['start']['line'], begin)['contents']['value'].startswith('```python\nx: float16'), units
        assert c.end() == 0


def test_many_changes():
    """A text that was typed in pieces is the text; random changes are those of a model."""
    import random
    rng = random.Random(7)
    c = opened('')
    text = ''
    for version in range(2, 120):
        lines = text.split('\n')
        def position():
            line = rng.randrange(len(lines))
            return {'line': line, 'character': rng.randrange(len(lines[line].encode('utf-16-le')) // 2 + 1)}
        begin, end = sorted((position(), position()), key=lambda p: (p['line'], p['character']))
        for p in (begin, end):   # not inside of a pair of units
            units = lines[p['line']].encode('utf-16-le')
            if 0xd8 <= (units[p['character'] * 2 - 1] if p['character'] else 0) <= 0xdb:
                p['character'] -= 1
        new = rng.choice(['x = 1\n', 'ä', '𝄞', '# ', '\n', 'y', '', '"'])
        c.change(URI, version, {'range': {'start': begin, 'end': end}, 'text': new})
        text = apply(text, [{'range': {'start': begin, 'end': end}, 'newText': new}])
    c.change(URI, 200, {'range': {'start': {'line': 0, 'character': 0}, 'end': {'line': 0, 'character': 0}}, 'text': 'name = 1\n'},
             {'range': {'start': {'line': 10 ** 9, 'character': 0}, 'end': {'line': 10 ** 9, 'character': 5}}, 'text': '\nname2 = name'})
    text = 'name = 1\n' + text + '\nname2 = name'
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'k.tik')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        assert findings(c.diagnostics(URI), text) == checked(path, text), text
    assert c.end() == 0


# ---- findings -----------------------------------------------------------------------------------------


def findings(diagnostics, text):
    """(code, level, line, column in bytes) of diagnostics."""
    lines = text.split('\n')
    levels = {1: 'error', 2: 'warning', 3: 'note'}
    def column(p):
        line = lines[p['line']].encode('utf-16-le')
        return len(line[:p['character'] * 2].decode('utf-16-le').encode())
    return sorted((d['code'], levels[d['severity']], d['range']['start']['line'] + 1, column(d['range']['start']) + 1) for d in diagnostics)


def checked(path, text):
    """The same of 'tikc check'. A finding without a place is at the start of the text; that no kernel is built is no fault of a text that
    someone writes."""
    done = subprocess.run([TIKC, 'check', '--format', 'json', path], capture_output=True, text=True)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]
    def whole(d):
        return d['name'] == 'no-kernel' and (d['end_line'], d['end_column']) == (1, 1)
    alone = [d['level'] for d in found].count('error') == 1
    return sorted({(d['name'], 'note' if whole(d) and alone else d['level'], max(d['line'], 1), max(d['column'], 1)) for d in found
                   if d['file'] == path and not (whole(d) and alone and not d['notes'])})


def test_same_as_check():
    """All that tikc check finds in the kernels of the rules, and nothing else."""
    c = Client()
    files = sorted(glob.glob(ROOT + '/tests/lit/rules/*.tik') + glob.glob(ROOT + '/samples/*.tik') + glob.glob(ROOT + '/tests/lit/tik/*.tik'))
    compared = 0
    for path in files:
        with open(path, encoding='utf-8') as f:
            text = f.read()
        c.open('file://' + path, text)
        ours, expected = findings(c.diagnostics('file://' + path), text), checked(path, text)
        assert sorted(set(ours)) == expected, (path, set(ours) ^ set(expected))
        compared += len(expected)
        c.tell('textDocument/didClose', {'textDocument': {'uri': 'file://' + path}})
    assert len(files) > 300 and compared > 500, (len(files), compared)
    assert c.end() == 0


def test_details():
    """Notes and calls lead to their places; a page explains the code; what has no effect is faded."""
    text = HEAD + 'def move(n):\n    t.data_move(a, x[512], 0, n, 64, 0, 0)\n\n\nmove(1)\nt.data_move(y, a, 1, 1, 64, 0, 0)\n' + GOOD.splitlines()[-1] + '\n'
    c = opened(text)
    found = {d['code']: d for d in c.diagnostics(URI)}
    d = found['tensor-overflow']
    assert d['range']['start']['line'] == place(text, 't.data_move(a')[0]
    related = [(r['location']['range']['start']['line'], r['message']) for r in d['relatedInformation']]
    assert related == [(3, "src is in 'x': 1024 float16 elements, 2048 bytes, in GM"), (place(text, '\nmove(1)')[0] + 1, 'called here: move()')], related
    href = d['codeDescription']['href']
    page, anchor = href[len('file://'):].split('#')
    with open(page, encoding='utf-8') as f:
        assert f'<a id="{anchor}"></a>' in f.read() and anchor == 'tensor-overflow'
    assert c.end() == 0
    c = opened(GOOD.replace('64, 0, 0)', '64, 0, 0)  # tikc: allow(nop): none', 1))
    found = c.diagnostics(URI)
    assert [(d['code'], d['tags'], d['severity']) for d in found] == [('unused-allow', [1], 2)], found
    assert c.end() == 0


def test_settings():
    """Comments of the text say for which processor and call it is, as for check; options, too."""
    op = 'from tbe import tik\n# tikc: soc=Ascend910A\n# tikc: call=op(128)\n\n\ndef op(n, kernel_name="k"):\n    t = tik.Tik()\n' + ''.join(
        '    ' + line + '\n' for line in GOOD.splitlines()[3:]).replace('1, 64', '1, n // 2')
    c = opened(op)
    assert codes(c) == []
    assert c.at('hover', URI, *place(op, 't = tik'))['contents']['value'] == '```python\nt: Tik container for Ascend910A\n```\n'
    c.change(URI, 2, {'text': op.replace('op(128)\n\n', 'op(8192 * 2)\n\n')})
    assert codes(c) == ['tensor-overflow'] * 2
    c.change(URI, 3, {'text': op.replace('# tikc: call=op(128)\n', '')})
    found = c.diagnostics(URI)
    assert [(d['code'], d['severity']) for d in found] == [('no-kernel', 3)] and '--call' in found[0]['message'], found
    c.change(URI, 4, {'text': op.replace('Ascend910A', 'Ascend1000')})
    assert codes(c) == ['soc-unknown']
    assert c.end() == 0
    c = opened(op.replace('# tikc: call=op(128)\n', ''), '--call', 'op(64)')
    assert codes(c) == []
    assert c.end() == 0


def test_endless():
    """A program that does not end ends at the limit of steps, and the server goes on."""
    c = opened(HEAD + 'n = 0\nwhile True:\n    n = n + 1\n')
    assert codes(c) == ['limit-steps']
    c.change(URI, 2, {'text': GOOD})
    assert codes(c) == []
    assert c.end() == 0


def test_fixes():
    """Quick fixes, and all of a file, are what tikc fix does."""
    with open(ROOT + '/tests/lit/cli/inputs/fix.tik', encoding='utf-8') as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'k.tik')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        subprocess.run([TIKC, 'fix', path], stdout=subprocess.DEVNULL, check=True)
        with open(path, encoding='utf-8') as f:
            expected = f.read()
    c = opened(text)
    titles = []
    for version in range(2, 12):
        found = c.diagnostics(URI)
        if not found:
            break
        at = found[0]['range']
        actions = c.ask('textDocument/codeAction', {'textDocument': {'uri': URI}, 'range': at, 'context': {'diagnostics': [found[0]]}})
        assert actions and actions[0]['kind'] == 'quickfix' and actions[0]['diagnostics'] == [found[0]], actions
        titles.append(actions[0]['title'])
        text = apply(text, actions[0]['edit']['changes'][URI])
        c.change(URI, version, {'text': text})
    assert text == expected and "'scope_ub' becomes 'scope_ubuf'" in titles, titles
    with open(ROOT + '/tests/lit/cli/inputs/fix.tik', encoding='utf-8') as f:
        text = f.read()
    for version in range(20, 30):
        c.change(URI, version, {'text': text})
        whole = {'start': {'line': 0, 'character': 0}, 'end': {'line': 0, 'character': 0}}
        actions = c.ask('textDocument/codeAction', {'textDocument': {'uri': URI}, 'range': whole, 'context': {'diagnostics': [], 'only': ['source.fixAll']}})
        if not actions:
            break
        text = apply(text, actions[0]['edit']['changes'][URI])
    assert text == expected
    assert c.end() == 0


# ---- several files ------------------------------------------------------------------------------------


def test_imports():
    """An imported file that is open counts as it is in the editor; its findings are shown in it; names lead there."""
    with tempfile.TemporaryDirectory() as folder:
        module = 'def fill(t, out, n):\n    """fills"""\n    t.data_move(out, out, 0, n, 64, 0, 0)\n\n\nLIMIT = 7\n'
        with open(folder + '/ops.py', 'w', encoding='utf-8') as f:
            f.write(module)
        main = HEAD + 'import ops\nfrom ops import fill as paint, LIMIT\nt.data_move(a, x, 0, 1, 64, 0, 0)\npaint(t, a, 1)\nops.fill(t, a, 1)\nprint(LIMIT)\n' + \
            '\n'.join(GOOD.splitlines()[-2:]) + '\n'
        uri, other = f'file://{folder}/k.tik', f'file://{folder}/ops.py'
        c = Client()
        c.open(uri, main)
        before = codes(c, uri)
        for part in ('fill as paint', 'paint(t', 'fill(t'):
            found = c.at('definition', uri, *place(main, part))
            assert [(l['uri'], l['range']['start']) for l in found] == [(other, {'line': 0, 'character': 4})], (part, found)
        assert c.at('definition', uri, *place(main, 'ops\n'))[0]['uri'] == other
        c.open(other, module)
        assert codes(c, other) == [], c.published
        c.change(other, 2, {'text': module.replace('0, n, 64', '0, 5000, 64')})
        assert codes(c, uri) == before and 'range-nburst' in codes(c, other), c.published
        c.change(other, 3, {'text': module.replace('n, 64', 'n, missing')})
        codes(c, uri)
        assert codes(c, other) == ['name-error'], c.published[other]
        c.tell('textDocument/didClose', {'textDocument': {'uri': other}})
        codes(c, uri)
        assert c.published[other]['diagnostics'] == [], c.published[other]
        assert c.end() == 0


# ---- names --------------------------------------------------------------------------------------------


def hover(c, text, part, add=0):
    line, character = place(text, part)
    found = c.at('hover', URI, line, character + add)
    return found['contents']['value'] if found else ''


def test_hover():
    text = HEAD + '''b = a[256:]
n = t.Scalar("int32", name="n", init_value=3)
k = t.InputScalar("int32", name="k")
t.data_move(a, x, 0, 1, 64, 0, 0)
with t.for_range(0, k) as i:
    t.data_move(y[i * 512], b, 0, 1, 32, 0, 0)
LANES = 128
t.BuildCCE(kernel_name="k", inputs=[x, k], outputs=[y])
'''
    c = opened(text)
    assert hover(c, text, 'a, x') == ('```python\na: float16 tensor (1024,) in UB\n```\n2048 bytes, addresses 0 to 2047 of UB\n\n'
                                      'Rules of this line: 12 proved, 0 checked at run time, 0 refuted\n'), hover(c, text, 'a, x')
    assert 'x: float16 tensor (1024,) in GM\n```\n2048 bytes, input of the kernel\n' in hover(c, text, 'x, 0')
    value = hover(c, text, 'b, 0')
    assert "b: float16 tensor (768,) in UB, from byte 512 of 'a'\n```\n2048 bytes" in value, value
    assert '11 proved, 1 checked at run time, 0 refuted\n- checked at run time: `tensor-overflow` of dst' in value, value
    assert hover(c, text, 'i * 5').startswith('```python\ni: int32 Expr: i\n```')
    assert 'n: int32 Scalar' in hover(c, text, 'n = t.Sc')
    assert hover(c, text, 'LANES') == '```python\nLANES: int: 128\n```\n'
    value = hover(c, text, 'data_move(a')
    assert 'data_move(dst, src, sid, nburst, burst, src_stride, dst_stride, PadMode=0 or ConvReluMode)\n```\ncopies nburst bursts' in value, value
    assert hover(c, text, 'scope_ubuf') == 'UB: 262144 bytes on Ascend310P3\n', hover(c, text, 'scope_ubuf')
    assert hover(c, text, '"float16"', 3) == '' and hover(c, text, '= a[') == ''
    c.change(URI, 2, {'text': text.replace('x, 0, 1', 'x, 0, 5000')})
    assert '11 proved, 0 checked at run time, 1 refuted\n- refuted: `range-nburst` of nburst' in hover(c, text, 'a, x'), hover(c, text, 'a, x')
    # While the text is no program, names keep what they were.
    c.change(URI, 3, {'text': text.replace('LANES = 128', 'LANES = (')})
    assert hover(c, text, 'a, x') == '```python\na: float16 tensor (1024,) in UB\n```\n2048 bytes, addresses 0 to 2047 of UB\n'
    assert c.end() == 0


def labels(c, text, part, add=0):
    line, character = place(text, part)
    return [i['label'] for i in sorted(c.at('completion', URI, line, character + add)['items'], key=lambda i: i['sortText'])]


def typed(c, line, version=[1]):
    """Labels and signatures at the end of a line that is put into the kernel, where its mark | is."""
    version[0] += 1
    at = line.index('|')
    text = HEAD + line.replace('|', '') + '\n' + '\n'.join(GOOD.splitlines()[6:]) + '\n'
    c.change(URI, version[0], {'text': text})
    items = c.at('completion', URI, 6, at)['items']
    return [i['label'] for i in sorted(items, key=lambda i: i['sortText'])], c.at('signatureHelp', URI, 6, at)


def test_completion():
    c = opened(GOOD)
    codes(c)
    names, _ = typed(c, 't.|')
    with open(ROOT + '/docs/instructions.md', encoding='utf-8') as f:
        page = f.read()
    assert {'data_move', 'vec_add', 'for_range', 'BuildCCE', 'vmla'} <= set(names) and len(names) > 200
    assert all(f'`{n}' in page or f'{n}(' in page for n in names), [n for n in names if f'`{n}' not in page and f'{n}(' not in page]
    assert {'reshape', 'reinterpret_cast_to'} <= set(typed(c, 'a.|')[0]) and 'data_move' not in typed(c, 'a.|')[0]
    assert {'scope_ubuf', 'Tik', 'BlockMode', 'DataCopyParams'} <= set(typed(c, 'tik.|')[0])
    assert typed(c, 'p = tik.BlockMode.|')[0] == ['DEPTHWISE', 'MATRIX', 'NORMAL', 'SMALL_CHANNEL', 'VECTOR']
    names, help_ = typed(c, 't.vec_add(128, |')
    assert names[:3] == ['a', 'x', 'y'] and 'dst=' in names and 'mask=' not in names, names
    assert help_['signatures'][0]['label'].startswith('vec_add(mask, dst, src0, src1, repeat_times') and help_['activeParameter'] == 1, help_
    names, help_ = typed(c, 't.vec_add(mask=128, repeat_times=(1 + 2), src1=|')
    assert help_['activeParameter'] == 3 and names[:3] == ['a', 'x', 'y'], help_
    names, _ = typed(c, 't.vec_add(mask=128, |')
    assert 'mask=' not in names and 'src0=' in names
    names, help_ = typed(c, 'z = t.Tensor("|')
    assert {'float16', 'int32', 'bfloat16'} <= set(names) and help_['activeParameter'] == 0, names
    assert 'tik.scope_ubuf' in typed(c, 'z = t.Tensor("float16", (128,), scope=|')[0]
    assert {'"round"', '"floor"'} <= set(typed(c, 't.vec_conv(64, |')[0])
    assert typed(c, '# t.|') == ([], None)
    assert typed(c, 'print("t.|')[0] == []
    assert {'t', 'tik', 'x', 'a'} <= set(typed(c, '|')[0])
    # a list inside of a call, and a call inside of another one
    _, help_ = typed(c, 't.BuildCCE(kernel_name="k", inputs=[x, |')
    assert help_['signatures'][0]['label'].startswith('BuildCCE(kernel_name, inputs, outputs') and help_['activeParameter'] == 1, help_
    assert c.end() == 0


def test_names():
    text = '''from tbe import tik
n = 3


def f(n, m=n):
    k = n + m
    return [n for n in range(k)] + [n]


class C:
    size = n

    def get(self):
        return self.size + n


def g():
    global n
    n = 4
    return lambda m: m + n


print(f(n), C().get())
with open("x") as n:
    pass
'''
    c = opened(text)
    def uses(part, add=0):
        line, character = place(text, part)
        found = c.at('references', URI, line, character + add, context={'includeDeclaration': True})
        return sorted((l['range']['start']['line'] + 1, l['range']['start']['character']) for l in found)
    module = [(2, 0), (5, 11), (11, 11), (14, 27), (18, 11), (19, 4), (20, 25), (23, 8), (24, 18)]
    assert uses('n = 3') == module and uses('n = 4') == module, (uses('n = 3'), uses('n = 4'))
    assert uses('n, m') == [(5, 6), (6, 8), (7, 36)], uses('n, m')
    assert uses('n for') == [(7, 12), (7, 18)], uses('n for')
    assert uses('m: m') == [(20, 18), (20, 21)]
    assert uses('size') == [(11, 4)], uses('size')
    def rename(part, name='other'):
        line, character = place(text, part)
        return c.request('textDocument/rename', {'textDocument': {'uri': URI}, 'position': {'line': line, 'character': character}, 'newName': name})
    edits = rename('k = n')['result']['changes'][URI]
    assert apply(text, edits) == text.replace('k = n', 'other = n').replace('range(k)', 'range(other)')
    assert rename('print')['error']['code'] == -32803 and rename('size')['error']['code'] == -32803
    assert rename('n = 3', '4x')['error']['code'] == -32602
    line, character = place(text, 'get()')
    found = c.at('definition', URI, line, character)
    assert [l['range']['start'] for l in found] == [{'line': 12, 'character': 8}], found
    outline = c.ask('textDocument/documentSymbol', {'textDocument': {'uri': URI}})
    assert [(s['name'], s['kind'], [m['name'] for m in s['children']]) for s in outline] == [('f', 12, []), ('C', 5, ['get']), ('g', 12, [])], outline
    assert c.end() == 0


def test_attributes():
    """Objects of the program: self.x is known by what was put there."""
    text = HEAD + '''

class Op:
    def __init__(self, t):
        self.inner = t
        self.room = t.Tensor("float16", (64,), name="room", scope=tik.scope_ubuf)

    def run(self):
        self.inner.vec_dup(64, self.room, 1.0, 1, 8)


Op(t).run()
t.data_move(a, x, 0, 1, 64, 0, 0)
t.data_move(y, a, 0, 1, 64, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])
'''
    c = opened(text)
    assert 'room: float16 tensor (64,) in UB' in hover(c, text, 'room, 1.0')
    assert 'vec_dup(mask, dst, scalar' in hover(c, text, 'vec_dup(64')
    line, character = place(text, 'room, 1.0')
    found = c.at('definition', URI, line, character)
    assert [l['range']['start'] for l in found] == [dict(zip(('line', 'character'), place(text, 'room = t')))], found
    at = place(text, '.inner.vec')
    assert {'inner', 'room'} <= set(labels(c, text, '.inner.vec', 1)), at
    assert 'vec_add' in labels(c, text, '.vec_dup(64', 1)
    assert c.end() == 0


def main():
    return run(all_of(globals()))


if __name__ == '__main__':
    sys.exit(main())
