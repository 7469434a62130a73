import operator
print(operator.add(1,2), operator.mul(2,3), operator.eq(1,1), operator.ne(1,2), operator.itemgetter(1)([1,2]), operator.itemgetter(0,2)("abc"), operator.attrgetter("real")(5), operator.methodcaller("upper")("a"))
print(operator.not_(1), operator.truth([]), operator.contains([1],1), operator.index(3), operator.neg(1), operator.pos(1), operator.abs(-1), operator.inv(1), operator.invert(1), operator.lshift(1,2), operator.rshift(4,1), operator.and_(3,1), operator.or_(1,2), operator.xor(1,3), operator.pow(2,3), operator.mod(5,3), operator.floordiv(5,2), operator.truediv(5,2), operator.sub(1,2), operator.concat([1],[2]), operator.countOf([1,1],1), operator.indexOf([1,2],2), operator.is_(None,None), operator.is_not(1,None), operator.length_hint([1]))
a=[1,2]
operator.setitem(a,0,5)
operator.delitem(a,1)
a=operator.iadd(a,[3])
print(a)
