# branches.mk: which branches of loader and verifier the tests of blobs take: make coverage-blob
# Only those files are compiled for it, by clang; the rest is what the suite tests.
COVER     = $(BUILD)/coverage
COVER_CC  = clang-19
# What tikblob_open, tikblob_next, tikblob_fit and tikblob_verify consist of, and the proof of the order of queues
# (not the execution that refutes one, sync_run.c).
LOADER_FILES = $(addprefix runtime/blob/,open.c tables.c decode.c digest.c line.c name.c call.c pack.c echo.c trust.c verify.c workspace.c prove.c pattern.c)
SYNC_FILES = $(filter-out %_explain.c %_run.c,$(wildcard runtime/blob/sync_*.c))
# What becomes of bytes (P9 to P12), and the verdicts on all properties.
DATA_FILES = $(wildcard runtime/blob/data_*.c) runtime/blob/properties.c
CHECK_FILES = $(LOADER_FILES) $(SYNC_FILES) $(DATA_FILES)
COVER_OBJ  = $(patsubst runtime/blob/%.c,$(COVER)/obj/%.o,$(CHECK_FILES))
COVER_RT   = $(COVER_OBJ) $(filter-out $(call obj,$(CHECK_FILES)),$(RT_OBJ))
# The tests of blobs that are programs of C.
COVER_UNIT = $(patsubst tests/unit/%.c,$(COVER)/unit/%,$(wildcard tests/unit/test_blob*.c tests/unit/test_sync*.c) tests/unit/test_emu_blob.c)
COVER_FLAGS = -fprofile-instr-generate -fcoverage-mapping
COVER_LINK = $(call say,LD,$@)$(COVER_CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes -pthread $(COVER_FLAGS) -o $@

$(COVER)/obj/%.o: runtime/blob/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COVER_CC) $(CPPFLAGS) $(filter-out -mstringop-strategy=libcall,$(CFLAGS)) -O1 $(COVER_FLAGS) -MMD -MP -c $< -o $@
$(COVER)/libtikrt.a: $(COVER_RT)
	@rm -f $@
	$(call say,AR,$@)$(AR) qcs $@ $^
$(COVER)/unit/%: tests/unit/%.c $(BUILD)/libtikc.a $(COVER)/libtikrt.a
	@mkdir -p $(@D)
	$(COVER_LINK) $^ $(LDFLAGS) $(LIBS) -lcmocka
$(COVER)/tikc: $(DRV_OBJ) $(BUILD)/libtikc.a $(COVER)/libtikrt.a
	$(COVER_LINK) $^ $(LDFLAGS) $(LIBS) $(TOOL_LIBS)
# COVERED='$(SYNC_FILES)' counts those of one group.
COVERED = $(CHECK_FILES)
# What the suite needs for it.
coverage-build: $(COVER)/tikc $(COVER_UNIT)
	@ln -sf ../libtikc-host.so $(COVER)/
	@echo $(CHECK_FILES) >$(COVER)/files
coverage-blob: all coverage-build
	$(PYTHON) tests/branches/branches.py $(COVER) $(COVERED)
.PHONY: coverage-blob coverage-build
-include $(wildcard $(COVER)/obj/*.d)
