"""Processes side by side: what latency.py and front_end.py measure with."""
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STUB = os.path.join(ROOT, 'tests', 'cross', 'tik_stub')


class Measure:
    """Runs commands under bench/peak of a build directory."""

    def __init__(self, build):
        self.peak = os.path.abspath(os.path.join(build, 'bench', 'peak'))

    def once(self, cmd, env=None, processor=False):
        """Seconds (of the wall clock, or of the processor) and peak kilobytes of one process."""
        wall, used, kilobytes = self.figures(cmd, env)
        return (used if processor else wall), kilobytes

    def figures(self, cmd, env=None):
        """Seconds of the wall clock and of the processor, and peak kilobytes; ends the benchmark if the process fails."""
        p = subprocess.run([self.peak] + cmd, capture_output=True, text=True, errors='replace', env=env,
                           check=False)
        figures = p.stdout.split()
        if len(figures) != 4 or figures[3] != '0':
            sys.exit('bench: %s failed:\n%s' % (' '.join(cmd), p.stderr))
        return float(figures[0]), float(figures[1]), int(figures[2])

    def take_turns(self, contestants, rounds, processor=False):
        """Median seconds and greatest kilobytes per contestant: {name: cmd or (cmd, env)}."""
        seconds = {name: [] for name in contestants}
        memory = dict.fromkeys(contestants, 0)
        for _ in range(rounds):
            for name, cmd in contestants.items():
                cmd, env = cmd if isinstance(cmd, tuple) else (cmd, None)
                s, kb = self.once(cmd, env, processor)
                seconds[name].append(s)
                memory[name] = max(memory[name], kb)
        return {n: statistics.median(s) for n, s in seconds.items()}, memory


def write(path, text):
    with open(path, 'w', encoding='ascii') as f:
        f.write(text)
