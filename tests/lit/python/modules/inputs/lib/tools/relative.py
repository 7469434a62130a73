from . import deep
