from impl import *
