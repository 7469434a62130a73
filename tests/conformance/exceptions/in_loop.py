results = []
for x in [1, 0, "a", 2]:
    try:
        results.append(10 // x)
    except ZeroDivisionError:
        results.append("zero")
        continue
    except TypeError:
        results.append("type")
        break
    finally:
        results.append("|")
print(results)
