#!/bin/sh
# Runs what works with several threads and prints whether ThreadSanitizer saw a race. $1: a build with SAN=-fsanitize=thread
# (make check-tsan). Findings of kernels do not count, only exit code 66, which is the sanitizer's.
root=$(cd "$(dirname "$0")/../.." && pwd)
tikc=$(cd "$1" && pwd)/tikc
report=$(mktemp)
trap 'rm -f "$report"' EXIT
export TSAN_OPTIONS="exitcode=66 halt_on_error=1"
passed=0 failed=0
cd "$root" || exit 2

try() {
    "$tikc" "$@" >/dev/null 2>"$report"
    if [ $? -eq 66 ]; then
        failed=$((failed + 1))
        echo "tikc $*"
        grep -A60 'ThreadSanitizer' "$report"
    else
        passed=$((passed + 1))
    fi
}

try check -j 8 --max-errors 0 tests/lit
try check -j 8 --soc all --format sarif samples
try test -j 4 samples
try test -j 4 --format junit samples
for kernel in softmax scale dynamic_tiling; do
    try run "samples/$kernel.tik" --in x=random:1 --threads 8
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
