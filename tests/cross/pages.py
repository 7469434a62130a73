#!/usr/bin/python3
"""Pages of HTML that commands write: what is in them is what other forms of the output say, nothing is loaded from elsewhere, whatever a
program is named or contains stays text, and their scripts run without a fault in a browser, at two widths, in light and dark."""
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, 'tools')]
from browser import Browser  # noqa: E402
from page_parts import Parts  # noqa: E402
from paths import ROOT, TIKC  # noqa: E402

LONG = '''from tbe import tik
t = tik.Tik()
x = t.Tensor("float16", (8, 4096), name="x", scope=tik.scope_gm)
y = t.Tensor("float16", (8, 4096), name="y", scope=tik.scope_gm)
with t.for_range(0, 8, block_num=8) as core:
    with t.for_range(0, 2500, thread_num=2) as i:
        a = t.Tensor("float16", (4096,), name="a", scope=tik.scope_ubuf)
        t.data_move(a, x[core, 0], 0, 1, 256, 0, 0)
        for _ in range(4):
            t.vec_exp(128, a, a, 32, 8, 8)
        t.data_move(y[core, 0], a, 0, 1, 256, 0, 0)
t.BuildCCE(kernel_name="long", inputs=[x], outputs=[y])
'''
EMPTY = '''from tbe import tik
t = tik.Tik()
x = t.Tensor("float16", (128,), name="x", scope=tik.scope_gm)
t.BuildCCE(kernel_name="empty", inputs=[x], outputs=[])
'''
EVIL = '</script><script>document.documentElement.dataset.broken="1"</script><!--<script>'
HOSTILE = f'''# {EVIL} \u2028 ]]> &lt; "quoted" 'single' \\u003c {{{{data}}}}
from tbe import tik
t = tik.Tik()
x = t.Tensor("float16", (128,), name="x", scope=tik.scope_gm)
a = t.Tensor("float16", (128,), name="a", scope=tik.scope_ubuf)
t.data_move(a, x, 0, 1, 8, 0, 0)
t.data_move(x, a, 0, 1, 8, 0, 0)
t.BuildCCE(kernel_name="hostile", inputs=[x], outputs=[])
'''
IMAGE = "<img src=x onerror='document.documentElement.dataset.broken=2'>"
HOSTILE_NAME = '<b onclick=x>&amp;"\'.tik'
MOST_BYTES = 8 << 20


def tikc(*args, cwd=ROOT):
    p = subprocess.run([TIKC, *args], capture_output=True, cwd=cwd)
    assert p.returncode == 0, (args, p.stderr[-500:])
    return p.stdout.decode()


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path


def read(path):
    with open(path, encoding='utf-8', newline='') as f:
        return f.read()


def check_alone(parts, text):
    """The page needs nothing, and its policy allows its own styles and scripts and no others."""
    assert not parts.loads, parts.loads
    assert not re.search(r'https?:|//[a-z]+\.|@import|url\(', re.sub(r'<script type="application/json".*?</script>', '', text, flags=re.S))
    hashes = {m for m in re.findall(r"'sha256-([^']+)'", parts.policy)}
    for code in parts.scripts:
        assert base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() in hashes
    assert parts.policy.startswith("default-src 'none'") and 'unsafe' not in parts.policy


def spans(flat, step):
    assert len(flat) % step == 0, (len(flat), step)
    return [flat[i:i + step] for i in range(0, len(flat), step)]


def check_queues(data):
    """What the lanes and rows of the page sum up to is what the profile says, joined or not."""
    profile, step = data['profile'], 9 if data['grain'] else 5
    names = list(profile['queues'])
    for i, name in enumerate(names):
        queue, lanes = profile['queues'][name], [q for c in data['cores'] for q in c['queues'] if q['queue'] == i]
        found = [s for lane in lanes for s in spans(lane['spans'], step)]
        busy = sum(s[6] if data['grain'] else s[1] for s in found)
        waited = sum(s[3] + (s[7] if data['grain'] else 0) for s in found)
        assert i == 0 or busy == queue['busy'] == sum(r[7] for r in data['rows'] if r[2] == i), name
        assert waited == sum(queue['waits'].values()) == sum(r[8] for r in data['rows'] if r[2] == i), name
        count = sum(s[5] for s in found) if data['grain'] else len(found)
        assert i == 0 or count == queue['instructions'] == sum(r[6] for r in data['rows'] if r[2] == i), name
        for lane in lanes:
            end = 0
            for s in spans(lane['spans'], step):
                assert s[0] >= 0 and s[3] <= s[0] and s[2] < len(data['rows']), (name, s)
                end += s[0] + s[1]
            assert end <= profile['clocks']
    assert sum(r[9] for r in data['rows']) == sum(m['bytes'] for m in profile['moved'])
    assert data['waits'][:len(names)] == names


