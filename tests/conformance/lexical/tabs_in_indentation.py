if True:
	print("tab")
	if True:
		print("two tabs")
print("end")
