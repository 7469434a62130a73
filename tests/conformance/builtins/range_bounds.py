r = range(2, 11, 3)
print(r.start, r.stop, r.step, range(4).start, range(4).stop, range(4).step, r[1:], r[::-1].start)
