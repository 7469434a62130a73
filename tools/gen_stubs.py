"""Makes the types of the module tik for Python (runtime/python/tbe/tik.pyi) of the tables: editors complete the names of calls, instructions
and arguments, and type checkers know them."""
import call_table
from isa_tables import rows

HEAD = '''# Made by make docs of compiler/tik/call.def and runtime/isa: the module tik as type checkers and editors see it.
from typing import Any, ContextManager, List, Optional, Sequence, Tuple, Union

Int = Union[int, "Expr"]
Number = Union[int, float, "Expr"]
Mask = Union[int, "Expr", List[Any], Tuple[Any, ...]]
# The container has methods of the same names.
_Tensor = Union["Tensor"]
_Scalar = Union["Scalar"]
_ScalarArray = Union["ScalarArray"]

'''
TYPES = {'TENSOR': '_Tensor', 'TENSORS': 'Any', 'INT': 'Int', 'FIXED': 'int', 'NUMBER': 'Number', 'SCALAR': '_Scalar',
         'TARGET': '_Scalar', 'MASK': 'Mask', 'BOOL': 'bool', 'WORD': 'str', 'ROUND': 'str', 'SIDE': 'str', 'MASKMODE': 'str', 'TEXT': 'str',
         'DTYPE': 'str', 'SCOPE': 'str', 'SHAPE': 'Sequence[Int]'}
RESULTS = {'Tensor': '_Tensor', 'Scalar': '_Scalar', 'InputScalar': '"Expr"', 'ScalarArray': '_ScalarArray', 'BuildCCE': 'None',
           'reshape': '_Tensor', 'flatten': '_Tensor', 'view': '_Tensor', 'part': '_Tensor', 'bcast': '_Tensor', '__getitem__': '_Tensor',
           '__setitem__': 'None', 'set_as': 'None', 'Tik': '"Tik"', 'Dprofile': '"Dprofile"', 'is_tik_var': 'bool',
           'for_range': 'ContextManager[Any]', 'if_scope': 'ContextManager[Any]', 'elif_scope': 'ContextManager[Any]',
           'else_scope': 'ContextManager[Any]', 'new_stmt_scope': 'ContextManager[Any]'}
# Instructions whose number may be a word, the name of an element type.
WORDS_TOO = ('set_atomic_add',)
OPERATORS = ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'and', 'or', 'xor', 'lshift', 'rshift')
COMPARES = ('lt', 'le', 'gt', 'ge')


def argument(arg, optional, method):
    """name: type = default."""
    kind = 'Any' if method in WORDS_TOO else TYPES.get(arg.kind, 'Any')
    if arg.dflt is None and not optional:
        return f'{arg.name}: {kind}'
    plain = arg.dflt in ('None', 'True', 'False') or (arg.dflt or '').lstrip('-').isdigit() or (arg.dflt or '').startswith('"')
    if arg.dflt == 'None' and kind != 'Any':
        kind = f'Optional[{kind}]'
    elif not plain or arg.dflt in ('True', 'False') and kind not in ('bool', 'Int', 'int'):
        kind = 'Any'
    elif arg.dflt.startswith('"') and kind != 'str' or arg.dflt.lstrip('-').isdigit() and kind == 'str':
        kind = 'Any'
    return f'{arg.name}: {kind} = {arg.dflt if plain else "..."}'


def signature(calls):
    """Of a method that is called in one way; others take anything."""
    if len(calls) != 1:
        return '*args: Any, **named: Any'
    parts, optional = [], False
    for arg in calls[0].args:
        optional = optional or arg.dflt is not None or arg.kind == 'STRUCT'
        parts.append(argument(arg, optional, calls[0].name))
    return ', '.join(parts)


def function(name, calls, indent='', owner=False):
    self_ = 'self' if owner else ''
    inside = ', '.join(p for p in (self_, signature(calls)) if p)
    what = next((c.meaning for c in calls if c.meaning), '')
    if len(calls) > 1:
        what = '; or '.join(call_table.prototype(c) for c in calls) + (': ' + what if what else '')
    body = f'\n{indent}    """{what}"""\n{indent}    ...' if what and '"""' not in what and '\\' not in what else ' ...'
    return f'{indent}def {name}({inside}) -> {RESULTS.get(name, "Any")}:{body}\n'


def container():
    """{name: ways of calling}: the methods of call.def, and the instructions of op.def."""
    methods = dict(call_table.by_name('CONTAINER'))
    recorded = [r[0] for r in rows(call_table.TABLE, 'RECORDED')]
    for op, name, form, _, _, _, meaning in rows('runtime/isa/op.def', 'OP'):
        if '.' not in name and op not in recorded:
            methods[name] = [c if c.meaning else c._replace(meaning=meaning) for c in call_table.calls_of(op, name, form)]
    return methods


def methods_of(owner):
    return ''.join(function(name, calls, '    ', True) for name, calls in sorted(call_table.by_name(owner).items()))


def expression():
    """Expr, with the operators of numbers: their results are Exprs again."""
    text = 'class Expr:\n    dtype: str\n'
    for name in OPERATORS:
        text += f'    def __{name}__(self, other: Number) -> "Expr": ...\n    def __r{name}__(self, other: Number) -> "Expr": ...\n'
    for name in COMPARES:
        text += f'    def __{name}__(self, other: Number) -> "Expr": ...\n'
    return text + '    def __neg__(self) -> "Expr": ...\n' + methods_of('SCALAR').replace('def set_as', 'def _set_as')


def stubs():
    text = HEAD + ''.join(f'{name}: str\n' for name in scopes()) + '\n\n'
    text += expression() + '\n\nclass Scalar(Expr):\n    name: str\n    def set_as(self, value: Union[Number, _Tensor]) -> None: ...\n\n\n'
    text += 'class ScalarArray:\n    def __getitem__(self, index: Int) -> Scalar: ...\n    def __len__(self) -> int: ...\n\n\n'
    text += 'class Tensor:\n    shape: List[Any]\n    dtype: str\n    scope: str\n    name: str\n    size: Any\n    offset: Any\n    buffer_size: Any\n'
    text += methods_of('TENSOR') + '\n\n'
    text += 'class Tikdb:\n    def start_debug(self, feed_dict: Any, interactive: bool = True, desc_tensor: Any = None) -> List[Any]: ...\n'
    text += '    def debug_print(self, *args: Any, **named: Any) -> None: ...\n\n\n'
    text += 'class Dprofile:\n    def __init__(self, ' + signature(call_table.by_name('MODULE')['Dprofile']) + ') -> None: ...\n'
    text += '    def __getattr__(self, name: str) -> Any: ...\n\n\n'
    text += 'class Tik:\n    tikdb: Tikdb\n    d_profiling: Dprofile\n'
    text += '    def __init__(self, ' + signature(call_table.by_name('MODULE')['Tik']) + ') -> None: ...\n'
    text += ''.join(function(name, calls, '    ', True) for name, calls in sorted(container().items())) + '\n\n'
    for name, calls in sorted(call_table.by_name('MODULE').items()):
        text += '' if name in ('Tik', 'Dprofile') else function(name, calls)
    return text + 'def all(*conditions: Any) -> Any: ...\ndef any(*conditions: Any) -> Any: ...\ndef __getattr__(name: str) -> Any: ...\n'


def scopes():
    return [name for name, _ in rows('compiler/tik/memory.def', 'MEMORY')]
