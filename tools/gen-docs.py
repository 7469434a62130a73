#!/usr/bin/python3
"""Writes the generated pages of docs/: diagnostics.md and instructions.md from the tables, and the list of
files at the end of architecture.md from the head comments.
usage: tools/gen-docs.py [--check]   (--check: fails when a page is stale)"""
import os
import re
import subprocess
import sys

import call_table
import example_table
import gen_blob_rules
import gen_blob_tables
import gen_editors
import gen_stubs
import isa_tables
from isa_tables import rows

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(path):
    return open(os.path.join(ROOT, path), encoding='utf-8').read()


def diagnostics():
    out = ['# Diagnostics', '',
           'Made by `make docs` from the tables `compiler/base/diag.def` and `runtime/isa/rule.def`. '
           '`tikc explain NAME` prints one row. Names never change; "also known as" has the spellings of '
           'other manuals, which `explain` also finds. Those with a number are rules of instructions and of run time: a loader without texts gives the number '
           '(loader.md), which never changes either. Levels are those for sources; a blob is refused also by the warnings that are *in blobs error* (blob-rules.md, which also says to what the operands of each instruction must be aligned, and where rules of overlap stand).', '',
           '| name | number | level | groups | also known as | rule | help |', '|---|---|---|---|---|---|---|']
    groups = {}
    for group, diag in rows('compiler/base/severity.def', 'MEMBER'):
        groups.setdefault(diag, []).append(group.lower())
    numbers = {id_: n for n, id_ in rows('runtime/isa/rule_number.def', 'RULE_NUMBER')}
    refusing = gen_blob_rules.refusing()
    found = list(rows('compiler/base/diag.def', 'DIAG')) + list(rows('runtime/isa/rule.def', 'RULE'))
    for id_, name, level, alias, rule, help_ in sorted(found, key=lambda r: r[1]):
        level = level.replace('LEVEL_', '').lower() + (', in blobs error' if name in refusing else '')
        cells = [f'<a id="{name}"></a>`{name}`', numbers.get(id_, ''), level, ', '.join(groups.get(id_, [])), alias, rule, help_]
        out.append('| ' + ' | '.join(c.replace('|', '\\|') for c in cells) + ' |')
    return '\n'.join(out + allowable({r[0]: r[1] for r in found})) + '\n'


def mistakes():
    """What the checker says to mistakes, beside what it said before: the table of the test and what it expects."""
    import tomllib
    rows = tomllib.loads(read('tests/tools/mistakes.toml'))
    said = dict(re.findall(r'^== (\S+) [AB]\n((?:(?!== ).*\n)*)', read('tests/lit/cli/expected/mistakes.txt'), re.M))
    grades = ', '.join(f'{sum(r["grade"] == g for r in rows.values())} {g}' for g in 'AB')
    before = ', '.join(f'{sum(r["was"] == g for r in rows.values())} {g}' for g in 'ABCD')
    out = ['# Mistakes and what the checker says', '',
           'Made by `make docs` from `tests/tools/mistakes.toml` and `tests/lit/cli/expected/mistakes.txt`, whose test checks the grades as far as a program can '
           '(`tests/tools/mistakes.py`). Lines and columns are those of a kernel around the mistake.', '',
           '- **A** names the thing, the value, the rule and the place, and the next right value, or the text that replaces the wrong one.',
           '- **B** names all but the next right value, since only the author knows it.',
           '- **C** leaves out the value or the thing, or the place is another one.',
           '- **D** misleads, speaks of something else, or there is nothing.', '',
           f'{len(rows)} mistakes: {grades}. Before these messages were worked on: {before}.']
    for name, row in rows.items():
        lines = row['lines'].strip('\n')
        now = said[name].split('    ' + lines.replace('\n', '\n    ') + '\n', 1)[1]
        out += ['', f'## {name}: {row["grade"]}, before {row["was"]}', '', '```python', lines, '```', '', '```', now.rstrip('\n'), '```', '',
                'before:', '', '```', row['before'].strip('\n'), '```']
    return '\n'.join(out) + '\n'


