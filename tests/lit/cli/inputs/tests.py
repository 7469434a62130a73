"""tests.py FOLDER: a tree of kernels with tests beside them."""
import os
import sys

import numpy as np

folder = sys.argv[1]
KERNEL = '''from tbe import tik

%s
def op(n, factor=2.0):
    t = tik.Tik()
    x = t.Tensor("float16", (n,), name="x", scope=tik.scope_gm)
    y = t.Tensor("float16", (n,), name="y", scope=tik.scope_gm)
    ub = t.Tensor("float16", (n,), name="ub", scope=tik.scope_ubuf)
    t.data_move(ub, x, 0, 1, n // 16, 0, 0)
    t.vec_muls(128, ub, ub, factor, n // 128, 8, 8)
    t.data_move(y, ub, 0, 1, n // 16, 0, 0)
    t.BuildCCE(kernel_name="op", inputs=[x], outputs=[y])
'''


def write(path, text):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        f.write(text)


good = KERNEL % '# tikc: call=op(256)\n# tikc: in.x = arange\n# tikc: expect.y=y.npy\n'
write('good/comments.tik', good)
np.save(os.path.join(folder, 'good/y.npy'), np.arange(256, dtype=np.float16) * 2)
write('good/plain.py', KERNEL % '')
write('good/deep/matrix.tik', KERNEL % '# tikc: call = op(128)')
write('good/deep/matrix.test.toml', '''# Settings before the first [[test]] hold for all of them.
in.x = "ones"
rtol = 1e-3

[[test]]
name = "twice"
soc = ["Ascend910", "Ascend310P"]  # one test for each
expect.y = 2

[[test]]
name = "half"
call = 'op(128, 0.5)'
expect = {y = 0.5}

[[test]]   # no name: its number
call = "op(256, factor=\\"x\\" == \\"x\\" and 1.5)"
define = {
''' .replace('define = {\n', 'define.N = "3"\nexpect.y = 1.5\n'))
write('good/script.tik', KERNEL % '''# tikc: test one
# tikc: call=op(128)
# tikc: in.x=random:3
# tikc: reference=script_ref.py
# tikc: test two
# tikc: call=op(256)
# tikc: in.x=random:4
# tikc: reference=script_ref.py''')
write('good/script_ref.py', '''import os, sys
import numpy as np
folder, kernel = sys.argv[1:]
assert kernel == "op"
x = np.load(os.path.join(folder, "x.npy"))
np.save(os.path.join(folder, "y.expect.npy"), x * 2)
''')
write('good/.hidden/no.tik', good.replace('y.npy', 'none.npy'))

write('bad/differs.tik', KERNEL % '# tikc: call=op(256)\n# tikc: in.x=arange\n# tikc: expect.y=arange\n')
write('bad/fault.tik', good.replace('call=op(256)', 'call=op(100)').replace('y.npy', '1'))
write('bad/missing.tik', good)
write('bad/script.tik', KERNEL % '# tikc: call=op(256)\n# tikc: reference=ref.py\n')
write('bad/ref.py', 'import sys\nsys.exit(3)\n')
write('bad/silent.tik', KERNEL % '# tikc: call=op(256)\n# tikc: reference=silent_ref.py\n')
write('bad/silent_ref.py', 'print("<no> \\"file\\" & \\x01")\n')
write('bad/alone.test.toml', 'in.x = 1\n')

for name, text in {
        'key': 'call = "op(256)"\n\nin.x = 1\ncal = "op()"\n',
        'flag': 'call = "op(256)"\nexpect.y = 1\nstrict = "yes"\n',
        'value': 'call = "op(256)"\nin.x = \n',
        'text': 'call = "op(256)\nin.x = 1\n',
        'escape': 'call = "op(\\q)"\n',
        'twice': 'call = "op(256)"\nin.x = 1\nin.x = 2\n',
        'table': 'call = "op(256)"\n[in]\nx = 1\n',
        'rest': 'call = "op(256)" in.x = 1\n',
        'word': 'call = op(256)\n',
        'nothing': 'in.x = 1\n= 2\n',
        'array': 'soc = ["Ascend910" "Ascend310P"]\n',
        'inline': 'in = {x = 1\n}\n',
        'number': 'call = "op(256)"\nexpect.y = 1\nrtol = "small"\n'}.items():
    write('wrong/%s.tik' % name, KERNEL % '')
    write('wrong/%s.test.toml' % name, text)
write('wrong/comment.tik', KERNEL % '# tikc: call=op(256)\n# tikc: tolerance=3\n# tikc: in.x=1')
