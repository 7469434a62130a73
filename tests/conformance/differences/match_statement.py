# match: no operator uses it.
x = 1
match x:
    case 1:
        print("one")
#| uncaught [syntax] expected the end of the statement, found 'x'
