# Sets: sieves, unions, differences, membership.
n = 200000
marked = set()
for p in range(2, 450):
    if p not in marked:
        marked.update(range(p * p, n, p))
primes = set(range(2, n)) - marked
twins = {p for p in primes if p + 2 in primes}
evens = set(range(0, n, 2))
low = 0
for i in range(40):
    a = set(range(i * 100, i * 100 + 3000))
    b = set(range(i * 150, i * 150 + 3000, 3))
    low += len(a & b) + len(a | b) + len(a ^ b) + (1 if b <= a else 0)
frozen = {frozenset((i % 50, i % 70)) for i in range(60000)}
print(len(primes), len(twins), len(evens & marked), low, len(frozen))
