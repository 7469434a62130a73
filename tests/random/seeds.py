"""Works through ranges of seeds in several processes, for scripts whose runs may take hours: what was counted so far is
told on stderr with the seed that comes next, and a run that is stopped (Ctrl-C, SIGTERM) ends what it has begun, prints
its counts and names the seed to go on with."""
import collections
import concurrent.futures
import signal
import sys
import time


def add_options(ap):
    ap.add_argument('--jobs', type=int, default=2, metavar='N', help='processes that work at once (2)')
    ap.add_argument('--progress', type=float, metavar='SECONDS', help='tell counts that often, and failures at once')


def ranges(first, count, size):
    """(first, end) of the parts of count seeds from first on, which end at multiples of size."""
    end = first + count
    while first < end:
        part = min(first - first % size + size, end)
        yield first, part
        first = part


class Stop:
    """Set by the first signal; the next one ends the process as always."""

    def __init__(self):
        self.wanted = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.note)

    def note(self, number, _):
        self.wanted = True
        signal.signal(number, signal.SIG_DFL)


def ignore_signals():
    """What the processes below ignore their tools ignore, too."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def results(work, parts, jobs, stop):
    """(part, what work makes of it), in order; few are begun ahead, so that a stop comes soon."""
    begun = collections.deque()
    with concurrent.futures.ProcessPoolExecutor(jobs, initializer=ignore_signals) as pool:
        for part in parts:
            if stop.wanted:
                break
            begun.append((part, pool.submit(work, part)))
            if len(begun) > jobs:
                part, future = begun.popleft()
                yield part, future.result()
        for part, future in begun:
            yield part, future.result()


class Progress:
    def __init__(self, seconds):
        self.seconds, self.begin = seconds, time.time()
        self.next = self.begin + (seconds or 0)

    def tell(self, text, force=False):
        if self.seconds is not None and (force or time.time() >= self.next):
            self.next = time.time() + self.seconds
            print(f'{time.strftime("%H:%M:%S")} after {time.time() - self.begin:.0f} s: {text}', file=sys.stderr, flush=True)


def work_through(work, first, count, size, options):
    """work takes a range of seeds and gives how many passed, a text for each that failed, and a Counter of what else is told.
    Prints the first failures and what was counted; the exit code."""
    passed, bad, counts, reached = 0, [], collections.Counter(), first
    stop, progress = Stop(), Progress(options.progress)
    for (_, reached), (ok, wrong, some) in results(work, ranges(first, count, size), options.jobs, stop):
        passed += ok
        bad += wrong
        counts += some
        for text in wrong:
            progress.tell(text, force=True)
        progress.tell(f'{passed} passed, {len(bad)} failed, next {reached}; {dict(counts)}')
    for text in bad[:10]:
        print(text)
    if reached < first + count:
        print(f'stopped; TIKC_SEED={reached} and a count of {first + count - reached} go on')
    print(f'seeds {first} to {reached - 1}: {dict(counts)}')
    print(f'{passed} passed, {len(bad)} failed')
    return 1 if bad or not passed else 0
