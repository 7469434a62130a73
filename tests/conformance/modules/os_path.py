import os
print(os.path.join("a","b","/c","d"), os.path.join("a/","b"), os.path.basename("/a/b.c"), os.path.dirname("/a/b.c"), os.path.splitext("a/b.tar.gz"), os.path.split("/a/b"), os.path.isabs("/a"), os.path.normpath("a/../b//c/./d"), os.path.sep, os.sep, os.linesep, os.path.commonprefix(["abc","abd"]))
import os.path
print(os.path.join("a","b"))
from os import path
print(path.join("a","b"))
from os.path import join, basename as bn
print((join("a","b"), bn("a/b")))
print(os.getenv("NO_SUCH_THING"), os.getenv("NO_SUCH_THING","x"), os.environ.get("NO_SUCH_THING",3))
