x = {"shape": (1, 2), "dtype": "float16", "range": [[1, None]], "sub": {"k": [1, {"z": 0}]}}
print(x.get("shape")[1], x["sub"]["k"][1]["z"], x.get("format", "ND"), x.get("sub").get("q", {}).get("r"))
x["sub"]["k"].append(5)
x["new"] = x.pop("range")
print(x)
