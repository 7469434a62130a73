print('single', "double", 'a "b" c', "a 'b' c")
print('it\'s', "say \"x\"")
print('', "", '' "")