def ascendc():
    """The page that translates Ascend C."""
    out = ['# Names of Ascend C', '',
           'Made by `make docs` from `compiler/driver/ascendc.def`. Kernels here are Python: a program calls a container, `t = tik.Tik()`, and each call records a '
           'statement; there is no function for the device, no queue and no allocation. `tikc explain NAME` knows the names of both columns.', '',
           '| Ascend C | here |', '|---|---|',
           '| `class KernelAdd { __aicore__ inline void Process() ... }` | `t = tik.Tik()`, calls, `t.BuildCCE(kernel_name="add", inputs=[x, y], outputs=[z])` |',
           '| `LocalTensor<half> a = queue.AllocTensor<half>();` | `a = t.Tensor("float16", (128,), name="a", scope=tik.scope_ubuf)` |',
           '| `DataCopy(a, xGm[i * 128], 128);` | `t.data_copy(a, x_gm[i * 128], 128)` |',
           '| `DataCopyParams p; p.blockCount = 4; p.blockLen = 8;` | `p = tik.DataCopyParams(block_count=4, block_len=8)` |',
           '| `Add(c, a, b, 128);` | `t.vec_add(128, c, a, b, 1, 8, 8, 8)` |',
           '| `for (int i = 0; i < n; i++)` | `with t.for_range(0, n) as i:` |',
           '| `if (x > 0)` at run time | `with t.if_scope(x > 0):` |',
           '| `GetBlockIdx()` | `with t.for_range(0, n, block_num=n) as core:` |', '',
           'Fields of structures and enumerators have their names in snake case: `blockMode` is `block_mode`, `BlockMode::BLOCK_MODE_MATRIX` is `tik.BlockMode.BLOCK_MODE_MATRIX`.', '']
    text = read('compiler/driver/ascendc.def')
    for part in text.split('ASCENDC_TITLE("')[1:]:
        out += ['## ' + part.split('"')[0], '', '| Ascend C | here | |', '|---|---|---|']
        for row in re.findall(r'^ASCENDC\("(.*?)", "(.*?)", "(.*?)"\)$', part, re.M):
            names, ours, note = row
            out.append('| ' + ', '.join(f'`{n}`' for n in names.split()) + f' | `{ours}` | {note} |')
        out.append('')
    return '\n'.join(out)


def allowable(names):
    """What users may say about findings."""
    out = ['', '## Groups', '', '`-Werror=`, `-Wno-` and `--allow` take these for all of their members (language.md, Severity).', '']
    out += [f'- `{name}`: {what}' for _, name, what in rows('compiler/base/diag_group.def', 'GROUP')]
    out += ['', '## What can be allowed', '',
            'Errors that `--allow NAME` and `# tikc: allow(NAME): reason` make warnings, where what reports them can go on.', '',
            '| error | what happens then |', '|---|---|']
    out += [f'| `{names[d]}` | {then} |' for d, then in rows('compiler/base/severity.def', 'ALLOWABLE')]
    return out


def dtype_table(cores):
    types = {}
    names = {r[0]: r[1] for r in rows('runtime/isa/dtype.def', 'DTYPE')}
    for op, found in isa_tables.types().items():
        types[op] = [(names[dt], mask) for dt, mask in found]
    return types


def supported(types, op, cores):
    """Lines 'types: families' grouped by equal type lists."""
    groups = {}
    for bit, (_, family, core, *_) in enumerate(cores):
        have = tuple(n for n, m in types.get(op, []) if m >> bit & 1)
        if have:
            groups.setdefault(have, []).append(family + (' vector core' if core == 'VectorCore' else ''))
    for have, fams in groups.items():
        yield ', '.join(have), ', '.join(fams)


