"""The stub as a package: `from tbe import tik`."""
import sys

import tik

sys.modules[__name__ + ".tik"] = tik
