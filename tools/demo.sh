#!/bin/sh
# demo.sh BUILD: compiles and runs the samples on both back ends with random inputs and shows that the
# results are the expected ones, bit for bit. Fails when one is not.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
exec /usr/bin/python3 tools/demo.py "$build/tikc" samples
