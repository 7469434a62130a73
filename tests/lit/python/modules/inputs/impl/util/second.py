from impl.util.first import y

x = 1
