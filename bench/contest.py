"""Workers, their turns, and what a turn's times say.

Peers take turns, A B C, A B C, the first one another each round. A turn is one call that is not timed and then calls for some
milliseconds. On one thread a call's time is that of the processor, on several what passed, of calls that kept their
processors. A peer's figure is the tenth percentile of all its calls: what it takes when nobody disturbs, also on a machine
that others use."""
import os
import subprocess
import tempfile

import numpy as np

import peers

SLOW = 50e6                                  # nanoseconds of a call; such peers get fewer


class Worker:
    """The process of a peer, see peers/worker.c for its lines."""

    def __init__(self, peer, threads):
        self.name, self.peer = peer.name, peer
        self.process = subprocess.Popen(peer.command + [str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=peers.environment(peer, threads), bufsize=1)
        self.version = self.line()
        if not self.version.startswith('ready'):
            raise RuntimeError('%s: %s' % (self.name, self.version))
        self.version = self.version[len('ready'):].strip()

    def line(self):
        text = self.process.stdout.readline()
        return text.strip() if text else 'err the worker died (status %s)' % self.process.wait()

    def ask(self, command):
        try:
            self.process.stdin.write(command + '\n')
            self.process.stdin.flush()
        except BrokenPipeError:
            return 'err the worker died (status %s)' % self.process.wait()
        return self.line()

    def times(self, calls, milliseconds):
        words = self.ask('run %d %g' % (calls, milliseconds)).split()
        return [int(w) for w in words[1:]] if words[:1] == ['t'] else None

    def memory(self):
        """The peak above what the arrays take, in megabytes."""
        words = self.ask('memory').split()
        return max(int(words[1]), 0) / 1024 if words[:1] == ['m'] else 0.0

    def close(self):
        try:
            self.process.stdin.write('quit\n')
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()


class Loaded:
    """A kernel with its inputs in files and its reference in memory."""

    def __init__(self, kernel, folder):
        self.kernel = kernel
        tiles = kernel.arrays()
        self.reference = np.ascontiguousarray(kernel.reference(*tiles)).reshape(-1)
        self.dump = os.path.join(folder, kernel.name + '.out')
        words = [kernel.name, len(tiles)]
        self.paths = []
        for i, tile in enumerate(tiles):
            path = os.path.join(folder, '%s.%d.in' % (kernel.name, i))
            tile.tofile(path)
            self.paths.append(path)
            words += [path, kernel.inputs[i][0] * tile.dtype.itemsize]
        elements, dtype = kernel.output
        words += [1, elements * np.dtype(dtype).itemsize]
        words += [len(kernel.sizes), *kernel.sizes, len(kernel.factors), *map(repr, map(float, kernel.factors))]
        self.command = 'load ' + ' '.join(map(str, words))

    def is_right(self, worker):
        """(what the worker's last call wrote is the reference, message)"""
        answer = worker.ask('dump 0 %s %d' % (self.dump, self.reference.nbytes))
        if answer != 'ok':
            return False, answer
        elements, dtype = self.kernel.output
        got = np.fromfile(self.dump, dtype)
        os.unlink(self.dump)
        reference = self.reference
        if got.size != reference.size:
            if got.size != elements:
                return False, '%d elements in the place of %d' % (got.size, elements)
            reference = np.resize(reference, elements)
        return self.kernel.check(got, reference)

    def remove(self):
        for path in self.paths:
            os.unlink(path)


def start(found, threads):
    """Workers, and {name: why not}."""
    workers, failed = [], {}
    for peer in found:
        if threads in peer.threads:
            try:
                workers.append(Worker(peer, threads))
            except (RuntimeError, OSError) as e:
                failed[peer.name] = str(e)
    return workers, failed


def join(workers, loaded):
    """Those that have the kernel, with its arrays, after a right first call; and the wrong ones with why."""
    live, wrong = [], {}
    for w in workers:
        if w.peer.kernels and loaded.kernel.name not in w.peer.kernels:
            continue
        answer = w.ask(loaded.command)
        if answer == 'ok':
            w.ask('poison')
            if w.times(1, 0) is None:
                w.ask('drop')
                continue
            right, message = (True, '') if w.name.startswith('roof') else loaded.is_right(w)
            if right:
                live.append(w)
                continue
            answer = message
        if answer != 'na':
            wrong[w.name] = answer
        w.ask('drop')
    return live, wrong


def turns(live, rounds, milliseconds):
    times = {w.name: [] for w in live}
    for r in range(rounds):
        for i in range(len(live)):
            w = live[(i + r) % len(live)]
            mine = times[w.name]
            if mine and min(mine) > SLOW and r >= 2:
                continue
            mine += w.times(400, milliseconds) or []
    return times


def figures(ns):
    ns = sorted(ns)
    return {'ms': ns[len(ns) // 10] / 1e6, 'median': ns[len(ns) // 2] / 1e6, 'least': ns[0] / 1e6, 'calls': len(ns)}


def compare(kernel, workers, folder, rounds, milliseconds):
    """({peer: figures with memory}, {peer: why it is wrong}) of a kernel."""
    loaded = Loaded(kernel, folder)
    live, wrong = join(workers, loaded)
    times = turns(live, rounds, milliseconds)
    result = {w.name: dict(figures(times[w.name]), memory=w.memory()) for w in live if times[w.name]}
    for w in live:
        w.ask('drop')
    loaded.remove()
    return result, wrong


def folder_of(build):
    """A folder for the data of one run."""
    return tempfile.TemporaryDirectory(dir=os.path.join(build, 'bench'), prefix='data-')
