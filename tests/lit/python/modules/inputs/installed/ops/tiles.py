from .sizes import LANES


def rows(n):
    return n // LANES
