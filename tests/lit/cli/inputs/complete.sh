#!/bin/bash
# complete.sh COMPLETION WORD...: what bash offers for the last word, one per line.
# shellcheck disable=SC1090
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_tikc
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
