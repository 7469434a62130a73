# An operator, called twice.
# tikc: test small
# tikc: call=op(128)
# tikc: test large
# tikc: call=op(256)
from te import tik
import shared


def op(n):
    t = tik.Tik()
    x, y, u = shared.tensors(t, n)
    t.data_move(u, x, 0, 1, n // 16, 0, 0)
    t.data_move(y, u, 0, 1, n // 16, 0, 0)
    t.BuildCCE(kernel_name="op", inputs=[x], outputs=[y])
