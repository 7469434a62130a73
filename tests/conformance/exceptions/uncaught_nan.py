int(float("nan"))
