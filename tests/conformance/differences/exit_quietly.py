# sys.exit() ends a program without an error; there is no exit status of a program of its own.
import sys
print("before")
sys.exit()
#| before
