"""The rows of the instruction tables that tests demand calls of.

    vector_rows()      {name: (form, family)} of the instructions of the vector queue
    register_rows()    names of those on vector registers: of the family REG, or elementwise without strides between
                       repeats, which only registers are
"""
import os
import re

ISA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../runtime/isa')


def table(name):
    return open(os.path.join(ISA, name), encoding='utf-8').read()


def vector_rows():
    family = dict(re.findall(r'^FORM\((\w+), "\w+", (\w+),', table('form.def'), re.M))
    return {name: (form, family[form]) for name, form in re.findall(r'^OP\(\w+, "([\w.]+)", (\w+), \w+, V,', table('op.def'), re.M)}


def register_rows():
    one = set(re.findall(r'^LANES\((\w+), \d+, -?\d+, -1,', table('lanes.def'), re.M))
    return {name for name, (form, family) in vector_rows().items() if family == 'REG' or family == 'LANES' and form in one}