def kind_of(role, of):
    words = {'BOOL': 'True or False', 'ROUND': 'rounding mode', 'SIDE': "'left' or 'right'"}
    if role == 'ATTR':
        return words.get(of, 'attr')
    dtype = {'BITS': 'unsigned integer', 'U16': 'uint16', 'U32': 'uint32', 'S32': 'int32', 'U64': 'uint64',
             'F16': 'float16', 'F32': 'float32'}.get(of)
    return role.lower() + (', ' + dtype if dtype else '')


def pair_table():
    """By instruction: (source, destination, modes, mask of cores), rows of equal cores joined."""
    names = {r[0]: r[1] for r in rows('runtime/isa/dtype.def', 'DTYPE')}
    modes = ["''", 'round', 'floor', 'ceil', 'away-zero', 'to-zero', 'odd']
    joined = {}
    for op, dst, src, info, mask in isa_tables.pairs():
        factor = re.search(r'OF_TYPE\((\w+)\)', info)   # of a product: the type of the second one
        bits = isa_tables.modes(info)
        text = f'by {names[factor.group(1)]}' if factor else ', '.join(m for i, m in enumerate(modes) if bits >> i & 1)
        joined.setdefault((op, names[src], names[dst], mask), []).append(text)
    out = {}
    for (op, src, dst, mask), texts in joined.items():
        out.setdefault(op, []).append((src, dst, ', '.join(t for t in texts if t), mask))
    return out


def where(mask, cores):
    return ', '.join(c[1] + (' vector core' if c[2] == 'VectorCore' else '')
                     for bit, c in enumerate(cores) if mask >> bit & 1)


def left_out(name):
    """Why a method is not compiled (tik/left.def)."""
    for names, reason, _ in rows('compiler/tik/left.def', 'LEFT'):
        for n in names.split():
            if n == name or (n.endswith('*') and name.startswith(n[:-1])):
                return reason
    return 'not in this version'


def register_modes():
    """How vector_load and vector_store spread elements over registers (reg.def)."""
    out = ['## Modes of vector registers', '', '`ld_mode` of `vector_load` and `st_mode` of `vector_store`; `None` is NORM. Without their names they are '
           'numbers from 0 in the text of kernels.', '', '| mode | of | elements of | bytes in UB | what |', '|---|---|---|---|---|']
    uses = {'LOAD': 'loads', 'LOAD2': 'loads of two', 'STORE': 'stores', 'STORE2': 'stores of two'}
    for _, name, use, widths, size, what in rows('runtime/isa/reg.def', 'REGMODE'):
        of = ', '.join(uses[u.strip()] for u in use.split('|'))
        bits = ', '.join(str(8 * w) for w in (1, 2, 4) if int(widths) & w)
        size = size.replace('8 * S', '8 elements').replace('S', '1 element')
        out.append(f'| {name} | {of} | {bits} bits | {size} | {what} |')
    return out + ['']


def argument_table(call, operands, rules):
    """Rows of a call's arguments; the range is that of the operand of the same name."""
    out = ['| argument | takes | range | unit | rule |', '|---|---|---|---|---|']
    by_name = {o[0]: o for o in operands}
    for arg in call.args:
        takes, rng, unit, rname = call_table.takes(arg), '', '', ''
        if arg.name in by_name and arg.kind == 'INT':
            _, _, _, lo, hi, unit, rule, _ = by_name[arg.name]
            rng = f'{lo} to {hi}' if rule != 'NONE' else ''
            rname = f'`{rules[rule]}`' if rule in rules else ''
        out.append(f'| `{arg.name}` | {takes} | {rng} | {unit} | {rname} |')
    return out if call.args else []


def operand_table(operands, rules):
    out = ['| operand | kind | range | unit | rule |', '|---|---|---|---|---|']
    for pname, role, of, lo, hi, unit, rule, _ in operands:
        has = rule != 'NONE' and role in ('INT', 'REPEAT', 'ATTR')
        rname = f'`{rules[rule]}`' if rule in rules else ''
        out.append(f'| `{pname}` | {kind_of(role, of)} | {f"{lo} to {hi}" if has else ""} | {unit} | {rname} |')
    return out if operands else []


