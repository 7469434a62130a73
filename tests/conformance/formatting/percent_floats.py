print("%f %f %f" % (1, -0.5, 1e10), "%s" % 1e20, "%s" % 0.1, "%.0f %.0f" % (0.5, 1.5), "%5.1f%%" % 99.55, "%d" % 1e10, "%i" % 7)
print("%f %e %g" % (float("inf"), float("-inf"), float("nan")))
