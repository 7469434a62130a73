"""Chapter 12: special registers and modes."""
import numpy as np

from .core import integer

METHODS = {}


def mov_cmpmask_to_tensor(m, dst, src_cmpmask=None):
    cells = m.elements(dst, 'uint8')
    m.inside(np.arange(16), cells)
    cells[:16] = np.packbits(m.cmpmask, bitorder='little')


def mov_tensor_to_cmpmask(m, src):
    # What lies after the tensor, up to its granule, was not written; after that nothing is read.
    cells = m.elements(src, 'uint8')
    m.inside(np.arange(1), cells)
    m.cmpmask[:] = np.unpackbits(np.concatenate([cells[:16], np.zeros(16, np.uint8)])[:16], bitorder='little')
    return 'cmpmask'


def set_scalar_to_cmpmask(m, scalar):
    word = integer(scalar) & (2**64 - 1)
    m.cmpmask[:] = [word >> k & 1 for k in range(64)] + [False] * 64
    return 'cmpmask'


def set_fp2int_mode(m, mode):
    m.fp2int = integer(mode)


def set_fp2fp_mode(m, mode):
    m.fp2fp = integer(mode)


def set_rpn_offset(m, offset, offset_dtype='float16'):
    m.rpn_offset = np.array([offset]).astype(offset_dtype)[0] if not hasattr(offset, 'bits') else offset.value()


def set_rpn_cor_ir(m, number):
    m.rpn_cor_ir = integer(number) & 0xffff
    return 'rpn_cor_ir'


def mov_rpn_cor_ir_to_scalar(m, scalar, rpn_cor_ir=None):
    scalar.set(m.rpn_cor_ir)


def mov_vmrgsort4_sr_to_scalar(m, scalar_list, vms4_sr=None):
    for i, s in enumerate(scalar_list):
        s.set(m.vms4_sr[i])


METHODS.update(mov_cmpmask_to_tensor=mov_cmpmask_to_tensor, mov_tensor_to_cmpmask=mov_tensor_to_cmpmask,
               set_scalar_to_cmpmask=set_scalar_to_cmpmask,
               set_fp2int_mode=set_fp2int_mode, set_fp2fp_mode=set_fp2fp_mode, set_rpn_offset=set_rpn_offset,
               set_rpn_cor_ir=set_rpn_cor_ir, mov_rpn_cor_ir_to_scalar=mov_rpn_cor_ir_to_scalar,
               mov_vmrgsort4_sr_to_scalar=mov_vmrgsort4_sr_to_scalar)
