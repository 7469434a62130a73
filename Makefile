# Makefile: builds tikc and its libraries into build/ (or BUILD=DIR).
#   make            build/tikc, libtikc, libtikrt, libtikc-host and its helpers; V=1 shows the commands
#   make demo       installs what is missing (packages.txt), builds, runs the samples on both back ends
#   make test       the whole test suite
#   make fresh      make demo and make test in an empty Debian 12 (needs root and debootstrap)
#   make check-san  the suite under address and undefined-behaviour sanitizers; SUITE='--only lit' is a part, of make test too
#   make check-tsan what works with several threads, under ThreadSanitizer
#   make mutants MUTANTS=N SEED=S   one-line changes of the sources, each of which some test must notice
#   make check-passes   what executes kernels, without each pass of the host back end and without all of them
#   make loader     a freestanding loader for devices: TARGET=Ascend310P, COMPACT=TRIPLE with a small verifier (tools/loader.mk)
#   make bench      speed and memory, side by side
#   make functions-long, make pairs-long   functions of every argument, float16 in every pair (docs/testing.md)
#   make kernels-long           500,000 random kernels: as written, as the passes leave them, emulator and model the same
#   make orders-long            all orders of small programs of queues (docs/testing.md)
#   make schedules-long         samples, kernels of tests and golden cases in 1000 orders of their queues
#   make properties-long        the same and changed blobs: what is proved of them against mode check
#   make fuzz       long fuzzing runs (FUZZ_RUNS=N, FUZZ_TARGET=source|blob|ir); make fuzz-verify: loader and verifier alone
#   make coverage-blob          branches of loader and verifier that no test takes; the suite has it, too
#   make checks-removed         the tests of blobs without each check of loader and verifier
#   make install, make uninstall   PREFIX=/usr/local, LIBDIR and DESTDIR honoured (packaging/install.mk)
#   make deb, make deb-test     Debian packages, in build/deb; installed and removed in an empty Debian 12 (packaging/deb.mk)
#   make lint       formatting, include direction, function length, generated pages
#   make hooks      lets git run lint on what is committed
#   make docs       regenerates the generated pages of docs/
#   make blobs      makes the conformance set of the blob format, tests/blobs
BUILD    ?= build
PREFIX   ?= /usr/local
CC       ?= cc
AR       ?= ar
OPT      ?= -O2 -g
SAN      ?=
WARN      = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wswitch \
            -Wno-missing-field-initializers
CPPFLAGS += -Icompiler -Icompiler/include -Iruntime -Iruntime/include -I$(BUILD)/gen
CFLAGS   += -std=c11 -D_POSIX_C_SOURCE=200809L -fPIC -fvisibility=hidden -fno-semantic-interposition $(OPT) $(WARN) $(SAN)
# Of loops over numbers, whose bits are the same whatever the processor has: no operation is contracted. The other
# flags let operations be done on lanes that do not count, and let sqrt be one instruction, since it sets no errno.
# Copies of a few bytes are calls: string instructions, which gcc takes for them, take longer to begin than the copy.
CALLS := $(shell $(CC) -mstringop-strategy=libcall -x c -E /dev/null >/dev/null 2>&1 && echo -mstringop-strategy=libcall)
NUMERIC   = -O3 -ffp-contract=off -fno-trapping-math -fno-math-errno $(CALLS)
LLVM_CONFIG ?= llvm-config-19

VERSION := 0.1.0

# A recipe says in a word what it does, then its own output follows; V=1 and make -n show the commands.
SILENT = $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V),,@$(if $(SILENT),,$(info $(1) $(2))))
# Sub-makes share the jobs of a make that has some, and get one per processor otherwise.
MAKEFLAGS += --no-print-directory
SUBMAKE = +$(if $(V),,@)$(MAKE) $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))

