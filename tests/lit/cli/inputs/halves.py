"""halves.py FILE: 1024 float16 bit patterns, NaN and infinities among them."""
import sys
import numpy as np

np.save(sys.argv[1], (np.arange(1024, dtype=np.uint32) * 64 + 5).astype(np.uint16).view(np.float16))
