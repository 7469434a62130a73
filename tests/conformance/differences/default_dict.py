# defaultdict is not provided: no operator uses it, and setdefault says the same.
from collections import defaultdict
#| uncaught ImportError: cannot import name 'defaultdict' from 'collections'
