n = 0
if True:
 if True:
  if True:
   if True:
    for a in [1]:
     for b in [2]:
      while True:
       if a:
        if b:
         n = a + b
       break
print(n)
