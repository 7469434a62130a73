"""Moves out of the accumulator, a model in numpy that is independent of the C code."""
