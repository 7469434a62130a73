#!/bin/sh
# Runs the two commands of the README on a fresh machine: an empty Debian 12 with git, make and gcc, made by
# debootstrap in a folder, with a clone of this checkout's last commit in it. So a package that packages.txt lacks is
# found although the machine at hand has it.
#
# usage: tools/fresh.sh [FOLDER]    FOLDER: where the root is made (default: a temporary one); it must not exist yet
#
# Needs root and debootstrap (tools/debian-root.sh). The folder is removed at the end unless KEEP=1. The exit code is that
# of the first command that fails.
set -eu
me=fresh top=$(cd "$(dirname "$0")/.." && pwd) root=${1:-}
. "$top/tools/debian-root.sh"
make_root git,make,gcc,ca-certificates
git clone -q "file://$top" "$root/root/tikc"
for command in 'make demo' 'make test'; do
    echo "fresh: $command"
    inside "cd /root/tikc && $command"
done
