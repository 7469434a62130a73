"""Readings of uncertain points, each a switch with the choice of the project as its default."""
import dataclasses


@dataclasses.dataclass
class Choices:
    binary_block_zero: bool = True       # a binary dst block stride of 0 is kept, blocks in ascending order; False: acts as 1
    away_zero_directed: bool = False     # 'away-zero' is nearest with ties away; True: every fraction goes away
    negative_to_unsigned_zero: bool = True   # vcbd: negative int16 to uint32 is clamped to 0; False: sign extension
    vci_continues: bool = True           # vci counts r*L + lane; False: every repeat starts again
    vcmp_clears: bool = True             # vcmp gives 0 for lanes that are off; False: their bits stay
    vmrgch_b8_group: int = 32            # of so many 8-bit elements the first four stay
    block_identity: bool = True          # vcg*: a block without a lane gives the identity; False: is not written
    cmax_count_first: bool = True        # v220 max_cnt_index: [value, count, index]; False: [value, index, count]
    empty_list_suspends: bool = True     # a merge with suspension ends at once on a list of length 0
    shl_keeps_sign: bool = True          # signed vshl keeps the sign bit; False: shifts like C
    widening_keeps_nan: bool = True      # float16 and bfloat16 to float32 keep a NaN as it is; False: canonical
    rsqrt_minus_zero: float = float('-inf')   # 1/sqrt(-0)
