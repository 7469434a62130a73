# So is a name that a standard module has not.
from math import no_such_name
try:
    no_such_name(1)
except ImportError as e:
    print(e)
#| 'math.no_such_name' is called, but the module 'math' has no 'no_such_name' here
