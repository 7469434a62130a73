#!/bin/sh
# Installs the packages of packages.txt that are missing, through apt-get. Does nothing, and needs no
# rights, when all are there.
set -eu
cd "$(dirname "$0")/.."
missing=
for p in $(sed 's/#.*//' packages.txt); do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
echo "installing:$missing"
sudo=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
        echo "run as root: apt-get install$missing" >&2
        exit 1
    }
    sudo=sudo
fi
$sudo apt-get update -qq
# shellcheck disable=SC2086 -- the list is meant to split
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
