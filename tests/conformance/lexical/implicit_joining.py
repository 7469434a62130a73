total = (1 +
         2 +   # a comment inside brackets

         3)
items = [
    1,
    2,
]
table = {
    "a":
        1,
}
print(total, items, table)
print(max(1,
2))
