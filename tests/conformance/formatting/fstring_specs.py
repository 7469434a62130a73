w = 8
p = 2
v = 3.14159
print(f"{v:{w}.{p}f}|{v:<{w}.1f}|{255:#06x}|{1e6:,.1f}|{'s':*^5}|{True:d}|{True}|{None}")
