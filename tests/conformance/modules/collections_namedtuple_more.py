from collections import namedtuple
P=namedtuple("P","x y",defaults=[5])
p=P(1)
print(p,p.x,p[1],p._asdict(),p._replace(x=3),P._fields,P._make([1,2]),p==(1,5),isinstance(p,tuple))
x,y=p
print(x,y,len(p),P._field_defaults)
