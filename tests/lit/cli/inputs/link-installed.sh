#!/bin/sh
# link-installed.sh ROOT PACKAGES [-static] ARGS...: compiles and links as a user does, with what pkg-config tells of
# packages that are installed below ROOT.
set -e
root=$1 package=$2 static=
shift 2
[ "$1" != -static ] || static=--static
PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/opt/tikc/lib/pkgconfig
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
# The packages and the flags are words.
# shellcheck disable=SC2086
flags=$(pkg-config $static --cflags --libs $package)
# shellcheck disable=SC2086
cc -std=c11 -Wall -Wextra -Werror "$@" $flags
