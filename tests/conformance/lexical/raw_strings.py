print(r"a\nb", R'\t', len(r"\\"))
print(r"\"", r'it\'s')
print(r"""raw \d
more""")
