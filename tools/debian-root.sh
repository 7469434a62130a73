# debian-root.sh: an empty Debian 12 in a folder, for scripts that try something on a fresh machine. To be sourced, with
# these set: me (the script's name, for messages), top (the tree), and root, a folder that does not exist yet, or empty for
# a temporary one. It needs root, debootstrap, and the machine's own package sources, which are used inside too.
#
#   make_root PACKAGE,...   makes it, with these packages; it is removed when the script ends, unless KEEP=1
#   inside COMMAND          runs a command of the shell in it
# shellcheck shell=sh disable=SC2154
release=bookworm

die() {
    echo "$me: $1" >&2
    exit 2
}

leave_root() {
    for m in dev/pts dev proc; do
        mountpoint -q "$root/$m" && umount "$root/$m"
    done
    [ "${KEEP:-}" = 1 ] || rm -rf --one-file-system "$root" "$temporary"
}

# Prints where this machine takes Debian's own packages from.
archive_here() {
    apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
        awk -v r="$release" '$1 == "Debian" && $2 == r { print $3; exit }'
}

# Later Debian packages (its updates and security suites) come from where this machine has them.
copy_sources() {
    apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sed -n 's/^Debian deb/deb/p' | sort -u >"$root/etc/apt/sources.list"
    for f in /etc/resolv.conf /etc/hosts; do
        [ ! -e "$f" ] || cat "$f" >"$root$f"
    done
}

make_root() {
    [ "$(id -u)" = 0 ] || die "debootstrap and chroot need root"
    command -v debootstrap >/dev/null || die "debootstrap is not installed (apt-get install debootstrap)"
    archive=$(archive_here)
    [ -n "$archive" ] || die "no source of Debian $release is set up here"
    temporary=$(mktemp -d)
    root=${root:-$temporary/root}
    [ ! -e "$root" ] || die "$root is there already"
    trap leave_root EXIT
    trap 'exit 130' INT TERM
    echo "$me: an empty Debian $release in $root"
    mkdir -p "$root"
    debootstrap --variant=minbase --include="$1" "$release" "$root" "$archive" >"$temporary/log" 2>&1 ||
        { tail -n 20 "$temporary/log" >&2; die "debootstrap failed"; }
    copy_sources
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    mount --bind /dev/pts "$root/dev/pts"
}

inside() {
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -c "$1"
}