def sentence(text):
    return text[0].upper() + text[1:] + '.'


def example_lines(name, examples):
    """The example of a call where it is the first that it shows; elsewhere a reference."""
    e = examples[name]
    if e.names[0] != name:
        return [f'Example: [{e.stem}.tik](examples/{e.stem}.tik), at `{e.names[0]}`.', '']
    return [f'Example ([{e.stem}.tik](examples/{e.stem}.tik)): {e.what}', '', '```python', e.program.strip(), '```', '',
            f'After `{example_table.command(e)}`:', '', '```python', e.checks.strip(), '```', '']


def call_section(call, operands, rules, meaning, examples):
    return ([f'`{call_table.prototype(call)}`', '', sentence(call.meaning or meaning), ''] + argument_table(call, operands, rules) + [''] +
            example_lines(call.id, examples))


def element_types(op, types, pairs, cores):
    out = []
    lines = list(supported(types, op, cores))
    if lines:
        out += ['| element types | processors |', '|---|---|'] + [f'| {t} | {f} |' for t, f in lines] + ['']
    if op in pairs:
        out += ['| source | destination | modes | processors |', '|---|---|---|---|']
        out += [f'| {src} | {dst} | {modes} | {where(mask, cores)} |' for src, dst, modes, mask in pairs[op]] + ['']
    return out


def operands_of_forms():
    return {form: [operand[1:] for operand in operands] for form, (_, _, _, operands, _) in isa_tables.forms().items()}


def instructions():
    """Calls as programs write them, and which element types their instructions take."""
    cores = isa_tables.cores()
    types, pairs, operands = dtype_table(cores), pair_table(), operands_of_forms()
    rules = {r[0]: r[1] for r in rows('runtime/isa/rule.def', 'RULE')}
    ops = list(rows('runtime/isa/op.def', 'OP'))
    own, examples = call_table.by_name('CONTAINER'), example_table.examples()
    out = ['# Instructions and calls', '',
           'Made by `make docs` from `compiler/tik/call.def` and the tables of `runtime/isa/`: what programs call, first the methods of the container that are '
           'instructions, in the order of the table, then the others. Lanes, masks, repeats and strides are explained in docs/language.md, what the '
           'instructions are in the text of kernels in docs/ir-instructions.md. `tikc explain NAME` prints a section.', '',
           'Each call has an example, a whole kernel of `docs/examples`, which the suite runs on native code and on the emulator; what it says of the arrays afterwards is what '
           'numpy finds.', '']
    for op, name, form, _, pipe, sem, meaning in ops:
        out += [f'## `{name}`', '']
        called = call_table.calls_of(op, name, form, operands)
        for call in called:
            out += call_section(call, operands[form], rules, meaning, examples)
        if not called:
            by = name.split('.')[0]
            out += [sentence(meaning), '', f'Calls of `{by}` record it.' if by != name and by in {o[1] for o in ops} | set(own)
                    else 'No call has this name; other statements record it.', '']
        out += ['Pipe: ' + ('by path' if pipe == 'PATH' else pipe) + '.', ''] + element_types(op, types, pairs, cores)
    out += register_modes()
    names = {o[1] for o in ops}
    for name in sorted(n for n in own if n not in names):
        out += [f'## `{name}`', '']
        for call in own[name]:
            out += call_section(call, [], rules, '', examples)
    for owner, what in call_table.owners():
        others = call_table.by_name(owner)
        if owner != 'CONTAINER' and others:
            out += [f'## {sentence(what)[:-1]}', '']
            for name in others:
                for call in others[name]:
                    out += call_section(call, [], rules, '', examples)
    known = [r[0] for r in rows('compiler/tik/known.def', 'KNOWN') if r[0] not in names and r[0] not in own]
    out += ['## Not compiled', '', 'Methods of the container that TIK has and this version refuses with `not-supported`.', '',
            '| method | why |', '|---|---|']
    groups = {}
    for k in known:
        groups.setdefault(left_out(k), []).append(f'`{k}`')
    out += [f'| {", ".join(names)} | {reason} |' for reason, names in sorted(groups.items())] + ['']
    return '\n'.join(out)


