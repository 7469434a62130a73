# deb.mk: Debian packages of the tree as it stands: make deb
# They are built by dpkg-buildpackage in a copy of the files that git knows, without root, and left in $(BUILD)/deb. The
# version is the Makefile's; what packages the build needs is in packaging/debian/control. `make deb-test` installs, uses
# and removes them in an empty Debian (needs root and debootstrap).
DEB = $(BUILD)/deb
DEB_SRC = $(DEB)/tikc-$(VERSION)
DEB_MAINTAINER = $(shell sed -n 's/^Maintainer: //p' packaging/debian/control)

deb-tree:
	$(call say,COPY,$(DEB_SRC))rm -rf $(DEB) && mkdir -p $(DEB_SRC)
	@git ls-files -z | xargs -0 cp -p --parents -t $(DEB_SRC)
	@cp -r packaging/debian $(DEB_SRC)/
	@printf 'tikc (%s) unstable; urgency=medium\n\n  * CHANGELOG.md of the package tikc-doc tells what changed.\n\n -- %s  %s\n' \
	    '$(VERSION)' '$(DEB_MAINTAINER)' "$$(git log -1 --format=%cD)" > $(DEB_SRC)/debian/changelog

# The build is one of its own: no setting of this make reaches it, nor programs that are not Debian's.
DEB_PATH = /usr/sbin:/usr/bin:/sbin:/bin
deb: deb-tree
	$(call say,DEB,$(DEB))cd $(DEB_SRC) && env -u MAKEFLAGS -u MAKELEVEL -u BUILD PATH=$(DEB_PATH) dpkg-buildpackage -b -us -uc -J$(JOBS)
	@rm -rf $(DEB_SRC)

deb-test: deb
	tools/deb-test.sh $(DEB)
.PHONY: deb deb-tree deb-test
