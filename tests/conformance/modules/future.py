from __future__ import absolute_import
from __future__ import division, print_function
from __future__ import with_statement
print(1 / 2)