def check_places(data):
    """Contents of buffers are inside of their buffers and of the run; one part's follow each other."""
    count = 0
    for core in data['cores']:
        for p in core['places']:
            r = data['regions'][p['region']]
            assert r['address'] <= p['lo'] < p['hi'] <= r['address'] + r['bytes'], (p['lo'], p['hi'], r)
            end = 0
            for s in spans(p['spans'], 5):
                assert s[1] >= 0 and s[3] >= 1
                end += s[0] + s[1]
                count += 1
            assert end <= data['profile']['clocks']
    return count


def profile_page(folder, source, *args, cwd=ROOT):
    path = os.path.join(folder, 'page.html')
    screen = tikc('profile', source, '--html', path, *args, cwd=cwd)
    text = read(path)
    parts = Parts(text)
    assert tikc('profile', source, '--html', path, *args, cwd=cwd) == screen and read(path) == text   # the same bytes
    check_alone(parts, text)
    assert parts.texts['text'] == screen and len(text) < MOST_BYTES
    objects = [json.loads(line) for line in tikc('profile', source, '--format', 'json', *args, cwd=cwd).split('\n') if line]
    assert [o for o in objects if 'clocks' in o] == [parts.data['profile']]
    check_queues(parts.data)
    return path, parts.data, check_places(parts.data)


def open_page(browser, path, **how):
    page = browser.open('file://' + path, **how)
    page.wait('document.documentElement.dataset.ready || document.documentElement.dataset.error')
    complaints = [page.value('document.documentElement.dataset.error'), *page.complaints()]
    assert complaints == [None], complaints
    return page


def attribute(page, name, key):
    return page.value(f'document.getElementById("{name}").dataset.{key}')


def count(page, selector):
    return page.value(f'document.querySelectorAll({json.dumps(selector)}).length')


