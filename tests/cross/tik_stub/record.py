"""Runs a kernel program under CPython with the recording stub and prints the traces of its kernels.

    python3 record.py FILE [CALL]

CALL is an expression that is evaluated in the program's name space, as with tikc build --call."""
import importlib
import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tik  # noqa: E402
import tik_stub_modules as modules  # noqa: E402
import tik_stub_provided as provided  # noqa: E402


def package_of(path):
    """(package root, dotted name) of a file below a folder impl; None elsewhere."""
    parts = os.path.abspath(path).split(os.sep)
    if "impl" not in parts[:-1]:
        return None
    at = len(parts) - 2 - parts[-2::-1].index("impl")
    return os.sep.join(parts[:at]), os.path.splitext(".".join(parts[at:]))[0]


def record(path, call=None):
    """The traces of the kernels that the program builds, as one text."""
    tik.kernels.clear()
    modules.forget()
    provided._info.clear()
    package = package_of(path)
    provided.mode = "dynamic" if "dynamic" in os.path.abspath(path).split(os.sep) else "static"
    modules.roots[:] = ([package[0]] if package else []) + [os.path.dirname(os.path.abspath(path))]
    if package and call:
        space = importlib.import_module(package[1])
    else:
        space = types.ModuleType("__main__")
        space.__file__ = path
        modules.run(path, space)
    if call:
        eval(call, space.__dict__)
    return "".join(tik.kernels)


if __name__ == "__main__":
    shown = sys.stdout
    sys.stdout = sys.stderr  # what the program itself prints
    shown.write(record(*sys.argv[1:]))
