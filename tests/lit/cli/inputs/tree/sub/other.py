# No program of the language.
import os
print(os.getcwd())
