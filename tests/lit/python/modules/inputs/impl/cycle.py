from impl.util import first
