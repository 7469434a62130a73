# verify.mk: the fuzzing target of loader and verifier alone, with coverage of their files only: make fuzz-verify FUZZ_RUNS=N
# The rules are checked by the sanitizers as well; the rest of the library is what the suite tests.
FUZZ_V     = $(BUILD)/fuzz-verify
FUZZ_V_CC  = clang-19
FUZZ_V_SRC = $(LOADER_FILES) $(wildcard runtime/rules/*.c) runtime/isa/interval.c runtime/num/scalar_interval.c
FUZZ_V_OBJ = $(FUZZ_V_SRC:%.c=$(FUZZ_V)/%.o)
FUZZ_V_RT  = $(FUZZ_V_OBJ) $(filter-out $(call obj,$(FUZZ_V_SRC)),$(RT_OBJ))
FUZZ_V_ALL = $(CPPFLAGS) $(filter-out -mstringop-strategy=libcall,$(CFLAGS)) $(FUZZ_FLAGS)

$(LOADER_FILES:%.c=$(FUZZ_V)/%.o): FUZZ_V_ALL += -fsanitize=fuzzer-no-link
$(FUZZ_V)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(FUZZ_V_CC) $(FUZZ_V_ALL) -MMD -MP -c $< -o $@
$(FUZZ_V)/fuzz_verify: tests/fuzz/fuzz_verify.c tests/fuzz/blob_change.h $(FUZZ_V_RT)
	$(call say,LD,$@)$(FUZZ_V_CC) $(FUZZ_V_ALL) -Wno-missing-prototypes -fsanitize=fuzzer -pthread -o $@ $< $(FUZZ_V_RT) $(LDFLAGS) -lm
fuzz-verify: $(FUZZ_V)/fuzz_verify
	@mkdir -p $(FUZZ_V)/found
	$< -runs=$(FUZZ_RUNS) -seed=$(or $(SEED),1) -max_len=4096 -timeout=20 -print_final_stats=1 -artifact_prefix=$(FUZZ_V)/ \
	    $(FUZZ_V)/found tests/fuzz/corpus/verify tests/blobs/refused tests/blobs/inside
.PHONY: fuzz-verify
-include $(FUZZ_V_OBJ:.o=.d)
