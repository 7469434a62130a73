#!/bin/sh
# same.sh FILE: succeeds when standard input is what FILE holds, else shows the difference. With TIKC_UPDATE=1 (tests/run.py
# --update) FILE becomes it.
got=$(mktemp)
trap 'rm -f "$got"' EXIT
cat > "$got"
if [ "$TIKC_UPDATE" = 1 ] && ! cmp -s "$got" "$1"; then
    cat "$got" > "$1"
    echo "updated: $1" >&2
fi
diff -u "$1" "$got"
