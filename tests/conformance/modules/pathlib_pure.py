from pathlib import Path, PurePath

p = Path("data") / "set.one" / "x.tar.gz"
print(p, p.name, p.stem, p.suffix, p.suffixes, p.parent, p.parts, p.is_absolute())
print([str(x) for x in p.parents], str(p.with_suffix(".txt")), str(p.with_name("y")), str(p.parent.joinpath("z", "w")))
print(str(Path("/a//b/./c/")), Path("/a/b") / "/c", "up" / PurePath("down"), Path("a") == Path("a/"), Path("a") < Path("b"))
print(Path("/a/b/c").relative_to("/a"), Path("x").exists(), Path("no such file").is_file(), Path("nothing").is_dir())
print({Path("a"): 1}[Path("./a")], Path(), str(Path("a", "b", "c.py")), Path("/").name == "", p.as_posix())
try:
    Path("/a").relative_to("/b")
except ValueError:
    print("not below")
