chr(-1)
