# An operator of which nothing says how to call it.
from te import tik


def uncalled(n):
    t = tik.Tik()
    t.BuildCCE(kernel_name="op", inputs=[], outputs=[])
