# A module that is not there is an error where it is used, since scripts import more than a kernel needs.
import there_is_no_such_module
print("imported")
try:
    there_is_no_such_module.f()
except ImportError as e:
    print(e)
#| imported
#| 'there_is_no_such_module.f' is called, but there is no module 'there_is_no_such_module'
