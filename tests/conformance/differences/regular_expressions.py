# The module re loads, since operators import it; its functions are placeholders, since none calls them.
import re
print(re.findall("[0-9]+", "a12b3"))
#| uncaught RuntimeError: 're.findall' is a placeholder and cannot be called
