#!/bin/sh
# link-installed.sh ROOT PACKAGE [-static] ARGS...: compiles and links as a user does, with what pkg-config tells of a
# package that is installed below ROOT.
set -e
root=$1 package=$2 static=
shift 2
[ "$1" != -static ] || static=--static
PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/opt/tikc/lib/pkgconfig
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
flags=$(pkg-config $static --cflags --libs "$package")
# The flags are words.
# shellcheck disable=SC2086
cc -std=c11 -Wall -Wextra -Werror "$@" $flags
