# Identifiers are ASCII, since they become names of tensors and arguments.
größe = 1
print(größe)
#| uncaught [encoding] U+00F6 'ö' is outside of strings and comments
