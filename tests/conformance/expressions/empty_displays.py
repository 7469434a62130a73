print([], (), {}, set(), "", [[]], ((),), [()], {(): []})
print(len([]), len(()), len({}), bool([]), bool(()), bool({}), bool([[]]))
