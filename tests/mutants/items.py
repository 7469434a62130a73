"""What can notice a mutant: test programs, golden cases, lit tests, kernels, random programs, each with the mutants that it reaches.

Before the first mutant each item runs once without any. It leaves which mutants it reached (reach/ in the build), how long it took, and of
which file it was, so that an item that did not change is not recorded again. Of a mutant then only those run that reach it, the one that
is most likely to fail for its time first: what reaches little, what was quick, what has noticed others of the same file, and what has its name.
What ran and did not notice it is kept in passed.txt, so that it does not run again until it changes."""
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

from sites import ROOT

LIT = '/usr/lib/llvm-19/build/utils/lit/lit.py'
sys.path.append(os.path.dirname(LIT))
from reaching import file_of  # noqa: E402

BATCH = 4.0  # seconds of lit tests that one process of lit runs
CPU_SECONDS = 10  # of one process, more than five times what the item took without a mutant: what does not end is noticed
MEMORY = 8 << 30
SHORT = {'TIKC_PROGRAMS': '40', 'TIKC_VECTORS': '40', 'TIKC_CUBES': '30', 'TIKC_MOVES': '40', 'TIKC_SLICES': '40', 'TIKC_CHAINS': '60',
         'RULES_COUNT': '500', 'TIKC_KERNELS': '15', 'TIKC_PACKS': '20', 'TIKC_IMAGES': '15'}
CROSS = ('samples_vs_numpy', 'conformance_blobs', 'footprints', 'profile', 'examples', 'programs', 'blob_tools')  # those that are quick
KINDS = ('unit', 'golden', 'lit', 'kernel', 'cross', 'random')
RECORDED = 20  # lit tests that are recorded by one process, so that a run that is stopped goes on from there
FULL = ('cross', 'tables', 'proofs', 'python')


class Item:
    """One process that fails when something is wrong, or one lit test."""

    def __init__(self, name, path, command, env=None):
        self.name, self.path, self.command, self.env = name, path, command, env or {}
        self.seconds, self.reached, self.breadth, self.ok, self.stamp = 0.0, b'', 1, True, ''

    def lit(self):
        return self.command is None


def scripts(folder, names, env):
    for n in names:
        path = f'tests/{folder}/{n}.py'
        yield Item(f'{folder} {n}', path, [sys.executable, path], env)


def programs(tree, folder):
    return sorted(os.path.basename(p)[:-3] for p in glob.glob(f'{tree}/tests/{folder}/*.py') if 'def main' in open(p, encoding='utf-8').read())


def choices(tree):
    """The programs of each uncertain point that has several readings: all of them together take longer than a mutant may."""
    with open(f'{tree}/runtime/isa/choice.def', encoding='utf-8') as f:
        text = f.read()
    several = set(re.findall(r'^READING\((\w+), [1-9]', text, re.M))
    path = 'tests/random/choices.py'
    for point, number in re.findall(r'^CHOICE\((\w+), "(\w+)"', text, re.M):
        if point in several:
            yield Item(f'random choices {number}', path, [sys.executable, path, '--match', number + '='], SHORT)


def all_items(tree, full):
    """Those of the tree; with full also what takes minutes each."""
    for path in sorted(glob.glob(f'{tree}/build/unit/test_*')):
        name = os.path.basename(path)
        if '.' not in name:
            yield Item('unit ' + name, f'tests/unit/{name}.c', [path])
    yield from scripts('golden', ['run_golden'], {})
    found = [f for ending in ('tik', 'ir', 'test') for f in glob.glob(f'{tree}/tests/lit/**/*.{ending}', recursive=True)]
    for path in sorted(f for f in found if '/inputs/' not in f and '/expected/' not in f):
        yield Item('lit ' + os.path.relpath(path, tree + '/tests/lit'), os.path.relpath(path, tree), None)
    for path in sorted(glob.glob(f'{tree}/tests/cross/kernels/*.*')):
        name = os.path.relpath(path, tree)
        yield Item('kernel ' + os.path.basename(path), name, [sys.executable, 'tests/cross/kernels_on_both.py', name])
    yield from scripts('cross', CROSS, {})
    yield from scripts('random', programs(tree, 'random'), SHORT)
    yield from choices(tree)
    for folder in FULL if full else ():
        yield from scripts(folder, [n for n in programs(tree, folder) if n not in CROSS], {})


