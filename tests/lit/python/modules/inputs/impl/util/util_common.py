BLOCK = 32

from impl.util.helper import make
