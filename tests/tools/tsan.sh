#!/bin/sh
# Runs what works with several threads and prints whether ThreadSanitizer saw a race. $1: a build with SAN=-fsanitize=thread
# (make check-tsan). Findings of kernels do not count, only exit code 66, which is the sanitizer's.
root=$(cd "$(dirname "$0")/../.." && pwd)
tikc=$(cd "$1" && pwd)/tikc
report=$(mktemp)
trap 'rm -f "$report"' EXIT
# A child of test_pool has threads of its own.
export TSAN_OPTIONS="exitcode=66 halt_on_error=1 die_after_fork=0"
passed=0 failed=0
cd "$root" || exit 2

saw() { # COMMAND...: the sanitizer ended it
    failed=$((failed + 1))
    echo "$*"
    grep -A60 'ThreadSanitizer' "$report"
}

try() {
    "$tikc" "$@" >/dev/null 2>"$report"
    if [ $? -eq 66 ]; then
        saw tikc "$@"
    else
        passed=$((passed + 1))
    fi
}

for program in pool launch; do # all of a unit test passes
    if "${tikc%/tikc}/unit/test_$program" >/dev/null 2>"$report"; then
        passed=$((passed + 1))
    else
        saw "test_$program"
    fi
done

try check -j 8 --max-errors 0 tests/lit
try check -j 8 --soc all --format sarif samples
try test -j 4 samples
try test -j 4 --format junit samples
for kernel in softmax scale dynamic_tiling; do
    try run "samples/$kernel.tik" --in x=random:1 --threads 8
done
# Cores that wait for each other, write atomically, print, are added, or fault while others run.
for kernel in lit/host/spread lit/host/atomic-edges lit/tik/printf lit/rules/ok-block-count lit/rules/bad-block-count \
    lit/rules/ok-block-barrier cross/kernels/queues; do
    try run "tests/$kernel.tik" --threads 8 --backend host
done
for _ in 1 2 3 4 5 6; do
    try run tests/lit/tik/barrier-room.tik --in x=3 --threads 8 --backend host
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