class Passed:
    """Which items did not notice which mutant, kept in a file."""

    def __init__(self, path, again):
        self.path, self.known = path, set()
        if os.path.exists(path) and not again:
            with open(path, encoding='utf-8') as f:
                self.known = set(f.read().split('\n'))

    @staticmethod
    def line(digest, item):
        return f'{digest} {item.stamp} {item.name}'

    def add(self, digest, items):
        lines = [self.line(digest, i) for i in items]
        self.known.update(lines)
        with open(self.path, 'a', encoding='utf-8') as f:
            f.write(''.join(line + '\n' for line in lines))

    def has(self, digest, item):
        return self.line(digest, item) in self.known


class Items:
    def __init__(self, folder, full, kinds, jobs=1, again=False):
        self.folder, self.build, self.records, self.jobs = folder, f'{folder}/build', f'{folder}/reach', jobs
        self.all, self.kills, self.work = [i for i in all_items(folder, full) if i.name.split()[0] in kinds], {}, threading.local()
        self.passed = Passed(f'{folder}/passed.txt', again)
        os.makedirs(self.records, exist_ok=True)
        for item in self.all:
            with open(os.path.join(ROOT, item.path), 'rb') as f:
                item.stamp = hashlib.sha256(f.read()).hexdigest()[:16]

    # ---- running -----------------------------------------------------------------------------------------------------

    def run(self, command, seconds, env):
        """Whether it ends in time and well, and its time. seconds: of the longest process, without a mutant; and of all."""
        env = dict(os.environ, BUILD=self.build, TIKC=f'{self.build}/tikc', PYTHONDONTWRITEBYTECODE='1', LC_ALL='C.UTF-8', **env)
        cpu = int(CPU_SECONDS + 5 * seconds[0])
        limits = ['prlimit', f'--cpu={cpu}:{cpu + 1}', f'--as={MEMORY}', '--core=0', '--']
        p = subprocess.Popen(limits + command, cwd=self.folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        timer = threading.Timer(120 + 20 * seconds[1], os.killpg, (p.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(p.pid, 0)
        timer.cancel()
        p.returncode = status
        return status == 0, usage.ru_utime + usage.ru_stime

    def lit_command(self, tests, *more):
        work = f'{self.build}/lit-{threading.get_ident()}'  # two processes may run the same test
        return [sys.executable, LIT, '-j1', '-q', '-Dbuild=' + self.build, '-Dwork=' + work, *more, *(f'{self.folder}/{t.path}' for t in tests)]

    # ---- recording ---------------------------------------------------------------------------------------------------

    def known(self, item, key):
        """Takes what was recorded of it for the same mutants and the same file."""
        at = file_of(self.records, item.name)
        try:
            with open(at + '.json', encoding='utf-8') as f:
                r = json.load(f)
            if r['key'] != key or r['stamp'] != item.stamp:
                return False
            item.seconds, item.ok = r['seconds'], r['ok']
            with open(at, 'rb') as f:
                item.reached = f.read()
        except (OSError, ValueError, KeyError):
            return False
        item.breadth = max(1, sum(item.reached))
        return True

    def note(self, item, key, seconds, ok):
        at = file_of(self.records, item.name)
        if not os.path.exists(at):
            open(at, 'wb').close()
        with open(at + '.json', 'w', encoding='utf-8') as f:
            json.dump({'key': key, 'stamp': item.stamp, 'seconds': round(seconds, 3), 'ok': ok}, f)
        self.known(item, key)

    def forget(self, item):
        if os.path.exists(file_of(self.records, item.name)):
            os.remove(file_of(self.records, item.name))

    def record(self, key):
        """Runs what is not known yet; names those that fail without a mutant, which are left out."""
        new = [i for i in self.all if not self.known(i, key)]
        for item in new:
            self.forget(item)
        tests = [i for i in new if i.lit()]
        jobs = [(self.record_lit, tests[i:i + RECORDED]) for i in range(0, len(tests), RECORDED)]
        jobs += [(self.record_script, i) for i in new if not i.lit()]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for done in [pool.submit(f, what, key) for f, what in jobs]:
                done.result()
        for item in self.all:
            if not item.ok:
                print(f'{item.name}: fails without a mutant', file=sys.stderr)
        self.all = [i for i in self.all if i.ok]

    def record_script(self, item, key):
        ok, seconds = self.run(item.command, (600, 60), dict(item.env, TIK_REACH=file_of(self.records, item.name)))
        self.note(item, key, seconds, ok)

    def record_lit(self, tests, key):
        with tempfile.NamedTemporaryFile(suffix='.json') as f:
            self.run(self.lit_command(tests, '-o', f.name, f'-Dreach={self.records}'), (60, 600), {})
            results = {r['name']: r for r in json.load(open(f.name, encoding='utf-8'))['tests']}
        for t in tests:
            r = results['tikc :: ' + t.name[4:]]
            self.note(t, key, r['elapsed'] or 0, r['code'] in ('PASS', 'XFAIL', 'UNSUPPORTED'))

    # ---- mutants -----------------------------------------------------------------------------------------------------

    def credit(self, name, site):
        for k in ((name, site.path), name):
            self.kills[k] = self.kills.get(k, 0) + 1

    def order(self, number, site):
        """What may notice it, the most promising first."""
        able = [i for i in self.all if number < len(i.reached) and i.reached[number] and not self.passed.has(site.digest, i)]
        stem = re.split(r'[_.]', os.path.basename(site.path))[0]
        likely = lambda i: 1 + 20 * self.kills.get((i.name, site.path), 0) + self.kills.get(i.name, 0) + 20 * (stem in os.path.basename(i.path))
        return sorted(able, key=lambda i: (i.seconds + 0.1) * i.breadth ** 0.5 / likely(i))

    def batches(self, items):
        """Lists of items that one process runs: the first lit tests few, as they are the likely ones."""
        tests, seconds, most = [], 0.0, BATCH / 4
        for i in items:
            if not i.lit():
                yield [i]
            else:
                tests.append(i)
                seconds += i.seconds
                if seconds > most:
                    yield tests
                    tests, seconds, most = [], 0.0, BATCH
        if tests:
            yield tests

    def fails(self, batch, number):
        """The first item of a batch that fails with the mutant."""
        longest, env = max(i.seconds for i in batch), {'TIK_MUTANT': str(number)}
        if not batch[0].lit():
            return None if self.run(batch[0].command, (longest, longest), dict(batch[0].env, **env))[0] else batch[0]
        total = sum(i.seconds for i in batch)
        with tempfile.NamedTemporaryFile(suffix='.json') as f:
            ok, _ = self.run(self.lit_command(batch, '--max-failures=1', '-o', f.name), (longest, total), env)
            if ok:
                return None
            text = open(f.name, encoding='utf-8').read()
        bad = re.search(r'"code": "(?:FAIL|XPASS|TIMEOUT|UNRESOLVED)".*?"name": "tikc :: ([^"]*)"', text, re.S)
        return next((i for i in batch if bad and i.name == 'lit ' + bad[1]), batch[0])

    def noticed(self, number, site, seconds):
        """(what came of it, by what): 'killed' and the name of an item; 'survived', if no item is left that reaches it; 'time', if those
        that are left take more than the seconds. The number of items that reach it stands for a name then."""
        begin = self.order(number, site)
        for batch in self.batches(begin):
            seconds -= sum(i.seconds for i in batch)
            if seconds < 0:
                return 'time', f'{len(self.order(number, site))} left'
            item = self.fails(batch, number)
            if item:
                self.credit(item.name, site)
                return 'killed', item.name
            self.passed.add(site.digest, batch)
        return 'survived', f'{sum(bool(i.reached[number:number + 1].strip(bytes(1))) for i in self.all)} reach it'
