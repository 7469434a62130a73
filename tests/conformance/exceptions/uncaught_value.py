print("start")
raise ValueError("wrong value")
