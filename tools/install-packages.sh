#!/bin/sh
# Installs the packages of packages.txt that are missing, through apt-get. Does nothing, and needs no
# rights, when all are there. On a system without dpkg it says what is needed and changes nothing: the
# build then names what it does not find.
set -eu
cd "$(dirname "$0")/.."
wanted=$(sed 's/#.*//' packages.txt)
if ! command -v dpkg-query >/dev/null; then
    echo "this system has no dpkg; the build needs what Debian 12 calls: $(echo "$wanted" | xargs)" >&2
    exit 0
fi
# The list is meant to split.
# shellcheck disable=SC2086
there=$(dpkg-query -W -f '${Package} ${Status}\n' $wanted 2>/dev/null |
    sed -n 's/ .* ok installed$//p') || true
missing=
for p in $wanted; do
    echo "$there" | grep -qxF "$p" || missing="$missing $p"
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
# The list is meant to split.
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
