import sys
print(sys.maxsize, sys.version_info[0], sys.version_info >= (3, 5), sys.version_info.major, sys.byteorder)
sys.stdout.write("hello\n")
print("x", file=sys.stdout)
for status in ((), (0,), (3,), ("text",)):
    try:
        sys.exit(*status)
    except SystemExit as e:
        print(e.args)
