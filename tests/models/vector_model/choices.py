"""Readings of uncertain points, each a switch with the choice of the project as its default."""
import dataclasses

PROFILES = ('v100', 'v200', 'v220', 'v300', 'nano')


@dataclasses.dataclass
class Choices:
    binary_block_zero: bool = True       # a binary dst block stride of 0 is kept, blocks in ascending order; False: acts as 1
    float16_saturates: bool = False      # results of float16 arithmetic saturate; False: IEEE 754
    integer_saturates: bool = False      # integer arithmetic saturates; False: wraps
    fast_functions: bool = False         # exp, ln, rsqrt of float32 by the steps of docs/choices.md; False: correctly rounded
    fused_once: bool = False             # vmla, vmadd, vaxpy of one type round once; False: after each step
    away_zero_directed: bool = False     # 'away-zero' is nearest with ties away; True: every fraction goes away
    scaled_through_float32: bool = False   # int32 times a float16 is rounded to float32 first
    negative_to_unsigned_zero: bool = True   # vcbd: negative int16 to uint32 is clamped to 0; False: sign extension
    vci_continues: bool = True           # vci counts r*L + lane; False: every repeat starts again
    vcmp_clears: bool = True             # vcmp gives 0 for lanes that are off; False: their bits stay
    vmrgch_b8_group: int = 32            # of that many 8-bit elements the first four stay
    sums_by_chip: bool = False           # v220 adds the sums of repeats one after the other, in chunks of 255
    old_pairs_zero: bool = False         # v100: a pair of vcpadd without a lane gives 0; False: is not written
    block_identity: bool = True          # vcg*: a block without a lane gives the identity; False: is not written
    cmax_count_first: bool = True        # v220 max_cnt_index: [value, count, index]; False: [value, index, count]
    dense_patterns: tuple = PROFILES     # where the patterns of repeats of vreduce follow each other; elsewhere: stride in blocks
    areas_rounded_once: bool = False     # viou, vrpac of float16: float32 inside; False: each step is rounded
    empty_list_suspends: bool = True     # a merge with suspension ends at once on a list of length 0
    zero_is_kept: bool = True            # rpn_cor: entries of 0 are kept; False: removed
    shl_keeps_sign: bool = True          # signed vshl keeps the sign bit; False: shifts like C
    widening_keeps_nan: bool = True      # float16 and bfloat16 to float32 keep a NaN as it is; False: canonical
    rsqrt_minus_zero: float = float('-inf')   # 1/sqrt(-0)


# The names that tikc has for them (--choice), by point and reading.
READINGS = {
    'U1=one': {'binary_block_zero': False},
    'U2=saturate': {'float16_saturates': True},
    'U3=saturate': {'integer_saturates': True},
    'U5=fast': {'fast_functions': True},
    'U7=once': {'fused_once': True},
    'U8=directed': {'away_zero_directed': True},
    'U10=float32': {'scaled_through_float32': True},
    'U11=extended': {'negative_to_unsigned_zero': False},
    'U12=restarts': {'vci_continues': False},
    'U13=kept': {'vcmp_clears': False},
    'U14=sixteen': {'vmrgch_b8_group': 16},
    'U15=chip': {'sums_by_chip': True},
    'U16=zero-pairs': {'old_pairs_zero': True},
    'U17=index-first': {'cmax_count_first': False},
    'U18=dense-310p': {'dense_patterns': ('v200',)},
    'U18=blocks': {'dense_patterns': ()},
    'U20=once': {'areas_rounded_once': True},
    'U21=skipped': {'empty_list_suspends': False},
    'U22=zero-removed': {'zero_is_kept': False},
    'U24=all-bits': {'shl_keeps_sign': False},
}


def choices_of(names):
    """Of the names of READINGS."""
    fields = {}
    for name in names:
        fields.update(READINGS[name])
    return Choices(**fields)
