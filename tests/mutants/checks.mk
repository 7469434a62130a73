# checks.mk: the tests of blobs without each check of loader and verifier in turn: make checks-removed
CHECKS      = $(BUILD)/checks
CHECKS_SRC  = $(CHECK_FILES:runtime/blob/%.c=$(CHECKS)/src/%.c) $(CHECKS)/src/setting.c
CHECKS_OBJ  = $(CHECKS_SRC:$(CHECKS)/src/%.c=$(CHECKS)/obj/%.o)
CHECKS_RT   = $(CHECKS_OBJ) $(filter-out $(call obj,$(CHECK_FILES)),$(RT_OBJ))
CHECKS_UNIT = $(COVER_UNIT:$(COVER)/%=$(CHECKS)/%)
CHECKS_LINK = $(call say,LD,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes -pthread -o $@

$(CHECKS_SRC) &: $(CHECK_FILES) tests/mutants/checks.py
	$(PYTHON) tests/mutants/checks.py $(CHECKS) $(CHECK_FILES) --sources
$(CHECKS)/obj/%.o: $(CHECKS)/src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) -Iruntime/blob -Wno-all -Wno-extra -c $< -o $@
$(CHECKS)/libtikrt.a: $(CHECKS_RT)
	@rm -f $@
	$(call say,AR,$@)$(AR) qcs $@ $^
$(CHECKS)/unit/%: tests/unit/%.c $(BUILD)/libtikc.a $(CHECKS)/libtikrt.a
	@mkdir -p $(@D)
	$(CHECKS_LINK) $^ $(LDFLAGS) $(LIBS) -lcmocka
$(CHECKS)/tikc: $(DRV_OBJ) $(BUILD)/libtikc.a $(CHECKS)/libtikrt.a
	$(CHECKS_LINK) $^ $(LDFLAGS) $(LIBS) $(TOOL_LIBS)
checks-removed: all $(CHECKS)/tikc $(CHECKS_UNIT)
	@ln -sf ../libtikc-host.so $(CHECKS)/
	$(PYTHON) tests/mutants/checks.py $(CHECKS) $(CHECK_FILES)
.PHONY: checks-removed
