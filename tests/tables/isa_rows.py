"""The rows of the instruction tables that tests demand calls of.

    vector_rows()      {name: (form, family)} of the instructions of the vector queue
    register_rows()    names of those on vector registers: of the family REG, or elementwise without strides between
                       repeats, which only registers are
"""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import isa_tables  # noqa: E402

ISA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../runtime/isa')


def table(name):
    return open(os.path.join(ISA, name), encoding='utf-8').read()


def vector_rows():
    family = {form: row[1] for form, row in isa_tables.forms().items()}
    return {name: (form, family[form]) for name, form in re.findall(r'^OP\(\w+, "([\w.]+)", (\w+), \w+, V,', table('op.def'), re.M)}


def register_rows():
    one = {form for form, row in isa_tables.forms().items()
           if {a[0] for kind, a in row[4] if kind == 'LANED'} - {a[0] for kind, a in row[4] if kind == 'REP_OF'}}
    return {name for name, (form, family) in vector_rows().items() if family == 'REG' or family == 'LANES' and form in one}
