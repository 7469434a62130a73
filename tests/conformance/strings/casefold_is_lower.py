print("ABC".casefold() == "abc".casefold(), "StraSSe".casefold())
