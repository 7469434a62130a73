"""Chapter 12.3: instructions on Scalars."""
import math

import numpy as np

from . import numbers as num
from .convert import convert
from .core import SIZES, UINT, number_bits

METHODS = {}


def pattern(value, dtype):
    return np.array([number_bits(value, dtype)], np.uint64).astype(UINT[SIZES[dtype]])


def scalar_max(m, dst, src0, src1):
    dst.set(num.extreme('max', pattern(src0, dst.dtype), pattern(src1, dst.dtype), dst.dtype)[0])


def scalar_min(m, dst, src0, src1):
    dst.set(num.extreme('min', pattern(src0, dst.dtype), pattern(src1, dst.dtype), dst.dtype)[0])


def scalar_abs(m, dst, src):
    dst.set(num.absolute(None, pattern(src, dst.dtype), dst.dtype)[0])


def scalar_sqrt(m, dst, src):
    bits = num.absolute(None, pattern(src, dst.dtype), dst.dtype)
    if num.is_float(dst.dtype):
        dst.set(num.function(m, 'sqrt', bits, dst.dtype)[0])
    else:
        dst.set(math.isqrt(int(bits[0])))   # |-2^63| is 2^63 here


def scalar_countbit0(m, dst, src):
    dst.set(64 - bin(number_bits(src, 'uint64')).count('1'))


def scalar_countbit1(m, dst, src):
    dst.set(bin(number_bits(src, 'uint64')).count('1'))


def scalar_countleading0(m, dst, src):
    dst.set(64 - number_bits(src, 'uint64').bit_length())


def scalar_conv(m, round_mode, dst, src):
    if src.dtype == dst.dtype:
        dst.set(src.bits)
        return
    modes = m.fp2fp, m.fp2int
    m.fp2fp = m.fp2int = 0  # Scalars saturate, whatever the modes of the vector unit say
    dst.set(convert(m, pattern(src, src.dtype), src.dtype, dst.dtype, round_mode)[0])
    m.fp2fp, m.fp2int = modes


METHODS.update(scalar_max=scalar_max, scalar_min=scalar_min, scalar_abs=scalar_abs, scalar_sqrt=scalar_sqrt,
               scalar_countbit0=scalar_countbit0, scalar_countbit1=scalar_countbit1,
               scalar_countleading0=scalar_countleading0, scalar_conv=scalar_conv)
