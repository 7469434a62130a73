from itertools import *
print(list(chain([1],[2])), list(chain.from_iterable([[1],[2]])), list(islice(count(3,2),3)), list(islice("abcdef",1,5,2)), list(repeat(1,3)), list(zip_longest([1,2],[3],fillvalue=0)))
print(list(accumulate([1,2,3])), list(accumulate([1,2,3],lambda a,b:a*b)), list(accumulate([1,2],initial=5)), list(takewhile(lambda x:x<3,[1,2,3,1])), list(dropwhile(lambda x:x<3,[1,2,3,1])), list(starmap(pow,[(2,3)])), list(compress("abc",[1,0,1])), list(filterfalse(lambda x:x%2,range(5))))
print([(k,list(g)) for k,g in groupby("aabbc")], [(k,list(g)) for k,g in groupby([1,2,4],key=lambda x:x%2)])
print(list(product([1,2],repeat=2)), list(product("ab",[1])), list(permutations([1,2,3],2)), list(combinations([1,2,3],2)), list(combinations_with_replacement([1,2],2)), list(pairwise([1,2,3])))
c=cycle([1,2])
print([next(c) for _ in range(5)])
a,b=tee([1,2])
print(list(a),list(b))
from itertools import count
for i in count():
    if i>3: break
print(i)
print(list(islice(cycle("ab"), 5)), list(islice(count(10), 2, 8, 3)), list(islice(repeat("x"), 2)), list(islice([1, 2, 3], None)))
source = iter([1, 2, 3, 4, 5])
print(list(islice(source, 2)), list(source))
print(list(takewhile(lambda x: x < 3, count())), next(dropwhile(lambda x: x < 5, count())))
print(list(zip_longest()), list(zip_longest("ab", "abcd", "a", fillvalue="-")), list(zip_longest([], [])))
a, b = tee(count(), 2)
print(next(a), next(a), next(b), next(a), next(b))
print(list(accumulate([])), list(accumulate([3, 1, 2], max)), list(pairwise([])), list(pairwise([1])), list(groupby([])))
print(list(product()), list(product("ab", repeat=0)), list(combinations("abc", 0)), list(permutations([1, 2], 3)), list(combinations_with_replacement("ab", 0)))
print(count(1, 2), list(chain()), list(chain.from_iterable(x for x in ["ab", [1]])))
for bad in ((-1,), (1, "x"), (1, 5, 0)):
    try:
        list(islice([1], *bad))
    except ValueError as e:
        print(type(e).__name__)
