# a comment line
x = 1  # after a statement
    # a comment line that is indented does not open a block
if x:
# a comment in the first column does not close one
    print("in block")  # "quoted" in a comment
print(x)  # é ü 漢字 are allowed in comments
# the last line is a comment
