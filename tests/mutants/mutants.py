#!/usr/bin/python3
"""Mutation testing: small changes of the sources, each of which some test must notice.

usage: tests/mutants/mutants.py [--count N] [--seed S] [--rooms NAME,...] [--build DIR] [--list] [--only N,...] [--names NAME,...] [--kinds KIND,...] [--seconds N] [--jobs N] [--full] [--again]

Expressions and statements are drawn from the rooms (sites.py), from each the same number, each line of a room with the same chance. All of
them become switches of one build in a copy of the tree: with TIK_MUTANT=N the N-th has its other form. So a mutant costs no compiling,
only the tests that reach it (items.py), the most promising first, until one fails. A test reaches a mutant if it evaluates the place; of
two operands that are both evaluated, if the two forms have different values there. What does not end under a mutant has noticed it.

A mutant is 'killed'; or 'survived' all that reach it; or 'out of time', when those that reach it and have not run yet take more than
--seconds without a mutant: that counts as survived. --kinds names what may notice them; --full has the whole suite.

Mutants of tests/mutants/equivalent.txt were read and make no difference: a line each with the name that this script prints, then the reason.
Verdicts are kept in the build (verdicts.txt; passed.txt: what ran and did not notice), so a run that was stopped, or with more --seconds, or
with more tests, goes on; --again tries all anew. Rooms take turns, so a run that is stopped has tried about as many of each. --names tries
the mutants with these names, whatever is drawn. Ends with a table by room and 'N mutants: ...'; the exit code is 1 if fewer than 97 % of
those that are not equivalent were killed. `make mutants MUTANTS=N SEED=S` runs it; it is not part of the suite.
What the last run found, and how it was run, is in docs/testing.md."""
import argparse
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys

from items import FULL, KINDS, Items
from sites import ROOMS, ROOT, SOURCES, draw, named

AIM = 0.97
SWITCH = '''#ifndef TIK_MUTANT
#define TIK_MUTANT
#ifdef TIK_LEAN
#define tik_is(n) 0
#define tik_mutant (-1)
#define tik_differ(n, differ) ((differ) && 0)
#else
extern int tik_mutant;
extern unsigned char *tik_reached;
#define tik_is(n) (tik_reached[n] = 1, tik_mutant == (n))
#define tik_differ(n, differ) (((differ) ? (void)(tik_reached[n] = 1) : (void)0), tik_mutant == (n))
#endif
#endif
#line 1
'''
SETTING = '''#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
enum { MUTANTS = %d };
extern int tik_mutant;
extern unsigned char *tik_reached;
static unsigned char nowhere[MUTANTS];
int tik_mutant = -1;
unsigned char *tik_reached = nowhere;

__attribute__((constructor)) static void
set(void)
{
    const char *n = getenv("TIK_MUTANT");
    tik_mutant = n != NULL ? atoi(n) : -1;
    const char *path = getenv("TIK_REACH");
    int fd = path != NULL ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    if (fd >= 0 && ftruncate(fd, MUTANTS) == 0) {
        void *at = mmap(NULL, MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        tik_reached = at != MAP_FAILED ? at : nowhere;
    }
}
'''


def write(path, data):
    """Leaves a file as it is that has these bytes, so that nothing is compiled without need."""
    try:
        with open(path, 'rb') as f:
            if f.read() == data:
                return
    except OSError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(data)


class Tree:
    """A copy of the tree with all mutants."""

    def __init__(self, folder, mutants):
        self.folder, self.mutants, self.changed = os.path.abspath(folder), mutants, {s.path for _, s in mutants}
        self.list = f'{self.folder}/left_out.txt'
        known = set(open(self.list, encoding='utf-8').read().split('\n')) if os.path.exists(self.list) else set()
        self.left_out = {n for n, (_, s) in enumerate(mutants) if s.digest in known}
        names = self.copy()
        write(f'{self.folder}/runtime/support/mutant_setting.c', (SETTING % max(1, len(mutants))).encode())
        self.write()
        self.tell_git(names)
        while not self.make():
            self.write()
        write(self.list, '\n'.join(mutants[n][1].digest for n in sorted(self.left_out)).encode())
        for name in os.listdir(f'{self.folder}/build'):
            if name.startswith('libtikc-helpers'):  # what the tests compile then comes from the changed sources
                os.remove(f'{self.folder}/build/{name}')

    def copy(self):
        names = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split('\0')
        names = [n for n in names if os.path.isfile(os.path.join(ROOT, n))]
        for name in names:
            source, target = os.path.join(ROOT, name), os.path.join(self.folder, name)
            if name not in self.changed:
                with open(source, 'rb') as f:
                    write(target, f.read())
                os.chmod(target, os.stat(source).st_mode)
        return names

    def tell_git(self, names):
        """Some tests ask git which files there are."""
        subprocess.run(['git', 'init', '-q'], cwd=self.folder, check=True)
        subprocess.run(['git', 'update-index', '-z', '--add', '--stdin'], cwd=self.folder, check=True, input='\0'.join(names), text=True)

    def write(self):
        """Writes the files that have mutants; those that do not compile are left out."""
        for path in self.changed:
            text = SOURCES[path]
            here = sorted(((s, n) for n, (_, s) in enumerate(self.mutants) if s.path == path and n not in self.left_out), key=lambda p: -p[0].begin)
            for s, n in here:
                text = text[:s.begin] + s.text(n).encode() + text[s.end:]
            write(os.path.join(self.folder, path), SWITCH.encode() + text)

    def make(self):
        """Whether it builds; of a file that does not the mutants near the errors are left out."""
        cc = os.environ.get('CC', 'ccache cc')
        env = dict(os.environ, CCACHE_NOHASHDIR='1')
        p = subprocess.run(['make', '-k', '-j2', f'CC={cc}', 'HELPER_SETS=', 'all', 'test-tools', 'unit'], cwd=self.folder, env=env, capture_output=True, text=True)
        wrong = re.findall(r'^(\S+\.c):(\d+):\d+: (?:error|note: in expansion of macro)', p.stderr, re.M)
        before = len(self.left_out)
        for path, line in wrong:
            near = [n for n, (_, s) in enumerate(self.mutants) if s.path == path and n not in self.left_out]
            near.sort(key=lambda n: abs(self.mutants[n][1].line - int(line)))
            self.left_out.update(near[:1])
        if p.returncode and len(self.left_out) == before:
            sys.exit('the tree does not build\n' + p.stderr[-3000:])
        return p.returncode == 0

    def key(self):
        """The same while the mutants have the same numbers and code."""
        text = ''.join(s.digest + '\n' for n, (_, s) in enumerate(self.mutants) if n not in self.left_out)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def equivalent():
    with open(os.path.join(ROOT, 'tests/mutants/equivalent.txt'), encoding='utf-8') as f:
        return {line.split()[0] for line in f if line.strip() and not line.startswith('#')}


