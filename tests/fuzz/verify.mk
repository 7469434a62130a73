# verify.mk: the fuzzing target of loader and verifier alone, with coverage of their files only: make fuzz-verify FUZZ_RUNS=N
# An execution reads whether the blob fits a processor, opens it, which compares checksums and decodes every descriptor, and verifies up to
# four kernels with a workspace of exactly the size that is asked for, all under both sanitizers. Loader and rules are compiled for them;
# the rest of the library is what the suite tests. Branches of the loader are counted, but not each value that it compares, nor the loops of
# checksums and what changes the inputs: that took two thirds of the time, and about as many inputs with new branches are found without.
FUZZ_V     = $(BUILD)/fuzz-verify
FUZZ_V_CC  = clang-19
FUZZ_V_SRC = $(LOADER_FILES) $(wildcard runtime/rules/*.c) runtime/isa/interval.c runtime/num/scalar_interval.c
FUZZ_V_OBJ = $(FUZZ_V_SRC:%.c=$(FUZZ_V)/%.o)
FUZZ_V_RT  = $(FUZZ_V_OBJ) $(filter-out $(call obj,$(FUZZ_V_SRC)),$(RT_OBJ))
FUZZ_V_ALL = $(CPPFLAGS) $(filter-out -mstringop-strategy=libcall,$(CFLAGS)) $(FUZZ_FLAGS)

$(filter-out %/digest.o,$(LOADER_FILES:%.c=$(FUZZ_V)/%.o)): FUZZ_V_ALL += -fsanitize-coverage=inline-8bit-counters,pc-table
$(FUZZ_V)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(FUZZ_V_CC) $(FUZZ_V_ALL) -MMD -MP -c $< -o $@
$(FUZZ_V)/tests/fuzz/fuzz_verify.o: FUZZ_V_ALL += -Wno-missing-prototypes
$(FUZZ_V)/fuzz_verify: $(FUZZ_V)/tests/fuzz/fuzz_verify.o $(FUZZ_V_RT)
	$(call say,LD,$@)$(FUZZ_V_CC) $(FUZZ_V_ALL) -fsanitize=fuzzer -pthread -o $@ $< $(FUZZ_V_RT) $(LDFLAGS) -lm
fuzz-verify: $(FUZZ_V)/fuzz_verify
	@mkdir -p $(FUZZ_V)/found
	$< -runs=$(FUZZ_RUNS) -seed=$(or $(SEED),1) -max_len=4096 -timeout=20 -print_final_stats=1 -artifact_prefix=$(FUZZ_V)/ \
	    $(FUZZ_V)/found tests/fuzz/corpus/verify tests/blobs/refused tests/blobs/inside
.PHONY: fuzz-verify
-include $(FUZZ_V_OBJ:.o=.d) $(FUZZ_V)/tests/fuzz/fuzz_verify.d
