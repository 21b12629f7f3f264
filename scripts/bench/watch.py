"""What the harness's watch costs: a million open() of a file outside of, and in, a watched directory.

Two processes, one with the watch, open 10,000 times each by turns. Prints ratios of the time with the
watch to the time without: medians of the turns, by the clock and by the processor's time.

    python3 scripts/bench/watch.py
"""

import os
import statistics
import subprocess
import sys
import tempfile

HARNESS = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "runtime", "image", "harness"
)
OPENS, TURNS = 10_000, 100

PROGRAM = """
import sys, time
sys.path.insert(0, sys.argv[1])
from mlcli_harness.watch import report_at_end
report_at_end([])
for _ in sys.stdin:
    clock, processor = time.perf_counter(), time.process_time()
    for _ in range(int(sys.argv[3])):
        open(sys.argv[2]).close()
    print(time.perf_counter() - clock, time.process_time() - processor, flush=True)
"""


def start(path, variables):
    return subprocess.Popen(
        [sys.executable, "-B", "-c", PROGRAM, HARNESS, path, str(OPENS)],
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        bufsize=1,
    )


def turn(process):
    """(seconds by the clock, of the processor)"""
    process.stdin.write("\n")
    return [float(seconds) for seconds in process.stdout.readline().split()]


def compare(root, path):
    watching = {"MLCLI_REPORT": root + "/report", "MLCLI_WATCH": root + "/watched"}
    with start(path, {}) as without, start(path, watching) as watched:
        turns = []
        for number in range(TURNS):
            first, second = (without, watched) if number % 2 else (watched, without)
            times = {first: turn(first)}
            times[second] = turn(second)
            turns.append([a / b for a, b in zip(times[watched], times[without])])
        for process in (without, watched):
            process.stdin.close()
    return [statistics.median(ratios) for ratios in zip(*turns)]


def main():
    with tempfile.TemporaryDirectory() as root:
        for folder in ("watched", "other"):
            os.mkdir(os.path.join(root, folder))
            with open(os.path.join(root, folder, "file"), "w", encoding="utf-8"):
                pass
        for folder in ("other", "watched"):
            ratios = compare(root, os.path.join(root, folder, "file"))
            print("%s: %.3f by the clock, %.3f of the processor" % (folder, *ratios))


if __name__ == "__main__":
    main()
