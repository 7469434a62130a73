print("  Float16 ".strip().lower().replace("float", "f").upper(), "a,b;c".replace(";", ",").split(",")[::-1])
