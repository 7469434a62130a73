"""Random legal calls of every vector method, as text of the language and on vector_model.

    for method in draw.methods(): draw.types(method, processor) ...
    instance = draw.instance(method, processor, seed)
    batch.Batch(processor, instances)            one program and its inputs

The families (elementwise, convert, ...) each draw the operands of their methods; draw.Draw holds what they share.
"""
from . import elementwise, move, reduce, sort   # noqa: F401  they fill draw.FAMILIES
