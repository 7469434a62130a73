for text in ("a\tb", "\t", "ab\tc\td", "a\n\tb", "\u00e9\tx", ""):
    print([text.expandtabs(), text.expandtabs(4), text.expandtabs(1), text.expandtabs(0)])
for text in ("a\nb\r\nc\rd", "a\n", "", "\n", "a\r\n\r\n"):
    print(text.splitlines(), text.splitlines(True), text.splitlines(keepends=True))
