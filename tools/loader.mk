# loader.mk: a loader for one family of processors, for devices: make loader TARGET=Ascend310P
#   OPS='data_move vec_add'   only these of its instructions (and those that every processor has)
#   LOADER_CC, LOADER_CFLAGS  the compiler of the device
#   COMPACT=thumbv7em-none-eabi   the verifier as byte code (tools/compact), which clang-19 compiles for that triple; then
#                             other build systems need -DTIK_COMPACT, too
# build/loader/TARGET/src has all sources, for other build systems: every .c file, with -DTIK_LEAN, -I to the folder and
# to include/ in it. build/loader/TARGET/libtikload.a is what LOADER_CC makes of them. Nothing in them calls a C library but
# memcpy, memmove, memset and memcmp, which blob/bytes.c has.
TARGET        ?= Ascend310P
OPS           ?=
LOADER_CC     ?= $(CC)
LOADER_CFLAGS ?= -Os
LOADER_DIR     = $(BUILD)/loader/$(TARGET)
LOADER_SRC    := $(addprefix runtime/,$(addprefix blob/,open.c tables.c decode.c digest.c line.c name.c call.c pack.c verify.c prove.c workspace.c trust.c bytes.c) \
    isa/machine.c isa/interval.c lean/isa.c lean/integer.c num/scalar_interval.c num/scalar_type.c layout/lmem_pack.c layout/lmem.c \
    layout/fractal.c) $(filter-out runtime/rules/lmem_banks.c runtime/rules/shape.c,$(wildcard runtime/rules/*.c))
# Arguments of check_fail are left out with the texts that they are for.
LOADER_WARN    = -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-variable -Wno-unused-parameter -Wno-unused-function
LOADER_FLAGS   = -std=c11 -ffreestanding -DTIK_LEAN $(if $(COMPACT),-DTIK_COMPACT) -ffunction-sections -fdata-sections $(LOADER_WARN)
COMPACT       ?=
CLANG         ?= clang-19
# What becomes byte code. It has the layout of structures of the device's compiler, enumerations included.
COMPACT_SRC   := $(filter runtime/rules/% runtime/layout/%,$(LOADER_SRC)) $(addprefix runtime/,blob/verify.c blob/prove.c isa/interval.c num/scalar_interval.c)
LOADER_OWN     = $(if $(COMPACT),$(filter-out $(COMPACT_SRC),$(LOADER_SRC)) runtime/lean/compact.c $(COMPACT_CODE),$(LOADER_SRC))
COMPACT_CODE   = $(LOADER_DIR)/src/lean/compact_code.c
COMPACT_FLAGS  = --target=$(COMPACT) -std=c11 -ffreestanding -DTIK_LEAN -DTIK_COMPACT -Oz -fno-inline -fno-unroll-loops -fno-vectorize \
    -fno-slp-vectorize -w -I$(LOADER_DIR)/src -Iruntime -Iruntime/include -emit-llvm

$(BUILD)/family-tables: tools/family-tables.c $(BUILD)/libtikrt.a
	$(call say,LD,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(BUILD)/libtikrt.a $(LDFLAGS) $(LIBS) -pthread

COMPACT_TOOL  := $(patsubst tools/%.c,$(BUILD)/tools/%.o,$(wildcard tools/compact/*.c))
$(COMPACT_TOOL): $(BUILD)/tools/%.o: tools/%.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -isystem $(shell $(LLVM_CONFIG) --includedir) -MMD -MP -c -o $@ $<

$(BUILD)/compact: $(COMPACT_TOOL)
	$(call say,LD,$@)$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(shell $(LLVM_CONFIG) --ldflags --libs) -lm
-include $(COMPACT_TOOL:.o=.d)

loader: $(BUILD)/family-tables $(if $(COMPACT),$(BUILD)/compact)
	$(call say,LOADER,$(LOADER_DIR))rm -rf $(LOADER_DIR) && mkdir -p $(LOADER_DIR)/src $(LOADER_DIR)/obj
	@$< $(TARGET) $(LOADER_DIR)/src $(OPS)
	@$(if $(COMPACT),mkdir -p $(LOADER_DIR)/src/lean && enums=$$(cd $(LOADER_DIR)/obj && \
	    echo 'enum e { A }; _Static_assert(sizeof(enum e) == 1, "");' | $(LOADER_CC) $(LOADER_CFLAGS) -c -x c - -o enums 2>/dev/null && \
	    rm -f enums* && echo -fshort-enums); for f in $(COMPACT_SRC); do $(CLANG) $(COMPACT_FLAGS) $$enums -c $$f -o $(LOADER_DIR)/obj/$$(echo $$f | tr / _).bc \
	    || exit; done && $(BUILD)/compact verify_kernel $(COMPACT_CODE) $(COMPACT) $(LOADER_DIR)/obj/*.bc && rm $(LOADER_DIR)/obj/*.bc)
	@cp --parents -t $(LOADER_DIR) $$($(CC) $(LOADER_FLAGS) -I$(LOADER_DIR)/src -Iruntime -Iruntime/include -MM $(LOADER_OWN) | \
	    tr -s ' \\' '\n\n' | grep '^runtime/' | sort -u)
	@cp -r $(LOADER_DIR)/runtime/. $(LOADER_DIR)/src && rm -r $(LOADER_DIR)/runtime
	@cd $(LOADER_DIR)/src && for f in $$(find . -name '*.c'); do o=../obj/$$(echo $$f | tr / _ | sed 's/^\._//; s/c$$/o/'); \
	    $(LOADER_CC) $(LOADER_FLAGS) $(LOADER_CFLAGS) -I. -Iinclude -c $$f -o $$o || exit; done
	@$(AR) qcs $(LOADER_DIR)/libtikload.a $(LOADER_DIR)/obj/*.o
.PHONY: loader
