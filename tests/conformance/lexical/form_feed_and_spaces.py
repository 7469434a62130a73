if True:  
    x = 1   
    
    print(x)  

print ( x , sep = "" )
print(x) ; print( (x) )
