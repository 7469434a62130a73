# The environment of a compilation is empty: the same program gives the same kernel everywhere.
import os
print(os.getenv("PATH"), os.environ.get("PATH", "none"), "PATH" in os.environ)
#| None none False
