#!/bin/sh
# deb-contents.sh FOLDER: the files of each package there, without versions and machine; of documentation, samples, files for
# editors, manual pages and headers the folders only.
for p in "$1"/*.deb; do
    dpkg-deb -f "$p" Package
    dpkg-deb --contents "$p" | awk '$6 !~ /\/$/ { print "    " $1, substr($0, index($0, $6) + 2) }' |
        sed -E 's|lib/[a-z0-9_]+-linux-gnu|lib/MACHINE|; s/\.so\.([0-9]+)\.[0-9.]+$/.so.\1.VERSION/; s/\.so\.([0-9]+)\.[0-9.]+$/.so.\1.VERSION/
            s/tikc-[0-9.]+\.dist-info/tikc-VERSION.dist-info/; s/(so|so\.[0-9]+) -> (.*\.so\.[0-9]+)\..*/\1 -> \2.VERSION/
            s#^    \S+ (usr/share/doc/tikc/docs|usr/share/tikc/samples|usr/share/tikc/editors|usr/include/tikrt|usr/share/man/man1)/.*#    \1#' |
        LC_ALL=C sort -u
done
