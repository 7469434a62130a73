from timeit import repeat
from re import T
from builtins import range
import mimetypes
import json
import sys
import os
import time
print(list(range(3)))