RT_SRC   := $(wildcard runtime/isa/*.c runtime/num/*.c runtime/layout/*.c runtime/support/*.c runtime/rules/*.c runtime/ops/*.c \
              runtime/blob/*.c runtime/emu/*.c runtime/launch/*.c)
# What opens libtikc-host.so for programs with the compiler in them.
NATIVE_SRC = compiler/lib/native.c compiler/host/open.c
TIKC_SRC := $(wildcard compiler/base/*.c compiler/syntax/*.c compiler/python/*.c compiler/ir/*.c compiler/tik/*.c \
              compiler/tik/calls/*.c compiler/analysis/*.c compiler/passes/*.c compiler/stream/*.c \
              $(filter-out $(NATIVE_SRC),$(wildcard compiler/lib/*.c)))
GEN_SRC  := $(BUILD)/gen/tik.tab.c $(BUILD)/gen/tik.lex.c $(BUILD)/gen/stdlib.c
LIB_TIK  := $(wildcard stdlib/*.tik)
HOST_SRC := $(filter-out compiler/host/open.c,$(wildcard compiler/host/*.c compiler/host/lower/*.c))
DRV_SRC  := $(wildcard compiler/driver/*.c compiler/lsp/*.c) compiler/host/open.c

obj       = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
# Loops over arrays, compiled once for each level of the processors' vector units (runtime/num/lanes.h).
LANES_SRC := $(wildcard runtime/*/*_lanes.c)
LEVELS     = $(or $(LEVELS_$(notdir $(1))),base avx2)
LEVELS_conv_lanes   = base avx2 avx512
LEVELS_cube_lanes   = base avx2 avx512
LEVELS_deq_lanes    = base avx2 avx512
LEVELS_dot_lanes    = base avx2 avx512 vnni
LEVELS_fn_lanes     = base avx2 avx512
LEVELS_fn_step_lanes = base avx2 avx512
LEVELS_gather_lanes = base avx512
LEVELS_gemm_lanes   = base avx2 avx512 vnni
LEVELS_half_lanes   = half
LEVELS_rows_lanes   = base avx2 avx512
LEVELS_tiles_lanes  = base avx2 avx512
LEVELS_vector_lanes = base avx2 avx512
LANES_OBJ := $(foreach f,$(basename $(LANES_SRC)),$(patsubst %,$(BUILD)/obj/$f.%.o,$(call LEVELS,$f)))
RT_OBJ   := $(call obj,$(filter-out $(LANES_SRC),$(RT_SRC))) $(LANES_OBJ)
TIKC_OBJ := $(call obj,$(TIKC_SRC)) $(patsubst $(BUILD)/gen/%.c,$(BUILD)/obj/gen/%.o,$(GEN_SRC))
HOST_OBJ := $(call obj,$(HOST_SRC))
DRV_OBJ  := $(call obj,$(DRV_SRC)) $(BUILD)/obj/gen/pages.o $(BUILD)/obj/gen/examples.o

HAVE_LLVM := $(shell command -v $(LLVM_CONFIG) 2>/dev/null)
LIBS = -lgmp -lm
TOOL_LIBS = -lsodium -ljansson -ldl

.PHONY: all demo test mutants check-passes check-san check-tsan bench fuzz lint docs blobs clean packages format

LEVEL_NAMES := $(if $(filter x86_64,$(shell uname -m)),$(if $(SAN),,$(shell grep ^LEVEL compiler/host/level.def | cut -d '"' -f 2)))
HELPER_SETS := $(if $(HAVE_LLVM),$(LEVEL_NAMES:%=$(BUILD)/libtikc-helpers-%.so))

COMMAND_WORDS := $(shell grep ^COMMAND compiler/driver/command.def | cut -d '"' -f 2)
MAN_PAGES := $(BUILD)/gen/tikc.1 $(COMMAND_WORDS:%=$(BUILD)/gen/tikc-%.1)
COMPLETIONS := $(BUILD)/gen/tikc.bash $(BUILD)/gen/tikc.fish

# Processes that work together (docs/cluster.md); where there is no Open MPI everything else is built.
MPI ?= ompi-c
MPI_LIB := $(if $(shell pkg-config --exists $(MPI) 2>/dev/null && echo yes),$(BUILD)/libtikc-mpi.so)

# Of each library: the name that a program is linked by, and the shared and static files that are installed.
LIBRARIES = tikrt tikc
# No rule but those of this file: make would link compiler/driver/page of page.c, for one.
.SUFFIXES:
%: %.c

all: $(BUILD)/tikc $(BUILD)/libtikc-host.so $(MPI_LIB) $(HELPER_SETS) $(MAN_PAGES) $(COMPLETIONS) \
    $(foreach l,$(LIBRARIES),$(BUILD)/lib$l.so $(BUILD)/static/lib$l.a)

