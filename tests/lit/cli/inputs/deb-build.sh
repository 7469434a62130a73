#!/bin/sh
# deb-build.sh BUILD TREE: packages of a tree with debian/ in it, of what is compiled in BUILD already. With the flags of that build
# make compiles again only what knows where libraries are.
set -e
mkdir "$2/build"
for f in "$1"/libtik* "$1"/tikc "$1"/flags "$1"/libdir "$1"/gen "$1"/obj "$1"/static "$1"/tools; do
    cp -a "$f" "$2/build/"
done
cd "$2"
touch -r build/gen/stdlib.c stdlib compiler/driver/page docs/examples # folders of a copy are younger than what was made of it
export DEB_CFLAGS_SET='' DEB_CPPFLAGS_SET='' DEB_LDFLAGS_SET='' DEB_BUILD_OPTIONS='nocheck nostrip noautodbgsym'
export DEB_RULES_REQUIRES_ROOT=no DPKG_DEB_COMPRESSOR_TYPE=none PATH=/usr/sbin:/usr/bin:/sbin:/bin
unset MAKEFLAGS BUILD
exec debian/rules binary
