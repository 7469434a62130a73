"""The vector instruction set, a second time: a machine in numpy, written from the specification alone.

    m = Machine('v200')
    x = m.tensor('x', 'float16', data)         a View: x[16], x[1:3, :] are Views too
    m.vadd(128, dst, src0, src1, 2, 1, 1, 1, 8, 8, 8)
    m.array(dst)                               the elements

Every method of the container is a method of the machine, with the parameters of its prototype. Nothing
here checks rules except bounds: what is run is legal. choices.py lists the readings taken where the
specification is uncertain.
"""
from .choices import READINGS, Choices, choices_of
from .core import Fault, Machine, Scalar, View
from . import compare, convert, elementwise, fill, gather, reduction, registers, scalar, slices, sort, transpose

METHODS = {}
for _family in (elementwise, convert, fill, compare, transpose, reduction, gather, sort, registers, scalar, slices):
    METHODS.update(_family.METHODS)
for _name, _method in METHODS.items():
    setattr(Machine, _name, _method)

__all__ = ['Choices', 'READINGS', 'choices_of', 'Fault', 'Machine', 'Scalar', 'View', 'METHODS']
