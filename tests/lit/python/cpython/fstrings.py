# f-strings.
a = 5
b = "text"
c = [1, 2]
d = {"k": 7}
print(f"{a} {b} {c} {d['k']} {a + 1} {a:>4}| {a:04d} {3.14159:.2f} {b!r} {b:>6}| {{x}} {c[0]} {len(c)}")
print(f"", f"plain", f"{a}" f"{b}", "x" f"{a}" "y", f"{(lambda v: v * 2)(4)}", f"{a if a > 3 else b}", rf"\{a}", f"{a!s:>5}|")
print(f"{1 == 1} {None} {1.0} {2**70} {'q'}", f'{"in"}', f"""{a}
{b}""")


def padded(value, width, digits):
    inner = [f"{value:{width}.{digits}f}|" for _ in range(2)]
    return "".join(inner) + f"{7:{'>' + str(width)}}|{'a':{'*^'}{width}}|"


print(padded(3.14159, 9, 3))