# Objects are made again when the flags change.
FLAGS := $(CFLAGS) $(NUMERIC)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D) && { echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@; }
.PHONY: FORCE

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) $(EXTRA_$(subst /,_,$*)) -MMD -MP -c $< -o $@

define LEVEL_RULE
$$(BUILD)/obj/%.$(1).o: %.c $$(BUILD)/flags
	@mkdir -p $$(@D)
	$$(call say,CC,$$< ($(1)))$$(CC) $$(CPPFLAGS) $$(CFLAGS) -DLANES_AT_$(1) -MMD -MP -c $$< -o $$@
endef
$(foreach l,base avx2 avx512 vnni half,$(eval $(call LEVEL_RULE,$l)))

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-unused-function -Wno-unused-but-set-variable \
	    -Wno-missing-prototypes -Wno-sign-compare -MMD -MP -c $< -o $@

$(BUILD)/gen/tik.tab.c: grammar/tik.y
	@mkdir -p $(@D)
	$(call say,BISON,$<)bison -Werror -Wcounterexamples -d -o $@ $<
$(BUILD)/gen/tik.tab.h: $(BUILD)/gen/tik.tab.c ;
$(BUILD)/gen/tik.lex.c: grammar/tik.l $(BUILD)/gen/tik.tab.h
	@mkdir -p $(@D)
	$(call say,FLEX,$<)flex --header-file=$(@:.c=.h) -o $@ $<
$(BUILD)/gen/tik.lex.h: $(BUILD)/gen/tik.lex.c ;

# The modules that are written in the language itself. The folder counts too: a file may go.
$(BUILD)/gen/stdlib.c: tools/embed.py $(LIB_TIK) stdlib
	@mkdir -p $(@D)
	$(call say,EMBED,$@)$(PYTHON) tools/embed.py $@ $(LIB_TIK)

