# A tokenizer and an evaluator of expressions, character by character.
def tokens(text):
    out = []
    i = 0
    while i < len(text):
        c = text[i]
        if c.isspace():
            i += 1
        elif c.isdigit():
            j = i
            while j < len(text) and text[j].isdigit():
                j += 1
            out.append(("number", int(text[i:j])))
            i = j
        elif c.isalpha() or c == "_":
            j = i
            while j < len(text) and (text[j].isalnum() or text[j] == "_"):
                j += 1
            out.append(("name", text[i:j]))
            i = j
        else:
            out.append(("sign", c))
            i += 1
    out.append(("end", None))
    return out


PRIORITY = {"+": 1, "-": 1, "*": 2, "/": 2}
NAMES = {"x": 7, "y_1": 11, "size": 96}


def evaluate(text):
    toks = tokens(text)
    at = 0

    def term():
        nonlocal at
        kind, value = toks[at]
        at += 1
        if kind == "number":
            return value
        if kind == "name":
            return NAMES[value]
        if value == "(":
            v = expression(1)
            at += 1
            return v
        return -term()

    def expression(level):
        nonlocal at
        left = term()
        while PRIORITY.get(toks[at][1], 0) >= level:
            op = toks[at][1]
            at += 1
            right = expression(PRIORITY[op] + 1)
            if op == "+":
                left = left + right
            elif op == "-":
                left = left - right
            elif op == "*":
                left = left * right
            else:
                left = left // right
        return left

    return expression(1)


total = 0
for i in range(2500):
    total += evaluate("x * (%d + y_1) - 3 * size / (4 + %d) + -(x - 2)" % (i, i % 9))
print(total)
