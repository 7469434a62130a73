#!/bin/sh
# link.sh TIKC ROOT PROGRAM.c KERNEL.o OUT: links a C program with a kernel and libtikrt.
set -e
lib=$(dirname "$1")/libtikrt.a
flags=
if nm "$lib" 2>/dev/null | grep -q __asan_init; then
    flags=-fsanitize=address,undefined
fi
cc $flags -I"$2/runtime/include" -I"$2/runtime" -o "$5" "$3" "$4" "$lib" -pthread -lm
