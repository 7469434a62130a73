"""Which constructs of the language the text of a program contains, by the names of constructs.tsv.

    of_text(text, executed)   keys of the tokens, and of those statements that ran: executed is the set
                              of line numbers that a run reached"""
import sys
import os
import ast
import io
import re
import symtable
import tokenize

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
from tik_stub_modules import dedented

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
             ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|",
             ast.UAdd: "unary +", ast.USub: "unary -", ast.Invert: "~", ast.Not: "not", ast.And: "and",
             ast.Or: "or", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
             ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
             ast.BitXor: "^"}
DESCRIPTION = ("shape", "dtype", "format", "ori_shape", "ori_format", "range", "const_value", "param_name")
FUNCTIONS = (ast.FunctionDef, ast.Lambda)
BLOCKS = (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.With, ast.Try)


# ---- tokens ------------------------------------------------------------------------------------------------

def of_number(text):
    low = text.lower()
    for prefix, kind in (("0x", "hexadecimal"), ("0b", "binary")):
        if low.startswith(prefix):
            return "token.int." + kind
    if "e" in low:
        return "token.float.exponent"
    if "." in low:
        return "token.float.point"
    return "token.int.20_digits" if len(text) >= 20 else "token.int.decimal"


def of_string(text):
    keys = []
    prefix = re.match(r"\w*", text)[0].lower()
    body = text[len(prefix):]
    if prefix:
        keys.append("token.str." + prefix)
    triple = body[:3] in ('"""', "'''")
    keys.append("token.str.%s%s" % ("triple_" if triple else "", "double" if body[0] == '"' else "single"))
    if "r" not in prefix:
        keys += ["token.escape." + name for mark, name in (
            ("\\\n", "newline"), ("\\n", "n"), ('\\"', "quote"), ("\\t", "t"), ("\\r", "r")) if mark in body]
    if not body.isascii():
        keys.append("token.str.non_ascii")
    return keys


def of_tokens(text):
    keys = set()
    last, depth, blocks = None, 0, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind, string = token.type, token.string
        if kind == tokenize.NUMBER:
            keys.add(of_number(string))
        elif kind == tokenize.STRING:
            keys.update(of_string(string))
            if last == tokenize.STRING:
                keys.add("token.str.adjacent")
        elif kind == tokenize.COMMENT:
            keys.add("token.comment")
            if not string.isascii():
                keys.add("token.comment.non_ascii")
        elif kind == tokenize.OP:
            depth += (string in "([{") - (string in ")]}")
            if string == ";":
                keys.add("token.semicolon")
        elif kind == tokenize.INDENT:
            blocks += 1
            keys.update("token.nesting.%d" % n for n in (10, 23) if blocks >= n)
        elif kind == tokenize.DEDENT:
            blocks -= 1
        if kind == tokenize.NL and depth:
            keys.add("token.join.brackets")
        if kind not in (tokenize.NL, tokenize.COMMENT):
            last = kind
    lines = text.split("\n")
    keys.update(key for key, found in (
        ("token.hash_bang", lines[0].startswith("#!")),
        ("token.encoding_comment", any(re.match(r"#.*coding[:=]", line) for line in lines[:2])),
        ("token.join.backslash", any(re.search(r"[^\\\"']\\$", line) for line in lines)),
        ("token.long_line", max(map(len, lines)) >= 188)) if found)
    return keys


# ---- statements ------------------------------------------------------------------------------------------------

def is_negative(node):
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def is_sequence(node):
    return isinstance(node, (ast.Tuple, ast.List))


