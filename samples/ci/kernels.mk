# Blobs of kernels for make: include this file, then name blobs as goals, such as build/add.tkb of kernels/add.tik.
# A blob is made again when its kernel or a file that it imports changes.
TIKC    ?= tikc
KERNELS ?= kernels
BLOBS   ?= build

$(BLOBS)/%.tkb: $(KERNELS)/%.tik
	@mkdir -p $(@D)
	$(TIKC) build $< -o $@ --depfile $(@:.tkb=.d) $(TIKCFLAGS)

-include $(wildcard $(BLOBS)/*.d)
