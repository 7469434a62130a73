"""The module tbe of programs for the original toolkit, as tikc has it: see tikc.shims."""
import sys

from tikc import shims

sys.modules[__name__] = shims.module(__name__)
