s = """first
  second "quoted" ''
third"""
print(s)
t = '''x
y'''
print(t, len(s), len(t))
print("""a\tb""", '''\'''')
