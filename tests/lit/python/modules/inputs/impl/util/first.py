from impl.util.second import x

y = 1
