for s in ["", " ", "a", "a b", " a  b ", "a,b", ",a,", ",,", "a, b"]:
    print([s.split(), s.split(","), s.split(",", 1), s.rsplit(",", 1), s.split(" "), s.strip(), s.partition(","), s.replace(",", ";")])