def ir_instructions():
    """Instructions with their operands, as the text forms, traces and blobs have them."""
    operands = operands_of_forms()
    rules = {r[0]: r[1] for r in rows('runtime/isa/rule.def', 'RULE')}
    out = ['# Instructions of the kernel IR', '',
           'Made by `make docs` from `runtime/isa/op.def` and `form.def`: the operands of each instruction in the text of kernels (docs/ir.md), in traces and in '
           'blobs. What programs call is in docs/instructions.md.', '']
    by_form = {}
    for _, name, form, _, pipe, _, meaning in rows('runtime/isa/op.def', 'OP'):
        by_form.setdefault(form, []).append((name, pipe, meaning))
    for form, found in by_form.items():
        out += [f'## {", ".join(f"`{name}`" for name, _, _ in found)}', '']
        out += [f'- `{name}`: {meaning}' for name, _, meaning in found] + [''] + operand_table(operands[form], rules) + ['']
    return '\n'.join(out)


def first_sentence(path):
    """Of a file's head comment, without the file's own name."""
    m = re.match(r'\s*(?:%\{\s*)?/\*(.*?)\*/|<!doctype html>\s*<!--(.*?)-->|(?:#!.*\n)?"""(.*?)"""|#(?!!)(.*)', read(path), re.S if not path.endswith(('.toml', '.pyi')) else 0)
    text = re.sub(r'\s*\n[ *]*', ' ', next(g for g in m.groups() if g is not None)).strip() if m else ''
    text = re.sub(r'^[\w.{}-]+:\s*', '', text)
    return re.split(r'(?<=[^.])[.;](?: |$)', text)[0].strip()


def file_list():
    names = subprocess.run(['git', 'ls-files', 'grammar', 'compiler', 'runtime'], cwd=ROOT, capture_output=True,
                           text=True).stdout.split()
    groups = {}
    for path in names:
        stem, _, ext = path.rpartition('.')
        if ext == 'typed':  # a mark without contents
            continue
        groups.setdefault(os.path.dirname(path), {}).setdefault(os.path.basename(stem), []).append(ext)
    out = []
    for folder in sorted(groups):
        out += ['', f'### {folder}/', '', '| file | what |', '|---|---|']
        for stem, exts in sorted(groups[folder].items()):
            lines = [first_sentence(f'{folder}/{stem}.{e}') for e in sorted(exts)]
            text = next((l for l in lines if l and not re.match(r'(see|See) ', l)), '')
            out.append(f'| {stem}.{", .".join(sorted(exts))} | {text.replace("|", chr(92) + "|")} |')
    return '\n'.join(out) + '\n'


def passes():
    """The table of passes, and the facts that they need and give."""
    path = 'compiler/passes/pass.def'
    facts = {'FACT_' + id_: (name, what) for id_, name, what in rows(path, 'FACT')}

    def named(column):
        return ', '.join(facts[f.strip()][0] for f in column.split('|')) if column != '0' else ''

    out = ['Made by `make docs` from `compiler/passes/pass.def`, in the order in which they run.', '',
           '| pass | needs | gives | what it does |', '|---|---|---|---|']
    out += [f'| {name} | {named(needs)} | {named(gives)} | {what} |' for _, name, needs, gives, what in rows(path, 'PASS')]
    out += ['', '| fact | meaning |', '|---|---|']
    out += [f'| {name} | {what} |' for name, what in facts.values()]
    return '\n'.join(out) + '\n'


