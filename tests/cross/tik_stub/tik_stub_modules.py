"""Finding modules as the compiler does: provided ones, files of the operator package, files beside the
main file. Packages are plain folders; their init files are only looked at for lines
`from .m import n [as k]`."""
import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import sys
import types

import tik_stub_provided
from tik_stub_notes import note

PROVIDED = ("te", "tbe", "topi", "mindspore")
roots = []  # folders in which files are looked for
transform = None  # what changes the syntax tree of each file before it runs; None: nothing
loaded = []  # paths of the files that ran


def is_provided(name):
    return name.split(".")[0] in PROVIDED or "platform_adapter" in name


class Folder(types.ModuleType):
    """A package: names of its init file's from-lines, else submodules."""

    def __setattr__(self, name, value):
        if not isinstance(value, types.ModuleType):  # submodules are looked up, after the init file
            super().__setattr__(name, value)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        init = os.path.join(self.__path__[0], "__init__.py")
        lines = open(init).read() if os.path.exists(init) else ""
        for module, names in re.findall(r"^from \.(\S+) import (.*)$", lines, re.M):
            for part in names.split(","):
                words = part.split()
                if words[-1] == name:
                    note("load.re_export")
                    source = importlib.import_module("%s.%s" % (self.__name__, module))
                    return getattr(source, words[0])
        return importlib.import_module("%s.%s" % (self.__name__, name))


def dedented(text):
    """A program of a documentation page that is indented as a whole, without that indentation."""
    first = re.search(r"^( *)[^\s#]", text, re.M)
    return re.sub("^" + first[1], "", text, flags=re.M) if first and first[1] else text


def run(path, module):
    """Runs a file in a module's name space."""
    path = os.path.abspath(path)
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(dedented(f.read()), path)
    loaded.append(path)
    if transform:
        tree = transform(tree)
    exec(compile(tree, path, "exec"), module.__dict__)


class Loader(importlib.abc.Loader):
    def __init__(self, kind, path):
        self.kind = kind
        self.path = path

    def create_module(self, spec):
        if self.kind == "file":
            return None
        return (Folder if self.kind == "folder" else tik_stub_provided.Provided)(spec.name)

    def exec_module(self, module):
        if self.kind == "file":
            run(self.path, module)


def source_of(base):
    return next((base + e for e in (".py", ".tik") if os.path.isfile(base + e)), None)


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if is_provided(name):
            return self.spec(name, "provided", None, [])
        for root in roots:
            base = os.path.join(root, *name.split("."))
            if source_of(base):
                return self.spec(name, "file", source_of(base), None)
            if os.path.isdir(base):
                return self.spec(name, "folder", base, [base])
        if name in ("impl", "impl.util"):  # on the way to impl.util.platform_adapter
            return self.spec(name, "folder", None, [os.path.join(roots[-1], name)])
        return None

    @staticmethod
    def spec(name, kind, path, places):
        spec = importlib.machinery.ModuleSpec(name, Loader(kind, path), origin=path)
        spec.submodule_search_locations = places
        return spec


def forget():
    """Drops every module that this finder brought."""
    for name, module in list(sys.modules.items()):
        if isinstance(getattr(module, "__loader__", None), Loader):
            del sys.modules[name]


sys.meta_path.insert(0, Finder())
