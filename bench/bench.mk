# bench.mk: builds what `make bench` measures into $(BUILD)/bench and runs it.
#   make bench                    everything
#   make bench-SECTION            kernels, families, latency, launch, loads, machine or front alone
#   make bench KERNELS=add_f16    only these kernels; 13: the thirteen, extra: the others
#   PEERS=tikc,hand,roof          only these peers         THREADS=1|2      ROUNDS=N
#   JSON=FILE                     keeps the figures        BASE=path/tikc   compares with another build
BENCH   := $(BUILD)/bench
CLANG   ?= clang-19
CLANGXX ?= clang++-19
GCC     ?= gcc
PEER_FLAGS = -std=gnu11 -D_GNU_SOURCE -O3 -march=native -fPIC -shared -fvisibility=hidden
has_compiler = $(shell command -v $(1) 2>/dev/null)
has_header = $(firstword $(wildcard $(foreach d,/usr/include /usr/include/*,$d/$(1))))
# The loops by hand need vectors of 512 bits with byte operations and VNNI.
NATIVE := $(shell $(GCC) -march=native -dM -E - </dev/null 2>/dev/null | grep -cE '__AVX512(BW|DQ|VL|VNNI)__ 1')

# Peers that can be built here; those that cannot are in the file `absent` with the reason.
BLAS_DIR   := $(dir $(or $(call has_header,openblas-pthread/cblas.h),$(call has_header,openblas/cblas.h)))
HALIDE_DIR := $(dir $(call has_header,Halide.h))
HALIDE_LIB := Halide$(patsubst halide%,%,$(filter halide%,$(notdir $(HALIDE_DIR:/=))))
C_COMPILERS = $(if $(call has_compiler,$(GCC)),gcc) $(if $(call has_compiler,$(CLANG)),clang)
PEERS_HERE  = roof $(C_COMPILERS:%=naive-%) $(if $(filter 4,$(NATIVE)),$(C_COMPILERS:%=hand-%)) \
    $(if $(BLAS_DIR),openblas) $(if $(and $(call has_header,dnnl.hpp),$(call has_compiler,$(CLANGXX))),onednn) \
    $(if $(and $(HALIDE_DIR),$(call has_compiler,$(CLANGXX))),halide)
WHY_hand-gcc    = this processor has no AVX-512 with VNNI, or there is no $(GCC)
WHY_hand-clang  = this processor has no AVX-512 with VNNI, or there is no $(CLANG)
WHY_naive-gcc   = there is no $(GCC)
WHY_naive-clang = there is no $(CLANG)
WHY_openblas    = package libopenblas-dev is not installed
WHY_onednn      = package libdnnl-dev is not installed
WHY_halide      = package libhalide14-0-dev is not installed
PEERS_KNOWN = $(subst WHY_,,$(filter WHY_%,$(.VARIABLES)))
ABSENT      = $(filter-out $(PEERS_HERE),$(PEERS_KNOWN))
$(BENCH)/absent: FORCE
	@mkdir -p $(@D)
	@{ $(foreach p,$(ABSENT),echo '$p: $(WHY_$p)';) true; } > $@

HAND_SRC   := $(wildcard bench/peers/hand/*.c) bench/peers/par.c
PEER_HEADS := $(wildcard bench/peers/*.h bench/peers/hand/*.h)
$(BENCH)/worker: bench/peers/worker.c bench/peers/peer.h
	@mkdir -p $(@D)
	$(call say,LD,$@)$(GCC) -std=gnu11 -O2 $(WARN) -o $@ $< -ldl
peer = @mkdir -p $(@D); $(if $(V),set -x;,$(if $(SILENT),,echo 'PEER $@';))
$(BENCH)/roof.so: bench/peers/roof.c bench/peers/par.c $(PEER_HEADS)
	$(peer) $(or $(call has_compiler,$(CLANG)),$(GCC)) $(PEER_FLAGS) -o $@ $(filter %.c,$^) -lpthread
$(BENCH)/naive-gcc.so: bench/peers/naive.c $(PEER_HEADS)
	$(peer) $(GCC) $(PEER_FLAGS) -o $@ $< -lm
$(BENCH)/naive-clang.so: bench/peers/naive.c $(PEER_HEADS)
	$(peer) $(CLANG) $(PEER_FLAGS) -o $@ $< -lm
$(BENCH)/hand-gcc.so: $(HAND_SRC) $(PEER_HEADS)
	$(peer) $(GCC) $(PEER_FLAGS) -mprefer-vector-width=512 -o $@ $(filter %.c,$^) -lpthread -lm
$(BENCH)/hand-clang.so: $(HAND_SRC) $(PEER_HEADS)
	$(peer) $(CLANG) $(PEER_FLAGS) -mprefer-vector-width=512 -o $@ $(filter %.c,$^) -lpthread -lm
$(BENCH)/openblas.so: bench/peers/openblas.c $(PEER_HEADS)
	$(peer) $(GCC) $(PEER_FLAGS) -I$(BLAS_DIR) -o $@ $< -lopenblas
$(BENCH)/onednn.so: bench/peers/onednn.cpp $(PEER_HEADS)
	$(peer) $(CLANGXX) -std=c++17 -O3 -march=native -fPIC -shared -fvisibility=hidden -o $@ $< -ldnnl
$(BENCH)/halide_make: bench/peers/halide_make.cpp
	$(peer) $(CLANGXX) -std=c++17 -O1 -I$(HALIDE_DIR) -o $@ $< -l$(HALIDE_LIB) -lpthread -ldl
$(BENCH)/halide.so: $(BENCH)/halide_make bench/peers/halide.c $(PEER_HEADS)
	$(peer) mkdir -p $(BENCH)/halide && $< $(BENCH)/halide && \
	    $(GCC) $(PEER_FLAGS) -I$(BENCH)/halide -I$(HALIDE_DIR) -o $@ bench/peers/halide.c $(BENCH)/halide/*.o -lpthread -ldl -lm

# Our kernels as anyone would use them: shared libraries, launched through libtikrt.
BENCH_TIK := $(wildcard bench/kernels/*.tik)
# Of kernels with functions also the reading of fast ones, whose bits are others: NAME.fast.
FAST_READING = softmax_f32 gelu_f32
OURS      := $(BENCH_TIK:bench/kernels/%.tik=$(BENCH)/tikc/%.so) $(FAST_READING:%=$(BENCH)/tikc/%.fast.so)
$(BENCH)/tikc/%.so: bench/kernels/%.tik $(BUILD)/tikc $(BUILD)/libtikc-host.so $(BUILD)/libtikrt.so
	@mkdir -p $(@D)
	$(call say,TIKC,$@)$(BUILD)/tikc build $< --emit shared -o $@
$(BENCH)/tikc/%.fast.so: bench/kernels/%.tik $(BUILD)/tikc $(BUILD)/libtikc-host.so $(BUILD)/libtikrt.so
	@mkdir -p $(@D)
	$(call say,TIKC,$@)$(BUILD)/tikc build $< --choice U5=fast --emit shared -o $@
$(BENCH)/tikc.so: bench/peers/tikc.c $(PEER_HEADS) $(wildcard runtime/include/*.h runtime/isa/*.h)
	$(peer) $(CC) $(PEER_FLAGS) -Iruntime/include -Iruntime -o $@ $< -ldl

# Another build: its compiler, its libtikrt, and the peer with its headers (of its tree, or of where it is installed).
.PHONY: bench-base bench-peers
bench-base:
	@rm -rf $(BENCH)/base
	$(if $(BASE),$(PYTHON) bench/base.py $(BASE) $(BENCH)/base bench/peers/tikc.c $(BENCH_TIK))

bench-peers: $(BENCH)/absent $(BENCH)/worker $(PEERS_HERE:%=$(BENCH)/%.so) $(BENCH)/tikc.so $(OURS)

# Programs of their own: the compiler of C gets everything that the machine has.
NATIVE_FLAGS = -std=c11 -O3 -march=native -fPIC
BENCH_LIBS = $(BUILD)/libtikc-host.so $(BUILD)/libtikc.a $(BUILD)/libtikrt.a
define BENCH_PROGRAM
$$(BENCH)/$(1): bench/programs/$(1).c $$(wildcard bench/programs/*.h bench/programs/*.def) $(2) $$(BENCH_LIBS)
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)$$(CC) $$(CPPFLAGS) $$(CFLAGS) -Wno-missing-prototypes -pthread -o $$@ $$< $(2) $$(BENCH_LIBS) \
	    $$(LDFLAGS) $$(LIBS) -ldl
endef
# The loops that vector instructions are compared with, by two compilers; products and sums are rounded apart, as in kernels.
FAMILY_OBJ = $(BENCH)/families_cc.o $(BENCH)/families_clang.o
$(eval $(call BENCH_PROGRAM,families,$$(FAMILY_OBJ)))
$(eval $(call BENCH_PROGRAM,cube,$$(BENCH)/cube_baseline.o))
$(foreach p,num pack machine launch,$(eval $(call BENCH_PROGRAM,$p,)))
# This one loads the host back end as the tool does.
$(BENCH)/latency: bench/programs/latency.c bench/programs/timing.h $(HOST_OPEN) $(BENCH_LIBS)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -pthread -o $@ $< $(HOST_OPEN) $(BUILD)/libtikc.a $(BUILD)/libtikrt.a \
	    $(LDFLAGS) $(LIBS) -ldl
$(BENCH)/families_cc.o: bench/programs/families_baseline.c bench/programs/families_baseline.h
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(NATIVE_FLAGS) -ffp-contract=off -DFAMILIES=families_cc -c $< -o $@
$(BENCH)/families_clang.o: bench/programs/families_baseline.c bench/programs/families_baseline.h
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CLANG) $(NATIVE_FLAGS) -ffp-contract=off -DFAMILIES=families_clang -c $< -o $@
$(BENCH)/cube_baseline.o: bench/programs/cube_baseline.c bench/programs/cube_baseline.h
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(NATIVE_FLAGS) -c $< -o $@
$(BENCH)/conv_baseline.so: bench/loads/conv_baseline.c
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(NATIVE_FLAGS) -ffp-contract=off -shared -o $@ $<
$(BENCH)/peak: bench/programs/peak.c
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -std=c11 -D_DEFAULT_SOURCE $(WARN) -O2 -o $@ $<

BENCH_ARGS = $(if $(KERNELS),--kernels $(KERNELS)) $(if $(PEERS),--peers $(PEERS)) $(if $(THREADS),--threads $(THREADS)) \
    $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(JSON),--json $(JSON))
# Each section alone: make bench-families and so on. With KERNELS or PEERS, make bench is the kernels alone.
BENCH_SECTIONS = $(if $(KERNELS)$(PEERS)$(BASE),kernels,kernels families latency launch loads machine front)
bench: packages
	$(SUBMAKE) all
	$(SUBMAKE) $(BENCH_SECTIONS:%=bench-%) -j1
bench-kernels: all
	$(SUBMAKE) bench-peers bench-base
	$(PYTHON) bench/run.py $(BUILD) $(BENCH_ARGS)
bench-families: all
	$(SUBMAKE) $(BENCH)/families $(BENCH)/cube $(BENCH)/num
	$(PYTHON) bench/families.py $(BENCH)/families $(JSON)
	$(BENCH)/cube
	$(BENCH)/num
LATENCY_TIK = $(addprefix samples/,example1_copy.tik example3_large.tik softmax.tik) \
    $(wildcard bench/kernels/*_f16.tik bench/kernels/*_f32.tik bench/kernels/*_i8.tik bench/kernels/copy.tik)
bench-latency: all
	$(SUBMAKE) $(BENCH)/latency $(BENCH)/peak
	$(PYTHON) bench/front/latency.py $(BUILD)
	$(BENCH)/latency 8 $(LATENCY_TIK)
bench-launch: all
	$(SUBMAKE) $(BENCH)/launch
	$(BENCH)/launch
bench-loads: all
	$(SUBMAKE) $(BENCH)/conv_baseline.so
	$(PYTHON) bench/loads/slices.py $(BUILD)
	$(PYTHON) bench/loads/conv.py $(BUILD)
	$(PYTHON) bench/loads/atomics.py $(BUILD)
bench-machine: all
	$(SUBMAKE) $(BENCH)/machine $(BENCH)/pack
	$(BENCH)/machine
	$(BENCH)/pack
bench-front: all
	$(SUBMAKE) $(BENCH)/peak $(BUILD)/tools/stagerun
	$(PYTHON) bench/front/processes.py $(BUILD)
.PHONY: bench-kernels bench-families bench-latency bench-launch bench-loads bench-machine bench-front
