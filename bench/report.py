"""What a run of run.py says: a table for each number of threads, and the JSON that is kept."""
import math
import os
import platform
import time

OURS = ('tikc', 'base')
OTHER_BITS = '.fast'                         # a kernel in another reading is no spelling of it


def begin(absent):
    return {'when': time.strftime('%Y-%m-%d %H:%M'), 'machine': machine(), 'peers': {}, 'absent': dict(absent), 'kernels': {}}


def machine():
    model = platform.processor()
    with open('/proc/cpuinfo', encoding='utf-8') as f:
        for line in f:
            if line.startswith('model name'):
                model = line.split(':', 1)[1].strip()
                break
    return {'processor': model, 'processors': os.cpu_count(), 'kernel': platform.release(), 'load': os.getloadavg()[0]}


def group(name):
    """tikc of tikc.nz, roof of roof-plain."""
    return name.split('.')[0].split('-')[0]


def least(figures, among):
    names = [n for n in figures if among(n)]
    return min(names, key=lambda n: figures[n]['ms'], default=None)


def add(result, kernel, threads, figures):
    """Figures of a kernel, with what they are measured against: the best peer and the roof."""
    entry = result['kernels'].setdefault(kernel.name, {'what': kernel.what, 'bytes': kernel.bytes, 'ops': kernel.ops,
                                                       'extra': kernel.extra, 'threads': {}})
    roof = least(figures, lambda n: group(n) == 'roof')
    best = least(figures, lambda n: group(n) not in ('roof',) + OURS)
    summary = {'peers': figures, 'roof': roof, 'best': best}
    for ours in OURS:
        mine = least(figures, lambda n, o=ours: n == o)
        spelled = least(figures, lambda n, o=ours: group(n) == o and not n.endswith(OTHER_BITS))
        if mine and best:
            summary[ours] = figures[best]['ms'] / figures[mine]['ms']
            summary[ours + '-best-spelling'] = figures[best]['ms'] / figures[spelled]['ms']
        if mine and roof:
            summary[ours + '-roof'] = figures[roof]['ms'] / figures[mine]['ms']
    entry['threads'][threads] = summary


def print_kernel(kernel, threads, result):
    summary = result['kernels'][kernel.name]['threads'][threads]
    work, unit = (kernel.ops, 'Gop/s') if kernel.ops else (kernel.bytes, 'GB/s')
    print('\n%s (%s), %d thread%s' % (kernel.name, kernel.what, threads, '' if threads == 1 else 's'))
    for name, f in sorted(summary['peers'].items(), key=lambda item: item[1]['ms']):
        print('  %-18s %9.3f ms  median %9.3f  least %9.3f  %8.1f %s  +%.0f MB' %
              (name, f['ms'], f['median'], f['least'], work / f['ms'] / 1e6, unit, f['memory']), flush=True)


def print_tables(result):
    for threads in (1, 2):
        rows = [(n, k, k['threads'][threads]) for n, k in result['kernels'].items() if threads in k['threads']]
        rows = [r for r in rows if any(o in r[2] for o in OURS)]
        if rows:
            print_table(rows, threads)
    for name, why in result['absent'].items():
        print('absent: %s: %s' % (name, why))


def print_table(rows, threads):
    base = any('base' in s for _, _, s in rows)
    print('\n%d thread%s: best peer = 1.00 (more is faster); "spelled" is the best spelling of the kernel' %
          (threads, '' if threads == 1 else 's'))
    print('%-15s %-14s %9s %9s %6s %8s %6s %7s%s' % ('kernel', 'best peer', 'its ms', 'tikc ms', 'tikc', 'spelled', 'roof',
                                                     '+MB', '   base ms   base' if base else ''))
    for name, _, s in rows:
        f = s['peers']
        line = '%-15s %-14s %9.3f %9.3f %6s %8s %6s %7.0f' % (
            name, s['best'] or '-', f[s['best']]['ms'] if s['best'] else 0, f['tikc']['ms'] if 'tikc' in f else 0,
            ratio(s, 'tikc'), ratio(s, 'tikc-best-spelling'), ratio(s, 'tikc-roof'), f['tikc']['memory'] if 'tikc' in f else 0)
        if base:
            line += ' %9.3f %6s' % (f['base']['ms'] if 'base' in f else 0, ratio(s, 'base'))
        print(line)
    for title, extra in (('the 13', False), ('others', True)):
        means = {o: mean([s[o] for _, k, s in rows if k['extra'] == extra and o in s]) for o in OURS}
        if any(means.values()):
            print('geometric mean of %s: %s' % (title, ', '.join('%s %.3f' % m for m in means.items() if m[1])))


def ratio(summary, key):
    return '%.2f' % summary[key] if key in summary else '-'


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0.0