# The pages of HTML that commands write, with their styles and scripts.
PAGES := $(wildcard compiler/driver/page/*)
$(BUILD)/gen/pages.c: tools/embed_pages.py tools/embed.py $(PAGES) compiler/driver/page
	@mkdir -p $(@D)
	$(call say,EMBED,$@)$(PYTHON) tools/embed_pages.py $@ compiler/driver/page

# The examples that 'tikc explain' shows.
$(BUILD)/gen/examples.c: tools/embed_examples.py tools/example_table.py tools/call_table.py tools/embed.py compiler/tik/call.def docs/examples \
    $(wildcard docs/examples/*.tik)
	@mkdir -p $(@D)
	$(call say,EMBED,$@)$(PYTHON) tools/embed_examples.py $@

# The manual pages and the completions, of the tables that --help prints.
OPTION_TABLES = tools/driver_tables.py tools/isa_tables.py tools/call_table.py compiler/base/diag.def compiler/tik/call.def \
    $(wildcard compiler/driver/*.def compiler/passes/*.def runtime/isa/*.def)
$(MAN_PAGES) &: tools/gen-man.py $(OPTION_TABLES) Makefile
	@mkdir -p $(@D)
	$(call say,MAN,$(BUILD)/gen/tikc.1)$(PYTHON) tools/gen-man.py $(VERSION) $(BUILD)/gen
$(COMPLETIONS): $(BUILD)/gen/tikc.%: tools/gen-completion.py $(OPTION_TABLES)
	@mkdir -p $(@D)
	$(call say,COMPLETION,$@)$(PYTHON) tools/gen-completion.py $* $@

# Files that include the generated headers need them first; everything of the front end waits.
$(call obj,$(wildcard compiler/syntax/*.c)): | $(BUILD)/gen/tik.tab.c $(BUILD)/gen/tik.lex.c

# LLVM's headers are only for the host back end; loops over numbers are
# vectorised by the compiler.
$(HOST_OBJ): CPPFLAGS += $(shell $(LLVM_CONFIG) --cppflags 2>/dev/null | sed 's/-I/-isystem /')
$(BUILD)/obj/compiler/host/emit.o: CPPFLAGS += -DRUNTIME_NAME='"libtikrt.so.$(SOVERSION)"'
$(LANES_OBJ) $(call obj,$(wildcard $(foreach d,emu ops num layout,runtime/$d/*.c))): CFLAGS += $(NUMERIC)
$(BUILD)/obj/compiler/python/call.o: CFLAGS += $(CALLS)
$(call obj,$(DRV_SRC) $(wildcard compiler/lib/*.c compiler/stream/*.c)): CPPFLAGS += -DTIKC_VERSION='"$(VERSION)"'

$(BUILD)/libtikrt.a: $(RT_OBJ)
	@rm -f $@
	$(call say,AR,$@)$(AR) qcs $@ $^
$(BUILD)/libtikc.a: $(TIKC_OBJ)
	@rm -f $@
	$(call say,AR,$@)$(AR) qcs $@ $^

# Shared libraries export what their headers mark with TIK_API. The name that programs ask for changes with the
# first number of the version, which tells that programs have to be compiled again.
SOVERSION := $(firstword $(subst ., ,$(VERSION)))
SHARED = $(CC) $(CFLAGS) -shared -pthread -Wl,--exclude-libs,ALL -o $@
SONAME = -Wl,-soname,$(@F:.$(VERSION)=.$(SOVERSION))
$(BUILD)/libtikrt.so.$(VERSION): $(RT_OBJ)
	$(call say,LD,$@)$(SHARED) $(SONAME) $^ $(LDFLAGS) -lm
$(BUILD)/libtikc.so.$(VERSION): $(TIKC_OBJ) $(call obj,$(NATIVE_SRC)) $(BUILD)/libtikrt.a
	$(call say,LD,$@)$(SHARED) $(SONAME) $^ $(LDFLAGS) $(LIBS)
$(LIBRARIES:%=$(BUILD)/lib%.so): $(BUILD)/lib%.so: $(BUILD)/lib%.so.$(VERSION)
	@ln -sf $(<F) $(BUILD)/lib$*.so.$(SOVERSION)
	@ln -sf $(<F) $@

# The static libraries for users are one object each, whose hidden names are local: nothing in them collides with a
# user's names. Those above, with all names, are for the tools and tests of this tree.
merge = $(CC) -r -nostdlib -o $(@:.a=.o) $^ && objcopy $(1) $(@:.a=.o) && rm -f $@ && $(AR) qcs $@ $(@:.a=.o)
$(BUILD)/static/libtikrt.a: $(RT_OBJ)
	@mkdir -p $(@D)
	$(call say,AR,$@)$(call merge,--localize-hidden)
$(BUILD)/static/libtikc.a: $(TIKC_OBJ) $(BUILD)/libtikrt.a
	@mkdir -p $(@D)
	$(call say,AR,$@)$(call merge,--localize-hidden --wildcard --keep-global-symbol='tikc_*')

# LLVM becomes part of the library where its static form is installed: names that nobody else sees need no look-up,
# and only the parts for this machine are loaded, which takes a quarter of the time that libLLVM.so does. Sanitizers
# get libLLVM.so, since code without them is not to share a library with code that has them.
LLVM_NEEDS    = -l:libz.so.1 -l:libzstd.so.1 -lstdc++
LLVM_ARCHIVES = $(if $(SAN),,$(shell echo 'int main(void){return 0;}' | $(CC) -x c -o /dev/null - $(LLVM_NEEDS) 2>/dev/null && \
                  $(LLVM_CONFIG) --link-static --libfiles native orcjit passes 2>/dev/null))
LLVM_INSIDE   = -Wl,--gc-sections $(LLVM_NEEDS)
with_llvm    = $(if $(1),$(1) $(LLVM_INSIDE),$(shell $(LLVM_CONFIG) --link-shared --libfiles))
$(BUILD)/libtikc-host.so: $(HOST_OBJ) $(BUILD)/libtikc.a $(BUILD)/libtikrt.a
	$(call say,LD,$@)$(SHARED) $^ $(LDFLAGS) $(call with_llvm,$(LLVM_ARCHIVES)) $(LIBS)
$(BUILD)/obj/compiler/mpi/mpi.o: CPPFLAGS += $(shell pkg-config --cflags $(MPI) 2>/dev/null | sed 's/-I/-isystem /g')
$(BUILD)/libtikc-mpi.so: $(BUILD)/obj/compiler/mpi/mpi.o
	$(call say,LD,$@)$(SHARED) $^ $(LDFLAGS) $(shell pkg-config --libs $(MPI))
# Helpers of kernels, compiled for the levels of processors of compiler/host/level.def. A set serves the library that was
# built of the same sources. Sanitizers do without, so that their runs compile all code.
HELPERS_TIK  = compiler/host/helpers.tik
HELPERS_OF   = $(HOST_SRC) $(wildcard compiler/host/*.h compiler/host/*.def compiler/host/lower/*.h runtime/isa/*.def \
               runtime/isa/*.h)
$(BUILD)/gen/helpers_id.h: $(HELPERS_OF)
	@mkdir -p $(@D)
	$(call say,ID,$@)cat $^ | sha256sum | sed 's/^\(.\{16\}\).*/#define HELPERS_ID "\1"/' > $@
$(BUILD)/obj/compiler/host/ready.o: $(BUILD)/gen/helpers_id.h
# The tool takes a host back end of the same headers only.
$(BUILD)/gen/host_id.h: $(wildcard compiler/*/*.h compiler/*/*/*.h compiler/*/*.def runtime/*/*.h runtime/*/*.def)
	@mkdir -p $(@D)
	$(call say,ID,$@)cat $^ | sha256sum | sed 's/^\(.\{16\}\).*/#define HOST_ID "\1"/' > $@
$(BUILD)/obj/compiler/host/host.o $(BUILD)/obj/compiler/host/open.o: $(BUILD)/gen/host_id.h
$(BUILD)/tools/helper-set: tools/helper-set.c $(BUILD)/libtikc-host.so $(BUILD)/libtikc.a $(BUILD)/libtikrt.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -pthread -o $@ $< $(BUILD)/libtikc-host.so $(BUILD)/libtikc.a \
	    $(BUILD)/libtikrt.a $(LDFLAGS) $(LIBS)
$(BUILD)/libtikc-helpers-%.so: $(BUILD)/tools/helper-set $(HELPERS_TIK)
	$(call say,HELPERS,$@)LD_LIBRARY_PATH=$(BUILD) $< $* $(HELPERS_TIK) $(@:.so=.o) && \
	    $(CC) -shared -s -Wl,-Bsymbolic $(LDFLAGS) -o $@ $(@:.so=.o) && rm -f $(@:.so=.o)
$(BUILD)/tikc: $(DRV_OBJ) $(BUILD)/libtikc.a $(BUILD)/libtikrt.a
	$(call say,LD,$@)$(CC) $(CFLAGS) -pthread -o $@ $^ $(LDFLAGS) $(LIBS) $(TOOL_LIBS)

# Unit tests: one program per tests/unit/test_*.c.
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT_SRC))
$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libtikc.a $(BUILD)/libtikrt.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes -pthread -MMD -MP -o $@ $< \
	    $(BUILD)/libtikc.a $(BUILD)/libtikrt.a $(LDFLAGS) $(LIBS) -lcmocka
