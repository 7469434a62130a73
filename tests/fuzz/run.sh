#!/bin/sh
# run.sh BUILD TARGET RUNS: runs one fuzz target from its seeds (samples, programs of the tests, their blobs)
# plus the corpus kept in BUILD. Ends with an error when something was found.
set -eu
build=$1
target=$2
runs=$3
cd "$(dirname "$0")/../.."
corpus=$build/corpus-$target
seeds=$build/seeds-$target
mkdir -p "$corpus" "$seeds"
tikc=build/tikc
case $target in
source)
    find samples tests/lit tests/cross tests/random tests/conformance bench \( -name '*.tik' -o -name '*.py' \) |
    while read -r f; do
        cp "$f" "$seeds/$(echo "$f" | tr / _)"
    done ;;
ir)
    for f in samples/*.tik tests/cross/kernels/tables.tik tests/lit/cli/inputs/address_list.tik; do
        $tikc build "$f" --emit ir -o "$seeds/$(basename "$f").ir" 2>/dev/null || true
        $tikc build "$f" --emit ir --passes none -o "$seeds/$(basename "$f").staged.ir" 2>/dev/null || true
    done
    cp tests/lit/passes/*.ir "$seeds" ;;
blob)
    for f in samples/*.tik tests/lit/cli/diag/run-time-calls.tik tests/cross/kernels/tables.tik tests/lit/cli/inputs/address_list.tik; do
        $tikc build "$f" -o "$seeds/$(basename "$f").tkb" 2>/dev/null || true
    done ;;
esac
dict=
[ -f "tests/fuzz/$target.dict" ] && dict=-dict=tests/fuzz/$target.dict
"$build/fuzz_$target" -runs="$runs" -timeout=20 -rss_limit_mb=3000 -max_len=8192 -seed="${SEED:-1}" \
    -print_final_stats=1 -artifact_prefix="$build/found-$target-" $dict "$corpus" "$seeds"
