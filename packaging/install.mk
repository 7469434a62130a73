# install.mk: what is installed, and where. One list says both, and uninstall takes out exactly what install puts in.
#   make install      PREFIX=/usr/local; BINDIR, LIBDIR, INCLUDEDIR, DATADIR name folders one by one; DESTDIR stands before all
#   make uninstall    with the same words; folders that other programs have files in stay
# Nothing that is installed names PREFIX: programs, libraries and pkg-config files find each other from where they are,
# so the prefix can be moved. A LIBDIR that is no lib beside BINDIR is known to the tool, which is linked again for it.
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
DOCDIR      = $(DATADIR)/doc/tikc
SAMPLEDIR   = $(DATADIR)/tikc/samples
from = $(shell realpath -ms --relative-to=$(1) $(2))

# The way from the tool to the libraries, of the file that looks for them.
HOST_OPEN = $(BUILD)/obj/compiler/host/open.o
LIBDIR_FROM_BINDIR := $(call from,$(BINDIR),$(LIBDIR))
$(BUILD)/libdir: FORCE
	@mkdir -p $(@D) && { echo '$(LIBDIR_FROM_BINDIR)' | cmp -s - $@ || echo '$(LIBDIR_FROM_BINDIR)' > $@; }
$(HOST_OPEN): $(BUILD)/libdir
$(HOST_OPEN): CPPFLAGS += -DTIKC_LIBDIR='"$(LIBDIR_FROM_BINDIR)"'

# What a program includes: the public headers, and what those include.
PUBLIC = runtime/include/tikrt.h runtime/include/tikblob.h runtime/include/tikproof.h
HEADERS = $(filter-out $(PUBLIC:=.o),$(shell $(CC) -Iruntime -Iruntime/include -x c -MM -MT x.o $(PUBLIC)))

PC_FILES = $(LIBRARIES:%=$(BUILD)/gen/%.pc)
PC = sed -e 's|@UP@|$(call from,$(LIBDIR)/pkgconfig,$(PREFIX))|; s|@LIB@|$(call from,$(PREFIX),$(LIBDIR))|' \
    -e 's|@INCLUDE@|$(call from,$(PREFIX),$(INCLUDEDIR))|; s|@VERSION@|$(VERSION)|'
$(PC_FILES): $(BUILD)/gen/%.pc: packaging/%.pc.in FORCE
	@mkdir -p $(@D) && { $(PC) $< | cmp -s - $@ || $(PC) $< > $@; }

# Words TO=FILE, and of links TO=TARGET.
into = $(foreach f,$(2),$(1)/$(notdir $(f))=$(f))
below = $(foreach f,$(3),$(1)/$(f:$(2)/%=%)=$(f))
header_place = $(patsubst include/%,%,$(1:runtime/%=%))
INSTALLED = $(BINDIR)/tikc=$(BUILD)/tikc \
    $(call into,$(LIBDIR)/tikc,$(BUILD)/libtikc-host.so $(MPI_LIB) $(HELPER_SETS)) \
    $(call into,$(LIBDIR),$(foreach l,$(LIBRARIES),$(BUILD)/lib$l.so.$(VERSION) $(BUILD)/static/lib$l.a)) \
    $(call into,$(LIBDIR)/pkgconfig,$(PC_FILES)) \
    $(foreach h,$(sort $(filter runtime/%,$(HEADERS))),$(INCLUDEDIR)/tikrt/$(call header_place,$h)=$h) \
    $(call into,$(INCLUDEDIR)/tikc,compiler/include/tikc.h compiler/include/tikrecord.h) \
    $(call into,$(DATADIR)/man/man1,$(MAN_PAGES)) \
    $(DATADIR)/bash-completion/completions/tikc=$(BUILD)/gen/tikc.bash \
    $(call into,$(DATADIR)/fish/vendor_completions.d,$(BUILD)/gen/tikc.fish) \
    $(call into,$(DOCDIR),README.md README.zh.md CHANGELOG.md CONTRIBUTING.md LICENSE) \
    $(call below,$(DOCDIR)/docs,docs,$(wildcard docs/*.* docs/*/*)) \
    $(call below,$(DATADIR)/tikc/editors,editors,$(wildcard editors/*/*.* editors/*/*/*)) \
    $(call below,$(SAMPLEDIR),samples,$(filter-out %.pyc,$(wildcard samples/*.* samples/*/*)))
LINKS = $(foreach l,$(LIBRARIES),$(LIBDIR)/lib$l.so=lib$l.so.$(VERSION) $(LIBDIR)/lib$l.so.$(SOVERSION)=lib$l.so.$(VERSION)) \
    $(DOCDIR)/samples=$(call from,$(DOCDIR),$(SAMPLEDIR))
# Folders in which nobody else has files.
OWN = $(LIBDIR)/tikc $(INCLUDEDIR)/tikc $(INCLUDEDIR)/tikrt $(DATADIR)/tikc $(DOCDIR)

install: all $(PC_FILES)
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))set -e; for f in $(INSTALLED); do to=$(DESTDIR)$${f%%=*} mode=644; \
	    case $$to in $(DESTDIR)$(BINDIR)/*) mode=755;; \
	    $(DESTDIR)$(SAMPLEDIR)/*) [ ! -x $${f#*=} ] || mode=755;; esac; install -D -m $$mode $${f#*=} $$to; done
	@set -e; for l in $(LINKS); do ln -sfn $${l#*=} $(DESTDIR)$${l%%=*}; done

uninstall:
	$(call say,REMOVE,$(DESTDIR)$(PREFIX))for f in $(INSTALLED) $(LINKS); do rm -f $(DESTDIR)$${f%%=*} || exit; done
	@for d in $(OWN); do [ ! -d $(DESTDIR)$$d ] || find $(DESTDIR)$$d -depth -type d -exec rmdir --ignore-fail-on-non-empty {} + || exit; done
.PHONY: install uninstall