class Keys:
    """Walks a tree; each method do_NODE gives the keys of one node. parents: from the outermost."""

    def __init__(self, executed):
        self.executed = executed
        self.found = set()
        self.modules = {}  # names bound by imports: dotted name

    def add(self, *keys):
        self.found.update(keys)

    def ran(self, node):
        if isinstance(node, ast.Global):
            return True  # has no line of its own when it runs
        end = node.end_lineno
        if isinstance(node, BLOCKS):
            end = max(node.lineno, node.body[0].lineno - 1)
        first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
        return any(line in self.executed for line in range(first, end + 1))

    def walk(self, node, parents):
        if isinstance(node, (ast.stmt, ast.ExceptHandler)) and not self.ran(node):
            return
        method = getattr(self, "do_" + type(node).__name__, None)
        if method:
            method(node, parents)
        for child in ast.iter_child_nodes(node):
            self.walk(child, parents + [node])

    # -- assignments

    def target(self, node, form):
        if isinstance(node, ast.Attribute):
            self.add(form + ".attribute")
        elif isinstance(node, ast.Subscript):
            self.add(form + (".slice" if isinstance(node.slice, ast.Slice) else ".item"))
            if isinstance(node.slice, ast.Slice) and is_negative(node.slice.lower):
                self.add(form + ".slice_negative")
        elif is_sequence(node):
            self.add(form + ".tuple")
            if any(is_sequence(e) for e in node.elts):
                self.add(form + ".nested_tuple")

    def do_Assign(self, node, parents):
        self.add("statement.assign")
        if len(node.targets) > 1:
            self.add("statement.assign.chained")
        for target in node.targets:
            self.target(target, "statement.assign")
        if isinstance(parents[-1], ast.ClassDef):
            self.add("class.attribute")
        if isinstance(node.value, ast.Tuple) and not isinstance(node.targets[0], ast.Tuple):
            self.add("statement.assign.tuple_value")

    def do_AugAssign(self, node, parents):
        self.add("statement.augmented." + OPERATORS[type(node.op)] + "=")
        self.target(node.target, "statement.augmented")

    def do_Delete(self, node, parents):
        self.add("statement.del" + (".item" if isinstance(node.targets[0], ast.Subscript) else ""))

    def do_Expr(self, node, parents):
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        self.add("token.docstring" if text else "statement.expression")

    # -- control

    def do_If(self, node, parents):
        inner = isinstance(parents[-1], ast.If) and parents[-1].orelse == [node]
        self.add("statement.elif" if inner else "statement.if")
        if node.orelse and not (len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)):
            self.add("statement.else")

    def do_For(self, node, parents):
        self.add("statement.for")
        self.target(node.target, "statement.for")

    def do_While(self, node, parents):
        self.add("statement.while")

    def do_With(self, node, parents):
        self.add("statement.with")
        if len(node.items) > 1:
            self.add("statement.with.several")
        for item in node.items:
            if item.optional_vars is not None:
                attribute = isinstance(item.optional_vars, ast.Attribute)
                self.add("statement.with.as_attribute" if attribute else "statement.with.as")
            if isinstance(item.context_expr, ast.Call):
                self.add("with." + called(item.context_expr))
            else:
                self.add("with.variable")

    def do_Return(self, node, parents):
        self.add("statement.return")
        if isinstance(node.value, ast.Tuple):
            self.add("statement.return.tuple")

    def do_Raise(self, node, parents):
        self.add("statement.raise")
        if isinstance(node.exc, ast.Call):
            self.add("raise." + called(node.exc))
            if len(node.exc.args) > 1 and isinstance(node.exc.args[0], (ast.Dict, ast.Name)):
                self.add("raise.dict_and_text")

    def do_Try(self, node, parents):
        self.add("statement.try")

    def do_ExceptHandler(self, node, parents):
        for name in ast.walk(node.type):
            if isinstance(name, ast.Name):
                self.add("except." + name.id)
        if node.name:
            self.add("except.as")

    def do_Global(self, node, parents):
        self.add("statement.global")

    def do_Assert(self, node, parents):
        self.add("statement.assert")

    def do_Pass(self, node, parents):
        self.add("statement.pass")

    def do_Break(self, node, parents):
        self.add("statement.break")

    def do_Continue(self, node, parents):
        self.add("statement.continue")

    # -- imports

    def do_Import(self, node, parents):
        self.add("statement.import")
        for alias in node.names:
            self.add("module." + alias.name)
            if alias.asname:
                self.add("statement.import.as")
            self.modules[alias.asname or alias.name.split(".")[0]] = \
                alias.name if alias.asname else alias.name.split(".")[0]

    def do_ImportFrom(self, node, parents):
        self.add("statement.from", "module." + "." * node.level + (node.module or ""))
        if node.level:
            self.add("statement.from.relative", "load.from_%d_dots%s" % (
                node.level, "" if node.module else "_alone"))
        if any(isinstance(p, ast.FunctionDef) for p in parents):
            self.add("statement.from.in_function")
        for alias in node.names:
            if alias.name == "*":
                self.add("statement.from.star")
            if alias.asname:
                self.add("statement.from.as")
            self.add("name." + alias.name, "std.%s.%s" % (node.module, alias.name),
                     "module.%s.%s" % (node.module, alias.name))
            self.modules[alias.asname or alias.name] = "%s.%s" % (node.module, alias.name)

    # -- functions and classes

    def do_FunctionDef(self, node, parents):
        self.add("statement.def", "name." + node.name)
        if any(isinstance(p, FUNCTIONS) for p in parents):
            self.add("statement.def.nested")
        a = node.args
        if len(a.args) >= 47:
            self.add("def.47_parameters")
        for default in a.defaults:
            self.add("def.default")
            if not isinstance(default, ast.Constant):
                self.add("def.default.container" if isinstance(default, (ast.List, ast.Dict))
                         else "def.default.not_constant")
        self.add(*["def.*args"] * bool(a.vararg), *["def.**kwargs"] * bool(a.kwarg))
        if node.returns or any(arg.annotation for arg in a.args):
            self.add("def.annotation")
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call):
                self.add("def.decorator.call")
            else:
                last = decorator.attr if isinstance(decorator, ast.Attribute) else decorator.id
                self.add("def.decorator.name", "def.decorator." + last)
        if any(isinstance(n, ast.Call) and called(n) == node.name for n in ast.walk(node)):
            self.add("def.recursive")
        if isinstance(parents[-1], ast.ClassDef) and node.name.startswith("__"):
            self.add("class." + node.name)

    def do_ClassDef(self, node, parents):
        self.add("statement.class")
        for kind, where in ((ast.ClassDef, "class.in_class"), (ast.FunctionDef, "class.in_function")):
            if isinstance(parents[-1], kind):
                self.add(where)
        for base in node.bases:
            named = isinstance(base, ast.Name) and base.id == "object"
            self.add("class.object_base" if named else "class.inherits")
        if any(k.arg == "metaclass" for k in node.keywords):
            self.add("class.metaclass")
        for decorator in node.decorator_list:
            self.add("class.decorator" if isinstance(decorator, ast.Call) else
                     "class.decorator." + decorator.attr if isinstance(decorator, ast.Attribute)
                     else "class.decorator." + decorator.id)

    def do_Lambda(self, node, parents):
        self.add("expression.lambda")
        if node.args.vararg:
            self.add("expression.lambda.*args")

    # -- expressions

    def do_Call(self, node, parents):
        self.add("expression.call")
        name = called(node)
        if any(isinstance(a, ast.Starred) for a in node.args):
            self.add("expression.call.*")
        for keyword in node.keywords:
            self.add("expression.call.**" if keyword.arg is None else "expression.call.keyword")
            if keyword.arg is not None:
                self.add("keyword.%s.%s" % (name, keyword.arg))
        if isinstance(node.func, ast.Name):
            self.add("builtin." + name, "builtin.%s.%d" % (name, len(node.args)))
            self.builtin(name, node)
        elif isinstance(node.func, ast.Attribute):
            self.add("call." + name)
            if isinstance(node.func.value, ast.Name) and name == "__init__":
                self.add("class.base_init")

    def builtin(self, name, node):
        first = node.args[0] if node.args else None
        text = first.value if isinstance(first, ast.Constant) else None
        if name == "range" and len(node.args) == 3 and is_negative(node.args[2]):
            self.add("builtin.range.negative")
        if name == "float" and text in ("inf", "-inf"):
            self.add("builtin.float." + text)
        if name == "int" and len(node.args) == 2 and isinstance(node.args[1], ast.Constant):
            self.add("builtin.int.base_%d" % node.args[1].value)
        if name == "isinstance":
            self.add("builtin.isinstance." + ("tuple" if isinstance(node.args[1], ast.Tuple)
                                              else ast.unparse(node.args[1])))
        if name in ("type", "dir") and first is not None:
            self.add("builtin.%s(%s)" % (name, ast.unparse(first)))

    def do_Subscript(self, node, parents):
        index = node.slice
        self.add("expression.index" if not isinstance(index, ast.Slice) else "expression.slice")
        if is_negative(index):
            self.add("expression.index.negative")
        if isinstance(index, ast.Tuple):
            self.add("expression.index.tuple")
            if any(isinstance(e, ast.Slice) for e in index.elts):
                self.add("expression.index.tuple_slices")
        if isinstance(index, ast.Slice):
            if is_negative(index.lower) or is_negative(index.upper):
                self.add("expression.slice.negative")
            if index.step is not None:
                self.add("expression.slice.step")
        if isinstance(node.value, ast.Tuple):
            self.add("oddity.tuple_display_indexed")

    def do_Tuple(self, node, parents):
        self.add("expression.tuple")
        if isinstance(node.ctx, ast.Load) and any(isinstance(e, ast.Starred) for e in node.elts):
            self.add("expression.tuple.*")

    def do_List(self, node, parents):
        self.add("expression.list")
        if any(isinstance(e, ast.Starred) for e in node.elts):
            self.add("expression.list.*")

    def do_Dict(self, node, parents):
        self.add("expression.dict")

    def do_Set(self, node, parents):
        self.add("expression.set")

    def do_ListComp(self, node, parents):
        self.add("expression.list_comprehension")

    def do_GeneratorExp(self, node, parents):
        self.add("expression.generator")

    def do_comprehension(self, node, parents):
        if node.ifs:
            self.add("expression.comprehension.if")
        if is_sequence(node.target):
            self.add("expression.comprehension.tuple")

    def do_IfExp(self, node, parents):
        self.add("expression.conditional")

    def do_JoinedStr(self, node, parents):
        self.add("expression.f_string")

    def do_Compare(self, node, parents):
        if len(node.ops) > 1:
            self.add("expression.chained_comparison")
        self.add(*["operator." + OPERATORS[type(op)] for op in node.ops])
        if isinstance(node.ops[0], ast.NotIn) and isinstance(node.comparators[0], ast.Set):
            self.add("oddity.not_in_set_display")
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and isinstance(node.comparators[0], ast.Constant):
            self.add("operator.is %s" % node.comparators[0].value)

    def do_BinOp(self, node, parents):
        self.add("operator." + OPERATORS[type(node.op)])
        left, right = node.left, node.right
        text = [isinstance(n, ast.JoinedStr) or isinstance(n, ast.Constant) and isinstance(n.value, str)
                for n in (left, right)]
        if isinstance(node.op, ast.Add) and any(text):
            self.add("expression.str_concatenation")
        if isinstance(node.op, ast.Add) and (is_sequence(left) or is_sequence(right)):
            self.add("expression.list_concatenation")
        if isinstance(node.op, ast.Mult) and isinstance(left, ast.List):
            self.add("expression.list_repeat")
        if isinstance(node.op, ast.Mult) and any(text):
            self.add("expression.str_repeat")
        if isinstance(node.op, ast.Mod) and text[0]:
            self.add("expression.%_formatting", "format.of_" + type(right).__name__.lower())
            self.add(*["format.%" + c for c in "sd" if "%" + c in getattr(left, "value", "")])

    def do_Constant(self, node, parents):
        if node.value in DESCRIPTION:
            self.add("text." + node.value)
        if isinstance(parents[-1], ast.Attribute) and parents[-1].attr == "format":
            for field in re.findall(r"\{(\w*)\}", str(node.value)):
                self.add("format.braces." + ("empty" if not field else "numbered" if field.isdigit()
                                             else "named"))

    def do_UnaryOp(self, node, parents):
        self.add("operator." + OPERATORS[type(node.op)])

    def do_BoolOp(self, node, parents):
        self.add("operator." + OPERATORS[type(node.op)])

    def do_Name(self, node, parents):
        self.add("name." + node.id)

    def do_Attribute(self, node, parents):
        self.add("name." + node.attr, "attribute." + node.attr)
        if node.attr.startswith("__") and not node.attr.endswith("__"):
            self.add("class.private_name")
        if isinstance(node.value, ast.Name):
            module = self.modules.get(node.value.id)
            if module:
                self.add("std.%s.%s" % (module, node.attr))
            if node.value.id == "tik":
                self.add("tik." + node.attr)
        elif isinstance(node.value, ast.Call) and called(node.value) == "super":
            self.add("class.super_%d_arguments" % len(node.value.args))
        elif ast.unparse(node).startswith(("tik.tik_lib", "tik.api")):
            self.add(ast.unparse(node))


def called(node):
    func = node.func
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def closures(table):
    return bool(table.get_type() == "function" and table.get_frees()) or \
        any(closures(child) for child in table.get_children())


def of_text(text, executed):
    plain = dedented(text)
    keys = Keys(executed)
    keys.walk(ast.parse(plain), [])
    keys.found |= of_tokens(plain)
    if plain != text:
        keys.add("token.indented_program")
    if closures(symtable.symtable(plain, "program", "exec")):
        keys.add("def.closure")
    return keys.found
