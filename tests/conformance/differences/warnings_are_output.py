# warnings.warn writes to the program's log, since the compiler has one log; CPython writes to standard error.
import warnings
warnings.warn("careful")
print("after")
#| warning: careful
#| after
