a = 1; b = 2; print(a, b);
if a: print("one"); print("two")
for i in range(2): print(i); print(-i)
