#!/usr/bin/python3
"""docs/blob-rules.md says what the checker answers: the tables that tools/rule-tables.c makes of its functions are those of the page, and each blob of
the conformance set that a warning of sources refuses is in the table of severities. Ends with 'N passed, N failed'."""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD, ROOT  # noqa

os.environ['BUILD'] = BUILD
import gen_blob_rules  # noqa
import isa_tables  # noqa


def stands(text, name):
    """The table with the name in the page."""
    return re.search(rf'<!-- table: {name} -->\n\n((?:\|[^\n]*\n)*)', text)[1].splitlines()


def main():
    text, passed, bad = gen_blob_rules.read(gen_blob_rules.PAGE), 0, []
    for name in gen_blob_rules.HEADS:
        says, answers = stands(text, name), gen_blob_rules.answers(name)[:-1]
        bad += [f'{name}: the checker says {line}' for line in answers if line not in says] + [f'{name}: only the page says {line}' for line in says if line not in answers]
        passed += says == answers
    level = {n: r[2] for n, id_ in isa_tables.rows('runtime/isa/rule_number.def', 'RULE_NUMBER') for r in isa_tables.rows('runtime/isa/rule.def', 'RULE') if r[0] == id_}
    said = {re.search(r'\| (\d{4}) \|', line)[1] for line in stands(text, 'severity')[2:]}
    for file in sorted(os.listdir(os.path.join(ROOT, 'tests/blobs/refused'))):
        number = file.split('-')[0]
        if level.get(number) == 'WARNING':
            bad += [] if number in said else [f'severity: {file} is refused, and the page does not say so']
            passed += number in said
    print('\n'.join(bad))
    print(f'{passed} passed, {len(bad)} failed')
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