def blob_format():
    """The page as it is, with the tables of queue.def and blob_rule.def after their heads."""
    path = 'runtime/isa/queue.def'
    words = {'ON_NONE': 'no core', 'ON_A910_AIC': '`A910_AIC`', '~ON_NONE': 'all'}
    tables = {'| queue | first | later |\n|---|---|---|\n': [(pipe, first, later) for _, pipe, first, later in rows(path, 'QUEUE_PAIR')],
              '| cores | ids | of them usual |\n|---|---|---|\n': [(words[cores], ids, f'0 to {int(usual) - 1}')
                                                              for _, cores, ids, usual in rows(path, 'QUEUE_FLAGS')]}
    text = read('docs/blob-format.md')
    for head, body in tables.items():
        before, rest = text.split(head)
        after = re.sub(r'\A(\|[^\n]*\n)*', '', rest)
        text = before + head + ''.join(f'| {" | ".join(row)} |\n' for row in body) + after
    for head, lines in gen_blob_tables.rules_of_blobs().items():
        text = re.sub(r'(\n### %s\n\n)(?:\|[^\n]*\n)*' % head, lambda m, body=lines: m.group(1) + '\n'.join(body) + '\n', text)
    head, rest = text.split('\n## A worked example\n')
    lead, after = rest.split('\n\n```', 1)[0], rest.split('\n## Rules\n')[1]
    return head + '\n## A worked example\n' + lead + '\n\n' + '\n'.join(gen_blob_tables.example()) + '\n## Rules\n' + after


def emulator():
    """The page as it is, with the assumptions of the model of time."""
    head, rest = read('docs/emulator.md').split('in `runtime/emu/clock.c`:\n\n')
    after = rest.split('\n\n', 1)[1]
    found = [text for text, in rows('compiler/driver/time_model.def', 'ASSUMPTION')]
    return head + 'in `runtime/emu/clock.c`:\n\n' + '\n'.join(f'{i}. {text}' for i, text in enumerate(found, 1)) + '\n\n' + after


def architecture():
    head = read('docs/architecture.md').split('\n## Files\n')[0]
    before, rest = head.split('\n## Passes\n')
    after = rest.split('\n### ', 1)[1]
    head = f'{before}\n## Passes\n\n{passes()}\n### {after}'
    return head + '\n## Files\n\nMade by `make docs` from the head comments.\n' + file_list()


def c_api():
    """The page with its programs, which are files that the suite builds and runs."""
    return re.sub(r'(<!-- (\S+) -->\n```c\n).*?```\n', lambda m: m.group(1) + read(m.group(2)) + '```\n', read('docs/c-api.md'), flags=re.S)


def choices():
    path = 'runtime/isa/choice.def'
    readings, fixed = {}, dict(rows(path, 'ONE_READING'))
    for point, n, _, name, text in rows(path, 'READING'):
        readings.setdefault(point, []).append((name, text))
    out = ['# Choices', '',
           'Made by `make docs` from `runtime/isa/choice.def`: points of the instruction manuals on which they are silent or '
           'disagree, and their readings. `tikc explain U8` prints one.', '',
           '`tikc build --choice U8=directed` (also `check` and `run`) compiles with another reading; the first of each point is the '
           'default and costs nothing. A reading counts for the whole kernel; a blob and a compiled kernel keep it.', '',
           '| | point | question | readings | why the first |', '|---|---|---|---|---|']
    for point, number, name, question, reason in rows(path, 'CHOICE'):
        first, *others = readings[point]
        if point in fixed:
            text = f'{first[1]}. No switch: {fixed[point]}'
        else:
            text = '<br>'.join(f'`{r}`: {t}' for r, t in [first] + others)
        out.append(f'| {number} | `{name}` | {question} | {text} | {reason} |')
    return '\n'.join(out + fast_steps()) + '\n'


