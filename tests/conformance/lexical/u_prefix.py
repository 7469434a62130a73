print(u"text", U'more', u"\u00e9")
