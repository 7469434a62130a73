import argparse

parser = argparse.ArgumentParser(prog="tool", description="does things")
parser.add_argument("--count", "-c", type=int, default=3, help="how many")
parser.add_argument("--name", default="x")
parser.add_argument("--fast", action="store_true")
parser.add_argument("--slow", dest="quick", action="store_false")
parser.add_argument("--shape", type=int, nargs="+", default=[1, 2])
parser.add_argument("--kind", choices=["a", "b"])
parser.add_argument("--scale", type=float, default="1.5")
group = parser.add_argument_group("more")
group.add_argument("--deep-value", type=str)
parser.add_argument("files", nargs="*")
parser.set_defaults(mode="plain")

for words in ([], ["--count", "7", "--fast"], ["-c", "2", "--slow", "--shape", "4", "5", "--kind=b"], ["--deep-value", "q", "u", "v"]):
    args = parser.parse_args(words)
    print(args.count, args.name, args.fast, args.quick, args.shape, args.kind, args.scale, args.deep_value, args.files, args.mode)
known, rest = parser.parse_known_args(["--other", "--count", "1"])
print(known.count, rest, "count" in known, parser.get_default("name"))
print(argparse.Namespace(a=1, b="c"))
try:
    parser.parse_args(["--unknown"])
except SystemExit:
    print("ended")
