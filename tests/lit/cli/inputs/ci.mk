# What .ci/run calls, without the work: BAD_TEST and BAD_LINT make a part fail, LEFT names a file that the suite leaves or changes.
test:
	@[ -z "$$LEFT" ] || echo '# changed' >> $$LEFT
	@echo '5 passed, $(if $(BAD_TEST),2,0) failed'
	@$(if $(BAD_TEST),false,true)
lint:
	@$(if $(BAD_LINT),false,true)
check-san:
	@test '$(SUITE)' = '--only unit --only lit' && echo '3 passed, 0 failed'
