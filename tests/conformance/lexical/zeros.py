print(0, 00, 000)
print(-0, 0 == 00)
