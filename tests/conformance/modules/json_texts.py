import json

data = {"name": "a\n\"b\"\\", "list": [1, -2.5, 1e30, True, False, None], "nested": {"empty": {}, "none": []}, "é": "\u20ac \U0001f600", 3: "three"}
print(json.dumps(data))
print(json.dumps(data, ensure_ascii=False))
print(json.dumps({"b": [1, {"c": 2}], "a": []}, indent=4, sort_keys=True))
print(json.dumps([1, [2, 3]], indent=2), json.dumps((1, "x"), separators=(",", ":")))
back = json.loads(json.dumps(data))
print(back == {**{k: v for k, v in data.items() if k != 3}, "3": "three"})
print(json.loads(' { "a" : [ 1 , 2.5e-1 , "\\u00e9\\ud83d\\ude00\\/" ] , "b" : null } '), json.loads("-7"), json.loads('"x"'), json.loads("[]"))
for wrong in ("", "[1,", '{"a" 1}', "[1 2]", "nul", '"x', "1 2"):
    try:
        print(json.loads(wrong))
    except ValueError as e:
        print(isinstance(e, json.JSONDecodeError))
try:
    json.dumps({1, 2})
except TypeError as e:
    print(e)
print(json.dumps({1, 2}, default=sorted))
