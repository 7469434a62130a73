from .other import helper
