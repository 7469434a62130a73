def say(x):
    print("eval", x)
    return x
print(say(0) and say(1))
print(say(1) and say(0) or say(3))
print(say(0) or say("") or say(None))
print(not say(1) and say(2))
