#!/bin/sh
# man-pages.sh FOLDER COMMAND...: fails if a command has no page, and shows what troff and mandoc warn of.
set -e
folder=$1
shift
[ $# -gt 10 ]
for page in tikc $(printf 'tikc-%s ' "$@"); do
    MANWIDTH=80 man --warnings -l "$folder/$page.1" 2>&1 >/dev/null | grep . && exit 1
    mandoc -Tlint -Wwarning "$folder/$page.1" | grep -v 'missing date' && exit 1
    [ -s "$folder/$page.1" ]
done