def fast_steps():
    """The steps of the functions of U5=fast, of runtime/num/fn.def."""
    text = read('runtime/num/fn.def')
    words = dict(re.findall(r'^ \*   ([A-Z][\w(), ]*?)  +(.*)$', text, re.M))
    out = ['', '## The functions of `U5=fast`', '',
           'Each step is an operation on float32 or on words of 32 bits, in this order; numbers are written as in C. The same steps run on every processor, '
           'in generated code and in the emulator. NaN is canonical. sqrt, rec, expm1, sin and cos, and all functions of float16, are those of the usual reading. `make functions-long` '
           'measures the errors on all arguments (testing.md).', '']
    out += [f'* `{name.strip()}`: {what}' for name, what in words.items() if not name.startswith(('LOOKUP', 'F(c)', 'UNLIKE', 'POWER', 'INSIDE'))]
    out += ['* `F(c)`, `W(c)`: a constant float32, a constant word', '']
    for title, section in ('exp', 'FN_EXP_FAST'), ('ln', 'FN_LN_FAST'), ('rsqrt', 'FN_RSQRT_FAST'):
        body = re.search(r'#ifdef %s\n#undef \w+\n(.*?)#endif' % section, text, re.S).group(1)
        note = re.search(r'/\* (.*?) \*/', body, re.S)
        steps = re.findall(r'^(FLOATS|WORDS|TRUTHS)\((\w+), (.*)\)$', body, re.M)
        out += [f'### {title}', ''] + ([note.group(1).replace('\n * ', ' '), ''] if note else [])
        out += ['```', 'x: the argument'] + [f'{name} = {value}' for _, name, value in steps] + ['```', '']
    return out[:-1]


def matrix():
    """Which processor has which instruction with which types: one row per instruction and mask of cores."""
    cores = isa_tables.cores()
    names = {r[0]: r[1] for r in rows('runtime/isa/dtype.def', 'DTYPE')}
    ops = {r[0]: r[1] for r in rows('runtime/isa/op.def', 'OP')}
    out = ['# Support matrix', '',
           'Made by `make docs` from `runtime/isa/typeset.def`; `tikc targets --matrix` prints the same with a line per type. '
           'Columns:', '']
    for i, (_, family, core, *_) in enumerate(cores):
        out.append(f'{i + 1}. {family} {core}')
    out += ['', '| instruction | element types | ' + ' | '.join(str(i + 1) for i in range(len(cores))) + ' |',
            '|---|---|' + '---|' * len(cores)]
    groups = {}
    for op, found in isa_tables.types().items():
        for dt, mask in found:
            groups.setdefault((op, mask), []).append(names[dt])
    pairs = {}
    for op, dst, src, _, mask in isa_tables.pairs():
        key = (op, f'{names[src]} to {names[dst]}')
        pairs[key] = pairs.get(key, 0) | mask
    for (op, text), mask in pairs.items():
        groups.setdefault((op, mask), []).append(text)
    order = {op: i for i, op in enumerate(ops)}
    for (op, mask), types in sorted(groups.items(), key=lambda g: order[g[0][0]]):
        marks = ' | '.join('x' if mask >> i & 1 else '' for i in range(len(cores)))
        out.append(f'| `{ops[op]}` | {", ".join(types)} | {marks} |')
    return '\n'.join(out) + '\n'


def main():
    pages = {'docs/choices.md': choices(), 'docs/support-matrix.md': matrix(), 'docs/diagnostics.md': diagnostics(), 'docs/instructions.md': instructions(),
             'docs/mistakes.md': mistakes(),
             'docs/ir-instructions.md': ir_instructions(),
             'docs/blob-format.md': blob_format(), 'docs/blob-tables.md': gen_blob_tables.page(),
             'docs/blob-rules.md': gen_blob_rules.page('--check' in sys.argv), 'docs/architecture.md': architecture(), 'docs/ascendc.md': ascendc(),
             'docs/c-api.md': c_api(), 'docs/emulator.md': emulator(), 'runtime/python/tbe/tik.pyi': gen_stubs.stubs(), **gen_editors.pages()}
    stale = []
    for path, text in pages.items():
        full = os.path.join(ROOT, path)
        old = read(path) if os.path.exists(full) else None
        if old != text:
            stale.append(path)
            if '--check' not in sys.argv:
                with open(full, 'w', encoding='utf-8') as f:
                    f.write(text)
    if '--check' in sys.argv and stale:
        print('stale (run make docs): ' + ' '.join(stale))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
