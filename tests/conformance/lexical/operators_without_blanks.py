a=5;b=3
print(a+-b,a--b,a**-b,a<b,a<=b,a!=b,a==b,a>>1,a<<1,~a,a//b,a%b,not a,-a**2)
print(1 if(a)else(2))
