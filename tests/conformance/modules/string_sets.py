import string
print(string.ascii_letters, string.digits, string.ascii_lowercase, string.ascii_uppercase, string.hexdigits, string.octdigits, string.punctuation, string.whitespace, string.printable)
