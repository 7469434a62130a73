#!/bin/sh
# exit-code.sh N CMD...: succeeds when CMD ends with exit code N.
want=$1
shift
"$@"
got=$?
[ "$got" = "$want" ] || { echo "exit code $got, expected $want: $*" >&2; exit 1; }