class Verdicts:
    """{name of a mutant: the item that noticed it}, kept in a file."""

    def __init__(self, path, again):
        self.path, self.killed = path, {}
        if os.path.exists(path) and not again:
            with open(path, encoding='utf-8') as f:
                self.killed = dict(line.rstrip('\n').split(' ', 1) for line in f)

    def add(self, digest, by):
        self.killed[digest] = by
        with open(self.path, 'a', encoding='utf-8') as f:
            f.write(f'{digest} {by}\n')


def options():
    p = argparse.ArgumentParser()
    p.add_argument('--count', type=int, default=160)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--rooms', default=','.join(ROOMS))
    p.add_argument('--build', default=os.path.join(ROOT, 'build-mutants'))
    p.add_argument('--list', action='store_true', help='print the mutants and build nothing')
    p.add_argument('--only', default='', help='the numbers of some of them')
    p.add_argument('--names', default='', help='mutants by the first word of what is printed of them')
    p.add_argument('--kinds', default=','.join(dict.fromkeys(KINDS + FULL)), help='what may notice them')
    p.add_argument('--seconds', type=float, default=60, help='of tests, for each mutant')
    p.add_argument('--jobs', type=int, default=2, help='mutants that are tried at the same time')
    p.add_argument('--full', action='store_true', help='have the whole suite notice them')
    p.add_argument('--again', action='store_true', help='try those too that were killed before')
    return p.parse_args()


FATES = ('killed', 'survived', 'time', 'equivalent')


def table(rooms, fates):
    """Prints how many of each room came to what; the exit code."""
    count = lambda fate, room=None: sum(f == fate and room in (None, r) for r, f in fates)
    text = '%d mutants: %d killed, %d survived what reaches them, %d out of time, %d equivalent'
    for room in rooms:
        n = [count(f, room) for f in FATES]
        print(f'%-10s {text}' % (room, sum(n), *n))
    n = [count(f) for f in FATES]
    print(text % (sum(n), *n))
    return 0 if n[0] >= AIM * sum(n[:3]) and n[0] else 1


def turns(mutants, rooms):
    """Numbers, one of each room after the other."""
    of_room = [[n for n, (room, _) in enumerate(mutants) if room == r] for r in rooms]
    return [q[i] for i in range(max(map(len, of_room))) for q in of_room if i < len(q)]


def fate(o, items, verdicts, number, site):
    """(one of FATES, what is to be said)"""
    if site.digest in equivalent():
        return 'equivalent', ''
    if site.digest in verdicts.killed:
        return 'killed', verdicts.killed[site.digest]
    fate, by = items.noticed(number, site, 1e9 if o.full else o.seconds)
    if fate == 'killed':
        verdicts.add(site.digest, by)
    return fate, by


def main():
    o = options()
    rooms = o.rooms.split(',')
    mutants = named(set(o.names.split(',')), rooms) if o.names else draw(o.seed, o.count, rooms)
    only = {int(n) for n in o.only.split(',')} if o.only else set(range(len(mutants)))
    if o.list:
        for n, (room, site) in enumerate(mutants):
            print(n, site.name())
        return 0
    tree = Tree(o.build, mutants)
    items = Items(tree.folder, o.full, o.kinds.split(','), o.jobs, o.again)
    items.record(tree.key())
    verdicts, fates = Verdicts(f'{tree.folder}/verdicts.txt', o.again), []
    for _, site in mutants:
        if site.digest in verdicts.killed:
            items.credit(verdicts.killed[site.digest], site)

    def tried(n):
        room, site = mutants[n]
        f, by = fate(o, items, verdicts, n, site)
        fates.append((room, f))
        print(f'{n} {f}: {by}: {site.name()}', flush=True)
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for done in [pool.submit(tried, n) for n in turns(mutants, rooms) if n in only and n not in tree.left_out]:
            done.result()
    return table(rooms, fates)


if __name__ == '__main__':
    sys.exit(main())
