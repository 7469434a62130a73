#!/bin/sh
# exported.sh LIB: fails, and prints the names, if a library in LIB exports a name without the prefixes of its headers.
status=0
check() { # FILE PATTERN
    names=$(nm "$3" --defined-only "$1" | awk 'NF == 3 { print $3 }')
    [ -n "$names" ] || { echo "$1: exports nothing"; status=1; }
    # Three names are the linker's.
    other=$(echo "$names" | grep -vE "^($2)|^(__bss_start|_edata|_end)$")
    [ -z "$other" ] || { echo "$1 exports: $other"; status=1; }
}
rt='tik_|tikrt_|tikblob_'
check "$1/libtikrt.so" "$rt" -D
check "$1/libtikrt.a" "$rt" -g
check "$1/tikc/libtikc-host.so" 'tikc_host_api$' -D
if [ -e "$1/libtikc.so" ]; then
    check "$1/libtikc.so" 'tikc_' -D
    check "$1/libtikc.a" 'tikc_' -g
fi
exit $status
