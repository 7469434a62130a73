"""The JSON form of chain.tik: one object per line, every member with its type."""
import json
import sys

lines = sys.stdin.read().splitlines()
assert len(lines) == 1, lines
d = json.loads(lines[0])
assert set(d) == {'version', 'name', 'level', 'default', 'file', 'line', 'column', 'end_line', 'end_column', 'message', 'rule',
                  'help', 'notes', 'calls', 'fixes'}, sorted(d)
assert d['version'] == 1 and d['name'] == 'repeat-range' and d['level'] == d['default'] == 'error'
assert d['file'].endswith('chain.tik')
assert (d['line'], d['column'], d['end_line'], d['end_column']) == (14, 41, 14, 47), d
assert d['message'] == 'repeat_times is 300; vec_muls takes 1 to 255 repeats'
assert d['rule'].startswith('repeat_times is 1 to 255') and d['help'] and d['notes'] == []
assert [(c['callee'], c['line'], c['column']) for c in d['calls']] == [('scale', 18, 5), ('twice', 23, 5)], d['calls']
assert all(set(c) == {'file', 'line', 'column', 'end_line', 'end_column', 'callee'} for c in d['calls'])
