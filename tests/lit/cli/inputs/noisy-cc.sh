#!/bin/sh
# A compiler that warns, and makes the object that is asked for.
echo "isa.c:1:1: warning: of the compiler" >&2
while [ "$1" != -o ]; do shift; done
: > "$2"
