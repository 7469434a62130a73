class V:
    def __init__(self, x):
        self.x = x
    def __eq__(self, o):
        return isinstance(o, V) and self.x == o.x
    def __lt__(self, o):
        return self.x < o.x
    def __repr__(self):
        return "V%d" % self.x
print(V(1) == V(1), V(1) == V(2), V(1) != V(2), V(1) == 1, V(1) < V(2), V(1) > V(2))
print(sorted([V(3), V(1), V(2)]), min(V(2), V(1)), V(2) in [V(1), V(2)], [V(1)] == [V(1)], [V(5), V(6)].index(V(6)))
