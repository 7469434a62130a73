x = 5
name = "n"
d = {"k": [1, 2]}
print(f"{x} {name} {x + 1} {d['k'][0]} {name.upper()} {x if x else 0} {{x}}")
print(f"{x:5}|{x:<5}|{x:05d}|{1.5:.2f}|{name!r}|{name:>4}|{x=}|{x * 2 = }")
print(f"{'nested'}" f"{(lambda v: v + 1)(2)}", f"", f"{x}{x}", f"{[i for i in range(3)]}", f"{max(1, 2)}", f"""{x}
{name}""")
