import numpy
table = numpy.asarray([[1, 2, 3], [4, 5, 6]]).T
print([[int(x) for x in row] for row in table])
