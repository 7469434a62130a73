print(__name__)
def f():
    return __name__
print(f(), __name__ == "__main__")
if __name__ == "__main__":
    print("main")
