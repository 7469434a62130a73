#!/bin/sh
# Runs the two commands of the README on a fresh machine: an empty Debian 12 with git, make and gcc, made by
# debootstrap in a folder, with a clone of this checkout's last commit in it. So a package that packages.txt lacks is
# found although the machine at hand has it.
#
# usage: tools/fresh.sh [FOLDER]    FOLDER: where the root is made (default: a temporary one); it must not exist yet
#
# Needs root, debootstrap, and the machine's own package sources, which are used inside too. The folder is removed at
# the end unless KEEP=1. The exit code is that of the first command that fails.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
release=bookworm

die() {
    echo "fresh: $1" >&2
    exit 2
}
[ "$(id -u)" = 0 ] || die "debootstrap and chroot need root"
command -v debootstrap >/dev/null || die "debootstrap is not installed (apt-get install debootstrap)"

# The archive that this machine takes Debian's own packages from.
archive=$(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    awk -v r="$release" '$1 == "Debian" && $2 == r { print $3; exit }')
[ -n "$archive" ] || die "no source of Debian $release is set up here"

temporary=$(mktemp -d)
root=${1:-$temporary/root}
[ ! -e "$root" ] || die "$root is there already"
leave() {
    for m in dev/pts dev proc; do
        mountpoint -q "$root/$m" && umount "$root/$m"
    done
    [ "${KEEP:-}" = 1 ] || rm -rf --one-file-system "$root" "$temporary"
}
trap leave EXIT
trap 'exit 130' INT TERM

echo "fresh: an empty Debian $release in $root"
mkdir -p "$root"
debootstrap --variant=minbase --include=git,make,gcc,ca-certificates "$release" "$root" "$archive" >"$temporary/log" 2>&1 ||
    { tail -n 20 "$temporary/log" >&2; die "debootstrap failed"; }
# Later Debian packages (its updates and security suites) come from where this machine has them.
apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sed -n 's/^Debian deb/deb/p' | sort -u >"$root/etc/apt/sources.list"
for f in /etc/resolv.conf /etc/hosts; do
    [ ! -e "$f" ] || cat "$f" >"$root$f"
done
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"
git clone -q "file://$top" "$root/root/tikc"
inside() {
    echo "fresh: $1"
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LC_ALL=C.UTF-8 sh -c "cd /root/tikc && $1"
}
inside 'make demo'
inside 'make test'
