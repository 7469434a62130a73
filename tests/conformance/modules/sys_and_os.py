import sys
import os.path
import time
print("ok")
