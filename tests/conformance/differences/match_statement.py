# match: no operator uses it.
x = 1
match x:
    case 1:
        print("one")
#| uncaught [syntax] match: match statements are not part of the language