# Those of the host back end (the longest matching pattern wins).
$(BUILD)/unit/test_host%: tests/unit/test_host%.c $(BUILD)/libtikc-host.so $(BUILD)/libtikc.a \
    $(BUILD)/libtikrt.a | $(HELPER_SETS)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes -pthread -MMD -MP -o $@ $< \
	    $(BUILD)/libtikc-host.so $(BUILD)/libtikc.a $(BUILD)/libtikrt.a $(LDFLAGS) \
	    $(LIBS) -lcmocka
# One that refuses memory.
%/unit/test_blob_memory: private LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
unit: $(UNIT_BIN)
.PHONY: unit

include packaging/install.mk

# ---- targets for people ------------------------------------------------------------------------------
PYTHON = /usr/bin/python3

packages:
	@tools/install-packages.sh

# A second make, since what the packages bring is looked up when make starts.
JOBS = $(shell nproc)
demo: packages
	$(SUBMAKE) all
	tools/demo.sh $(BUILD)

TEST_TOOLS = $(BUILD)/rule-tables $(patsubst tests/tools/%.c,$(BUILD)/tools/%,$(wildcard tests/tools/*.c))
$(BUILD)/tools/%: tests/tools/%.c $(HOST_OPEN) $(BUILD)/libtikc.a $(BUILD)/libtikrt.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -pthread -MMD -MP -o $@ $< $(HOST_OPEN) $(BUILD)/libtikc.a \
	    $(BUILD)/libtikrt.a $(LDFLAGS) $(LIBS) -ldl

$(BUILD)/tools/sign_flips: LIBS += -lsodium
$(BUILD)/tools/footprints: LIBS += -Wl,--wrap=emu_finish

test: packages
	$(SUBMAKE) all unit test-tools $(if $(SAN),,fuzz-build coverage-build)
	$(PYTHON) tests/run.py $(BUILD) $(SUITE)
test-tools: $(TEST_TOOLS)
.PHONY: test-tools

# The README's two commands on a machine that has nothing but git, make and gcc.
fresh:
	tools/fresh.sh $(FRESH_ROOT)
.PHONY: fresh

# That the suite fails when an instruction loses its meaning: parts of it are taken out of a copy of tree and build.
coverage-fails: all
	BUILD=$(BUILD) CC='$(CC)' $(PYTHON) tests/tables/coverage_fails.py --build
# Random programs of vector calls in the numbers of a release; the suite runs a few of them.
PROGRAMS = 1000000
programs: all test-tools
	BUILD=$(BUILD) TIKC_FAST=32 TIKC_MODEL=100 TIKC_SEED=1000000 TIKC_CHAINS=$(PROGRAMS) \
	    $(PYTHON) tests/random/vector_programs.py --progress 60
# Random kernels as they are written, as the passes leave them, on the emulator and, each fourth, on the model: an hour and a
# half of one processor. Stopped, it says which seed goes on.
RANDOM_KERNELS = 500000
RANDOM_FIRST = 1000000
kernels-long: all test-tools
	BUILD=$(BUILD) TIKC_FAST=32 TIKC_SEED=$(RANDOM_FIRST) TIKC_PROGRAMS=$(RANDOM_KERNELS) \
	    $(PYTHON) tests/random/differential.py --progress 60
.PHONY: coverage-fails programs kernels-long
# Comparisons over all inputs: every argument of the elementary functions with MPFR, an hour of one processor; every
# pair of float16 with a model, a quarter of an hour. The processor must be an x86-64-v3 at least.
$(BUILD)/long/%: tests/long/%.c tests/long/kernels.h $(BUILD)/libtikrt.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes $(NUMERIC) -O2 -march=native -fopenmp -o $@ $< \
	    $(BUILD)/libtikrt.a $(LDFLAGS) -lmpfr -lgmp -ldl -lm
# Compiles tests/long/$(1).tik to machine code of two processors, to that of this one without the passes that need the
# fact host, and to a blob. LONG_FILES names the files as the programs want them.
long_build = $(BUILD)/tikc build tests/long/$(1).tik --soc Ascend310P3 $(3) -o $(BUILD)/long/$(2)
long_kernels = $(long_build)-v3.so --emit shared --cpu x86-64-v3 && $(long_build)-native.so --emit shared && \
    $(long_build)-plain.so --emit shared --disable all && $(long_build).blob
LONG_FILES = $(patsubst %,$(BUILD)/long/$(1)%,-v3.so -native.so -plain.so .blob)
FUNCTIONS = exp ln sqrt rec rsqrt sin cos
functions-long: all $(BUILD)/long/functions
	@$(call long_kernels,functions,functions) && $(call long_kernels,functions,fast,--choice U5=fast)
	@ok=0; run() { $(BUILD)/long/functions "$$@" || ok=1; }; \
	    for f in $(FUNCTIONS) expm1; do run $$f float16 $(call LONG_FILES,functions); done; \
	    for f in $(FUNCTIONS); do run $$f float32 $(call LONG_FILES,functions); done; \
	    for f in exp ln rsqrt; do run $$f fast $(call LONG_FILES,fast); done; exit $$ok
pairs-long: all $(BUILD)/long/pairs
	@$(call long_kernels,pairs,pairs) && $(BUILD)/long/pairs $(call LONG_FILES,pairs)
# Changed blobs of the conformance set: every bit of 200 of them, and fields with right checksums. Ten minutes. The
# samples as kernels that queues execute are there, too.
BLOB_MUTANTS = 20000000
QUEUE_BLOBS = $(patsubst samples/%.tik,$(BUILD)/long/%.queues.tkb,$(wildcard samples/*.tik))
$(BUILD)/long/%.queues.tkb: samples/%.tik $(BUILD)/tikc
	@mkdir -p $(@D)
	$(call say,TIKC,$<)$(BUILD)/tikc build $< --sync auto -o $@ 2>/dev/null
blobs-long: all $(BUILD)/long/blob_mutants $(QUEUE_BLOBS)
	$(BUILD)/long/blob_mutants flips $$(ls tests/blobs/accepted/*.tkb | head -n 200)
	$(BUILD)/long/blob_mutants random $(BLOB_MUTANTS) 1 tests/blobs/accepted/*.tkb $(QUEUE_BLOBS)
.PHONY: functions-long pairs-long blobs-long

# All small programs of queues with ORDERS descriptors (docs/testing.md), in parts that are kept: a run that was stopped
# goes on. With -j 2 two of them run at a time.
ORDERS = 5
ORDER_PARTS = 64
ORDERS_SRC = tests/unit/test_sync.c runtime/blob/sync_check.c runtime/blob/sync_overlap.c runtime/blob/sync_run.c
ORDERS_OUT = $(shell seq -f '$(BUILD)/long/orders-$(ORDERS)-%g.txt' 0 $$(($(ORDER_PARTS) - 1)))
$(BUILD)/long/orders: $(ORDERS_SRC) runtime/blob/sync.h $(BUILD)/libtikrt.a
	@mkdir -p $(@D)
	$(call say,LD,$@)clang-19 $(CPPFLAGS) $(filter-out -mstringop-strategy=libcall,$(CFLAGS)) -Wno-missing-prototypes -O3 \
	    -march=x86-64-v3 -o $@ $(ORDERS_SRC) $(BUILD)/libtikrt.a $(LDFLAGS) -lcmocka -lm
$(BUILD)/long/orders-$(ORDERS)-%.txt: $(BUILD)/long/orders
	@$< $(ORDERS) $*/$(ORDER_PARTS) >$@.tmp && mv $@.tmp $@ && grep descriptors, $@
orders-long: $(ORDERS_OUT)
	@cat $^ | awk '/descriptors, part/ { sub(".*: ", ""); gsub("[(,]", ""); for (i = 1; i <= NF; i++) n[i] += $$i } \
	    END { printf "all of $(ORDERS) descriptors: %.0f programs (%.0f tried), %.0f proved, %.0f refuted, %.0f in order but not " \
	          "proved\n", n[1], n[3], n[5], n[7], n[9] }'
.PHONY: orders-long

# Samples, kernels of tests and golden cases, executed by their queues in SCHEDULES orders, and without each flag; and
# what is proved of them and of PROPERTY_MUTANTS changed blobs against mode check (docs/testing.md).
SCHEDULES = 1000
PROPERTY_MUTANTS = 2000
GOLDEN = $(BUILD)/golden
$(GOLDEN): $(BUILD)/tikc
	@mkdir -p $@
	TIKC=$(abspath $(BUILD)/tikc) $(PYTHON) tests/golden/run_golden.py --keep $(abspath $@)
schedules-long: all $(GOLDEN)
	TIKC=$(abspath $(BUILD)/tikc) $(PYTHON) tests/cross/sync_auto.py --all --schedules $(SCHEDULES) --golden $(GOLDEN)
properties-long: all $(GOLDEN)
	TIKC=$(abspath $(BUILD)/tikc) $(PYTHON) tests/cross/properties.py --mutants $(PROPERTY_MUTANTS) --golden $(GOLDEN)
.PHONY: schedules-long properties-long

include packaging/deb.mk
include bench/bench.mk
include tools/loader.mk
include tests/branches/branches.mk
include tests/mutants/checks.mk

SAN_FLAGS = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -ftrivial-auto-var-init=pattern
# The sanitizer's own book-keeping of thread-local storage crashes its leak check now and then in
# processes that loaded LLVM, so it is off.
# Expectations of texts (lit, tables) are those of all passes.
HOST_PASSES = $(shell awk -F'"' '/FACT_HOST/ {print $$2}' compiler/passes/pass.def)
MUTANTS ?= 160
SEED    ?= 1
mutants:
	tests/mutants/mutants.py --count $(MUTANTS) --seed $(SEED)

# diffrun and what stands for tikc compare the passes one by one, of each kernel that they execute.
EACH_LOG = $(abspath $(BUILD))/passes.log
check-passes: all test-tools
	@rm -f $(EACH_LOG); ok=0; TIKC_DISABLE=each TIKC_PASSES='$(HOST_PASSES)' TIKC_EACH_LOG=$(EACH_LOG) \
	    TIKC=$(CURDIR)/tests/tools/each_pass.py BUILD=$(abspath $(BUILD)) \
	    $(PYTHON) tests/run.py $(BUILD) --timeout 20000 --only golden --only random --only cross || ok=1; \
	    awk '/^failed/ { print } !/^failed/ { n[$$1] += $$2 } END { for (p in n) print "without " p ": " n[p] " other kernels" }' \
	    $(EACH_LOG); exit $$ok

check-san: packages
	$(if $(V),,@)ASAN_OPTIONS=detect_stack_use_after_return=0:intercept_tls_get_addr=0 UBSAN_OPTIONS=print_stacktrace=1 \
	    $(MAKE) BUILD=build-san SAN="$(SAN_FLAGS)" OPT="-O1 -g" test

# The warning is of GCC about code that the sanitizer makes.
check-tsan: packages
	$(if $(V),,@)$(MAKE) BUILD=build-tsan SAN="-fsanitize=thread -Wno-stringop-overflow" OPT="-O1 -g" all $(patsubst %,build-tsan/unit/test_%,pool launch)
	PYTHON=$(PYTHON) tests/tools/tsan.sh build-tsan

# libFuzzer targets, built by clang with sanitizers in a tree of their own.
FUZZ_TARGET ?= source
FUZZ_RUNS   ?= 10000000
FUZZ_BUILD   = build-fuzz
FUZZ_FLAGS   = -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_COVERED = -fsanitize-coverage-ignorelist=tests/fuzz/plain.list
fuzz-libs:
	$(if $(V),,@)$(MAKE) BUILD=$(FUZZ_BUILD) CC=clang-19 OPT="-O2 -g1" SAN="$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link $(FUZZ_COVERED)" \
	    $(FUZZ_BUILD)/libtikc.a $(FUZZ_BUILD)/libtikrt.a
$(FUZZ_BUILD)/fuzz_%: tests/fuzz/fuzz_%.c fuzz-libs
	$(call say,LD,$@)clang-19 $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes $(FUZZ_FLAGS) -fsanitize=fuzzer -pthread \
	    -I$(FUZZ_BUILD)/gen -o $@ $< $(FUZZ_BUILD)/libtikc.a $(FUZZ_BUILD)/libtikrt.a $(LIBS)
.PHONY: fuzz-libs fuzz-build
fuzz-build: $(FUZZ_BUILD)/fuzz_source $(FUZZ_BUILD)/fuzz_blob $(FUZZ_BUILD)/fuzz_ir
fuzz: $(FUZZ_BUILD)/fuzz_$(FUZZ_TARGET)
	tests/fuzz/run.sh $(FUZZ_BUILD) $(FUZZ_TARGET) $(FUZZ_RUNS)

SOURCES = $(shell git ls-files '*.c' '*.h' 2>/dev/null)
format:
	clang-format-19 -i $(SOURCES)
include tests/fuzz/verify.mk
lint:
	$(PYTHON) tools/lint.py
# Lint before each commit, of what is committed.
hooks:
	git config core.hooksPath hooks
.PHONY: hooks

docs: $(BUILD)/tikc $(BUILD)/rule-tables
	BUILD=$(BUILD) $(PYTHON) tools/gen-docs.py

# What docs/blob-rules.md says and only the checker knows.
$(BUILD)/rule-tables: tools/rule-tables.c $(BUILD)/libtikrt.a
	$(call say,LD,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(BUILD)/libtikrt.a $(LDFLAGS) $(LIBS) -pthread

# The conformance set of the blob format, anew from its texts.
blobs: $(BUILD)/tikc
	TIKC=$(abspath $(BUILD)/tikc) $(PYTHON) tests/blobs/make.py

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj $(BUILD)/unit $(BUILD)/tools -name '*.d' 2>/dev/null)