def check_softmax(browser, folder):
    path, data, contents = profile_page(folder, 'samples/softmax.tik')
    assert data['grain'] == 0 and data['events'] == 576 and len(data['cores']) == 8 and contents > 8 * 8
    assert data['files'][0]['text'] == read(os.path.join(ROOT, 'samples/softmax.tik'))
    page = open_page(browser, path)
    assert page.value('document.getElementById("title").textContent') == 'softmax'
    assert count(page, '.use canvas') == 4 and count(page, '#hot tbody tr') == len([r for r in data['rows'] if r[7] or r[8]])
    assert count(page, '.source tbody tr') == data['files'][0]['text'].count('\n')
    lanes = data['cores'][0]['queues']
    assert int(attribute(page, 'lanes', 'drawn')) == sum(len(q['spans']) // 5 for q in lanes)
    assert int(attribute(page, 'lanes', 'arrows')) == sum(a == 0 for a in data['arrows'][::6])
    check_keys(page)
    check_pointer(page)
    page.picture(os.path.join(folder, 'light.png'))
    page.media(dark=True)
    assert page.value('getComputedStyle(document.body).backgroundColor') == 'rgb(22, 24, 27)'
    page.picture(os.path.join(folder, 'dark.png'))
    assert page.complaints() == []
    with open(os.path.join(folder, 'light.png'), 'rb') as a, open(os.path.join(folder, 'dark.png'), 'rb') as b:
        assert a.read() != b.read()


def check_keys(page):
    page.value('document.getElementById("lanes").focus()')
    label = lambda: page.value('document.getElementById("lanes").getAttribute("aria-label")')
    views = [label()]
    for key in ('+', 'ArrowRight', 'End', 'Home', 'ArrowDown', '0'):
        page.key(key)
        views.append(label())
    assert views[0] == views[-1] and len(set(views[:5])) == 5, views
    page.key('n')
    first = page.value('document.getElementById("details").textContent')
    page.key('n')
    assert first.startswith('S of core 0: load') and page.value('document.getElementById("details").textContent') != first, first
    page.key('Escape')
    assert page.value('document.getElementById("details").textContent') == ''


def check_pointer(page):
    """Over the first move: what it is, and where; a click keeps it, with a link to its line."""
    x, y = page.value('(r => [r.x + 160, r.y + 4 + 26 * 2 + 13])(document.getElementById("lanes").getBoundingClientRect())')
    page.mouse('mouseMoved', x, y)
    tip = page.value('document.getElementById("tip").textContent')
    assert tip.startswith('MTE2 of core 0: data_move\nsamples/softmax.tik:22:5\nclocks '), tip
    page.click(x, y)
    assert page.value('document.querySelector("#details a").getAttribute("href")') == '#l0-22'
    page.value('document.querySelector("#details a").click()')
    assert page.value('document.querySelector("tr.target").textContent').startswith('22')


def check_narrow(browser, folder):
    for source, lanes in (('samples/matmul_f16.tik', 5), ('samples/scale.tik', 3), ('samples/flags_in_turn.tik', 3)):
        path, _, _ = profile_page(folder, source)
        page = open_page(browser, path, width=400)
        assert page.size()['width'] == 400 and int(attribute(page, 'map', 'drawn')) > 0
        assert page.value('document.getElementById("lanes").getAttribute("aria-label")').startswith('timeline of %d queues' % lanes)
        page.close()


def check_flags(browser, folder):
    """Queues that flags order: each pair of flags is an arrow with its id, and none begins after it ends."""
    _, data, _ = profile_page(folder, 'samples/softmax.tik', '--sync', 'auto')
    all_of = spans(data['arrows'], 6)
    assert all(a[3] >= 0 and a[4] <= a[5] <= data['profile']['clocks'] for a in all_of) and len(all_of) == data['all_arrows']
    path, data, _ = profile_page(folder, 'samples/flags_in_turn.tik')
    assert {a[3] for a in spans(data['arrows'], 6)} == {0, 1} and len(data['arrows']) == 6 * 4 * (16 + 1)
    page = open_page(browser, path)
    assert int(attribute(page, 'lanes', 'arrows')) == 68
    page.value('document.getElementById("arrows").click()')
    assert int(attribute(page, 'lanes', 'arrows')) == 0


def check_long(browser, folder):
    """More instructions than a page keeps: neighbours are joined, sums stay, and it says so."""
    path, data, _ = profile_page(folder, write(folder, 'long.tik', LONG))
    assert data['events'] == 8 * 2500 * 6 and data['grain'] > 0 and data['spans'] <= 100000 and data['all_arrows'] * 6 > len(data['arrows'])
    page = open_page(browser, path)
    text = page.value('document.getElementById("kept").textContent')
    assert 'Of 120,000 instructions the page has ' in text and 'within %d clocks' % data['grain'] in text and 'arrows it has the first' in text, text
    page.value('document.getElementById("lanes").focus()')
    for _ in range(14):
        page.key('+')
    assert 0 < int(attribute(page, 'lanes', 'drawn')) < 100 and page.complaints() == []


def check_empty(browser, folder):
    path, data, _ = profile_page(folder, write(folder, 'empty.tik', EMPTY))
    assert data['events'] == 0 and data['cores'] == []
    page = open_page(browser, path)
    assert 'No queue has an instruction' in page.value('document.body.innerText') and 'Nothing was moved' in page.value('document.body.innerText')


def check_blob(browser, folder):
    """Of a blob the page has places without texts; of a stripped one numbers of descriptors."""
    blob = os.path.join(folder, 'k.tkb')
    tikc('build', 'samples/scale.tik', '-o', blob)
    path, data, _ = profile_page(folder, blob)
    assert data['files'] == [{'path': 'samples/scale.tik'}]
    page = open_page(browser, path)
    assert 'its text is not known here' in page.value('document.getElementById("sources").textContent')
    assert count(page, '#hot a') == 0 and 'samples/scale.tik:13:1' in page.value('document.getElementById("hot").textContent')
    tikc('strip', blob)
    path, data, _ = profile_page(folder, blob)
    assert data['files'] == [] and sorted(r[1] for r in data['rows']) == [0, 1, 2, 3]
    assert 'descriptor 3' in open_page(browser, path).value('document.getElementById("hot").textContent')


def check_hostile(browser, folder):
    """Sources, their names, and the names in a blob that nobody compiled."""
    write(folder, HOSTILE_NAME, HOSTILE)
    path, data, _ = profile_page(folder, HOSTILE_NAME, cwd=folder)
    assert data['files'][0] == {'path': HOSTILE_NAME, 'bytes': len(HOSTILE.encode()), 'text': HOSTILE}
    page = open_page(browser, path)
    assert page.value('document.querySelector(".source tbody tr td:last-child").textContent') == HOSTILE.split('\n')[0]
    assert page.value('document.documentElement.dataset.broken') is None and count(page, 'img, b') == 0
    blob = os.path.join(folder, 'k.tkb')
    tikc('build', 'samples/scale.tik', '-o', blob)
    text = tikc('disasm', blob).replace('"x_ub"', '"%s"' % IMAGE).replace('kernel "scale"', 'kernel "%s"' % EVIL.replace('"', "'"))
    tikc('asm', write(folder, 'k.asm', text), '-o', blob)
    path, data, _ = profile_page(folder, blob)
    assert data['regions'][0]['name'] == IMAGE and data['profile']['kernel'] == EVIL.replace('"', "'")
    page = open_page(browser, path)
    assert page.value('document.documentElement.dataset.broken') is None and count(page, 'img, b') == 0
    assert page.value('document.getElementById("title").textContent') == EVIL.replace('"', "'")
    assert IMAGE in page.value('document.getElementById("regions").textContent')


def listing_page(folder, source, *args, cwd=ROOT):
    """The IR is that of --emit ir, the bytes are those of dump, the places those of disasm; the same program gives the same bytes."""
    path, blob = os.path.join(folder, 'page.html'), os.path.join(folder, 'k.tkb')
    tikc('build', source, '--emit', 'html', '-o', path, *args, cwd=cwd)
    text = read(path)
    assert tikc('build', source, '--emit', 'html', *args, cwd=cwd) == text
    parts = Parts(text)
    check_alone(parts, text)
    tikc('build', source, '-o', blob, *args, cwd=cwd)
    ir = tikc('build', source, '--emit', 'ir', *args, cwd=cwd)
    fields = [f for f in json.loads(tikc('dump', blob, '--format', 'json'))['fields'] if f['part'] == 'CODE' and f['name'] == 'descriptor']
    kernels = parts.data['kernels']
    shown = [d for k in kernels for d in k['descriptors']]
    assert parts.texts['text'] == ir == ''.join(line[2] + '\n' for k in kernels for line in k['after'])
    assert [(d[3], d[4], d[5]) for d in shown] == [(f['offset'], f['bytes'], f['value']) for f in fields]
    code = [d for k in json.loads(tikc('disasm', blob, '--format', 'json'))['kernels'] for d in k['code']]
    files = [f['path'] for f in parts.data['files']]
    assert [(files[d[0]], d[1], d[2]) for d in shown] == [(c['source'], c['line'], c.get('queue', '')) for c in code]
    return path, parts.data


def check_ir_places(data):
    """A line of IR has the place of the call that it is named after."""
    for k in data['kernels']:
        for stage in ('before', 'after'):
            for file, line, text in k[stage]:
                name = re.match(r' *(data_move|vec_\w+|mmad)\b', text)
                if name:
                    source = data['files'][file]['text'].split('\n')[line - 1]
                    assert name.group(1) in source, (text, source)


def check_listing(browser, folder):
    path, data = listing_page(folder, 'samples/softmax.tik')
    check_ir_places(data)
    assert [line for line in data['kernels'][0]['after'] if '[proved]' in line[2]] and not [line for line in data['kernels'][0]['before'] if '[proved]' in line[2]]
    page = open_page(browser, path)
    rows = lambda which: page.value(f'[...document.querySelectorAll("{which}")].map(e => e.textContent)')
    assert len(rows('#ir .row')) == len(data['kernels'][0]['after']) and len(rows('#code .row')) == len(data['kernels'][0]['descriptors'])
    page.value('[...document.querySelectorAll("#source .made")].find(e => e.textContent.startsWith("24")).click()')
    pinned = rows('.pin')
    assert [p.strip() for p in pinned] == ['24    scalar.set_as(result[0])', '$scalar = load %result+0:float32 [proved]', '4  r1 = load float32[result, 0, 32*r0]'], pinned
    assert 'samples/softmax.tik:24 became 1 line of IR and 1 descriptor of 16 bytes, at byte ' in page.value('document.getElementById("details").textContent')
    page.value('document.getElementById("code").focus()')
    page.key('ArrowDown')
    assert [p.split()[0] for p in rows('#code .pin, #source .pin')] == ['25', '5'], rows('.pin')
    x, y = page.value('(r => [r.x + 40, r.y + 9])(document.querySelectorAll("#code .row")[2].getBoundingClientRect())')
    page.mouse('mouseMoved', x, y)
    assert [p.split()[0][:2] for p in rows('#source .mark')] == ['22'] and len(rows('#ir .mark')) == 1
    page.key('Escape')
    assert rows('.pin') == []
    choose = lambda name, value: page.value(f'(e => {{ e.value = "{value}"; e.dispatchEvent(new Event("change")); }})(document.getElementById("{name}"))')
    choose('stage', 'before')
    assert rows('#ir .row') == [line[2] for line in data['kernels'][0]['before']]
    choose('form', 'bytes')
    assert rows('#code .bytes')[4].replace(' ', '') == data['kernels'][0]['descriptors'][4][4]
    assert page.complaints() == []


UNROLLED = '''from tbe import tik
t = tik.Tik()
x = t.Tensor("float16", (128,), name="x", scope=tik.scope_gm)
a = t.Tensor("float16", (128,), name="a", scope=tik.scope_ubuf)
for _ in range(21000):
    t.data_move(a, x, 0, 1, 8, 0, 0)
t.BuildCCE(kernel_name="unrolled", inputs=[x], outputs=[])
'''


def check_long_listing(browser, folder):
    """What has no room is counted, and each column has its own room."""
    path = os.path.join(folder, 'page.html')
    tikc('build', write(folder, 'unrolled.tik', UNROLLED), '--emit', 'html', '-o', path)
    kernel, = Parts(read(path)).data['kernels']
    assert [len(kernel[k]) for k in ('before', 'after', 'descriptors')] == [10000, 10000, 20000]
    assert kernel['descriptors_left'] == 1000 and kernel['after_left'] > 11000
    page = open_page(browser, path)
    page.value('document.querySelector("#source .made").click()')
    assert 'at least' in page.value('document.getElementById("details").textContent')
    assert page.value('document.getElementById("left").textContent').endswith(' and 1,000 descriptors more are not in the page.')


def check_listings(browser, folder):
    """Several kernels; places in a module; names that are markup; a narrow window."""
    path, data = listing_page(folder, 'samples/add_tiled.tik')
    assert [k['name'] for k in data['kernels']] == ['add_float16', 'add_float32']
    page = open_page(browser, path, width=400, dark=True)
    assert page.size()['width'] == 400
    page.value('(e => { e.value = "1"; e.dispatchEvent(new Event("change")); })(document.getElementById("kernel"))')
    assert page.value('document.getElementById("ir").textContent').startswith('kernel add_float32 ')
    write(folder, 'part.py', 'def fill(t, out, a):\n    t.vec_dup(128, a, 1.5, 1, 8)\n    t.data_move(out, a, 0, 1, 8, 0, 0)\n')
    write(folder, HOSTILE_NAME, HOSTILE.replace('t.data_move(x, a,', 'import part\npart.fill(t, x, a)\nt.data_move(x, a,'))
    path, data = listing_page(folder, HOSTILE_NAME, cwd=folder)
    assert [os.path.basename(f['path']) for f in data['files']] == [HOSTILE_NAME, 'part.py'] and 'vec_dup' in data['files'][1]['text']
    page = open_page(browser, path)
    assert page.value('document.documentElement.dataset.broken') is None and count(page, 'img, b') == 0
    assert page.value('document.getElementById("title").textContent') == HOSTILE_NAME
    assert HOSTILE.split('\n')[0] in page.value('document.getElementById("source").textContent')


def main():
    passed = failed = 0
    checks = [check_softmax, check_narrow, check_flags, check_long, check_empty, check_blob, check_hostile, check_listing, check_listings, check_long_listing]
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        for check in checks:
            try:
                check(browser, folder)
                passed += 1
            except (AssertionError, RuntimeError, ValueError, KeyError, IndexError) as e:
                failed += 1
                at = e.__traceback__
                while at.tb_next:
                    at = at.tb_next
                print(check.__name__, at.tb_lineno, repr(e)[:2000])
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
