from .util.helper import make

print("made", make())
