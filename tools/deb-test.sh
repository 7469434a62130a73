#!/bin/sh
# Installs the packages that `make deb` made in an empty Debian 12, uses each of them there as an ordinary user, removes them,
# and compares the files that are left with those before. First the tool alone, so that a package that it needs and does
# not name is found; then all of them beside gcc, pkg-config, numpy, man and bash-completion.
#
# usage: tools/deb-test.sh PACKAGES [FOLDER]   PACKAGES: the folder with the .deb files and the .changes file
#                                              FOLDER: where the root is made (default: a temporary one)
#
# Needs root, debootstrap and lintian (tools/debian-root.sh). The folder is removed at the end unless KEEP=1.
set -eu
me=deb-test top=$(cd "$(dirname "$0")/.." && pwd)
packages=$(cd "$1" && pwd) root=${2:-}
. "$top/tools/debian-root.sh"

step() {
    echo "$me: $1"
}

# A command of a user without rights, in a folder of its own.
use() {
    inside "cd /tmp/work && HOME=/tmp/work setpriv --reuid=65534 --regid=65534 --clear-groups sh -ec '$1'"
}

# What is installed, but for what packages of Debian write about themselves.
files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./packages -o -path ./var/lib/apt -o -path ./var/lib/dpkg \
        -o -path ./var/cache -o -path ./var/log \) -prune -o -print) | grep -vE '^\./etc/(ld\.so\.cache|.*~|.*-)$' | LC_ALL=C sort
}

# The removal leaves what was there before, of which files has written a list.
removed() { # LIST PACKAGE...
    list=$1
    shift
    inside "apt-get purge -y -qq --autoremove $* >/dev/null"
    files | diff "$list" - || die "removing $* leaves other files than there were (<: gone, >: left)"
    step "removed: $*, and no file is left"
}

step 'lintian'
if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups lintian --fail-on error,warning "$packages"/*.changes
fi

make_root ca-certificates
mkdir "$root/packages" "$root/tmp/work"
chown 65534:65534 "$root/tmp/work"
cp "$packages"/*.deb "$root/packages/"
rm -f "$root"/packages/*-dbgsym_*
inside 'apt-get update -qq'

step 'the tool alone'
files >"$temporary/empty"
inside 'apt-get install -y -qq --no-install-recommends /packages/tikc_*.deb /packages/libtikrt0_*.deb >/dev/null 2>&1' || die 'not installed'
cat "$top/samples/scale.tik" >"$root/tmp/work/scale.tik"
use 'tikc --version
tikc check scale.tik
tikc run scale.tik --in x=ones --expect y=1.5
tikc run scale.tik --in x=ones --expect y=1.5 --backend emu
tikc build scale.tik -o scale.tkb
tikc verify scale.tkb
tikc run scale.tkb --in x=ones --expect y=1.5'
removed "$temporary/empty" tikc libtikrt0

step 'all packages'
inside 'apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config libgmp-dev python3-numpy man-db bash-completion >/dev/null 2>&1' || die 'not installed'
files >"$temporary/tools"
inside 'apt-get install -y -qq --no-install-recommends /packages/*.deb >/dev/null 2>&1' || die 'not installed'
use 'tikc test /usr/share/tikc/samples | tail -n 1
for page in tikc tikc-run tikc-explain-sync; do
    man --warnings $page 2>&1 >page.txt | grep . && exit 1
    grep -q "^NAME" page.txt && grep -q "EXIT STATUS" page.txt
done
man tikc run | grep -q -e --expect'
step 'completion'
inside "bash -ec '. /usr/share/bash-completion/bash_completion; _completion_loader tikc || [ \$? = 124 ]; complete -p tikc
COMP_WORDS=(tikc run --backend e) COMP_CWORD=3; _tikc; [ \"\${COMPREPLY[*]}\" = emu ]'"
step 'C programs'
use 'cp /usr/share/tikc/samples/c/compile_and_run.c .
gcc compile_and_run.c $(pkg-config --cflags --libs tikc tikrt) -o shared
gcc -static compile_and_run.c $(pkg-config --static --cflags --libs tikc tikrt) -o static
./shared FACTOR=3
./static FACTOR=3
tikc build scale.tik --emit shared -o libscale.so'
step 'Python'
use 'python3 -c "import tikc, numpy
k = tikc.compile(\"scale.tik\")
assert k.kernel.backend == \"host\" and (k(numpy.ones(4096, \"float32\")) == 1.5).all()
print(tikc.__version__)"'
removed "$temporary/tools" tikc libtikrt0 libtikc0 libtikc-dev python3-tikc tikc-doc
step 'passed'
