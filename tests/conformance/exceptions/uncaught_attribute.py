class Thing:
    pass
print(Thing().missing)
