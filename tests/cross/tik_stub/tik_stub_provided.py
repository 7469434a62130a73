"""The names that the compiler brings itself, below te, tbe, topi, mindspore and platform_adapter: one
flat set after all these modules. Written from the language's specification; for the Ascend310P3.

Everything else that is asked for is a placeholder: a class when its name begins with a capital, else an
object that knows its dotted name and raises when it is called."""
import math
import types

import tik
from tik_stub_notes import note

SPEC = {"CORE_NUM": 8, "UB_SIZE": 262144, "L1_SIZE": 1048576, "L0A_SIZE": 65536, "L0B_SIZE": 65536,
        "L0C_SIZE": 262144, "SHORT_SOC_VERSION": "Ascend310P", "FULL_SOC_VERSION": "Ascend310P3",
        "SOC_VERSION": "Ascend310P", "AICORE_TYPE": "AiCore", "ubblock_size": 32, "cube_m_size": 16,
        "cube_k_size": 16, "cube_n_size": 16}
# What the Ascend310P3 supports of the instructions that operators ask about; (name, dtype), dtype ""
# for existence.
ASKED = {("data_move_pad", ""): False, ("load2dv1", ""): False, ("load2dv2", ""): True,
         ("load3dv1", ""): True, ("scalar_conv", ""): True, ("v4dtrans", ""): True,
         ("v4dtrans", "float16"): True, ("vaadd", "float16"): True, ("vadd", "float32"): True,
         ("vadds", "int32"): True, ("vbi", ""): True, ("vbi", "float32"): False,
         ("vbitsort32", ""): False, ("vcgmax", "float32"): True, ("vcmin", "float32"): True,
         ("vcmp_gt", "float32"): True, ("vcmpv_eq", "int32"): False, ("vconcat", ""): True,
         ("vconv", "f162s8"): True, ("vconv", "f322f16"): True, ("vconv", "f322bf16f"): False,
         ("vconv", "s322f32"): True, ("vconv", "f322s32f"): True, ("vcopy", ""): False,
         ("vdiv", "float32"): True, ("vmuls", "float32"): True, ("vmuls", "int32"): True,
         ("vrelu", "float32"): True, ("vsel", "float32"): True, ("vshr", "int32"): False,
         ("vexp", "float32"): True, ("data_move_l12ub", ""): True,
         ("data_move_out2l1_nd2nz", ""): False, ("vreduce", "float16"): True}
ALIAS = {"vrpsort16": "vbitsort", "vec_reduce_max": "vcmax", "vec_reduce_min": "vcmin",
         "vec_reduce_add": "vcadd", "vlog": "vln", "reduce_sum": "vcadd", "round": "vconv",
         "floor": "vconv", "cast_to": "vconv"}
mode = "static"  # what get_op_mode answers


def get_soc_spec(key):
    if key not in SPEC:
        raise RuntimeError("no such key: %s" % key)
    return SPEC[key]


def set_current_compile_soc_info(name, core_type="", aicore_num=None, l1_fusion=None):
    return "success"


def _asked(name, dtype):
    name = ALIAS.get(name, name)
    if name.startswith("vec_"):
        name = "v" + name[4:]
    return ASKED[name, dtype]  # a KeyError: no question of a kernel of ours has this answer


def api_check_support(intrinsic, dtype=""):
    for prefix in ("tik.", "te.lang.cce.", "tbe.dsl."):
        if intrinsic.startswith(prefix):
            return _asked(intrinsic[len(prefix):], dtype)
    return False


def intrinsic_check_support(intrinsic, dtype=""):
    return intrinsic.startswith("Intrinsic_") and _asked(intrinsic[10:], dtype)


def get_bit_len(dtype):
    if dtype in ("bool", "double"):
        return 16 if dtype == "bool" else 64
    return int(dtype.lstrip("abcdefghijklmnopqrstuvwxyz"))


def get_block_size():
    return 32


def check_support_block_size_16():
    return False


def check_supported_vcopy():
    return api_check_support("tik.vcopy")


class CceProductParams:
    cce_product = "Ascend310P"

    def getParams(self, key):
        return SPEC[{"Unified_Buffer": "UB_SIZE", "L1_Buffer": "L1_SIZE", "L0A_Buffer": "L0A_SIZE",
                     "L0B_Buffer": "L0B_SIZE", "L0C_Buffer": "L0C_SIZE"}[key]]

    def get_product_version(self):
        return self.cce_product


# ---- checks -------------------------------------------------------------------------------------------------

SHAPE_SIZE_LIMIT = 2 ** 31 - 1
MAX_KERNEL_NAEM_LEN = 200
NONE_TYPE = type(None)


def _require(fact, *what):
    if not fact:
        raise RuntimeError(what)


def check_op_params(*kinds, **options):
    return lambda function: function


check_input_type = check_op_params


def check_shape(shape, min_dim=0, max_dim=SHAPE_SIZE_LIMIT, min_rank=0, max_rank=8, min_size=0,
                max_size=SHAPE_SIZE_LIMIT, param_name=""):
    if mode == "dynamic" and (-1 in shape or tuple(shape) == (-2,)):
        return
    _require(min_rank <= len(shape) <= max_rank, "rank", shape)
    _require(all(min_dim <= n <= max_dim for n in shape), "dimension", shape)
    _require(not shape or min_size <= math.prod(shape) <= max_size, "size", shape)


def check_shape_rule(shape, min_dim=1, max_dim=8, max_shape_num=SHAPE_SIZE_LIMIT):
    _require(min_dim <= len(shape) <= max_dim, "rank", shape)
    _require(all(0 < n <= max_shape_num for n in shape), "dimension", shape)


def check_shape_size(shape, limit=SHAPE_SIZE_LIMIT + 1):
    _require(math.prod(shape) < limit, "size", shape)
    return math.prod(shape)


def check_tensor_shape_size(shape):
    return check_shape_size(shape)


def check_dtype(dtype, check_list=("float16", "float32", "int32", "int8", "uint8"), param_name=""):
    allowed = (check_list,) if isinstance(check_list, str) else check_list
    _require(dtype.lower() in allowed, dtype, allowed)


check_dtype_rule = check_dtype


def check_format(data_format, check_list=("ND", "NCHW", "NHWC", "NC1HWC0"), param_name=""):
    _require(data_format in check_list, data_format)


def check_kernel_name(kernel_name):
    _require(kernel_name.isidentifier() and len(kernel_name) <= MAX_KERNEL_NAEM_LEN, kernel_name)


# ---- the compile context, registrations ----------------------------------------------------------------------

_info = {}


def add_compile_info(key, value):
    _info[key] = value


def get_compile_info(key=None):
    return _info if key is None else _info.get(key)


class _Context:
    add_compile_info = staticmethod(add_compile_info)
    get_compile_info = staticmethod(get_compile_info)

    def __init__(self):
        self.stored = {}

    def get_op_mode(self):
        return mode

    def get_op_info(self):
        return [types.SimpleNamespace(op_name="", op_type="")]

    def get_addition(self, key):
        return self.stored.get(key)

    def add_addition(self, key, value):
        self.stored[key] = value

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


_context = _Context()


def get_context():
    return _context


def get_error_message(args_dict):
    return ", ".join("%s: %s" % item for item in args_dict.items())


def register(*args, **kwargs):
    return lambda function: function


register_operator = register_operator_compute = register_op_compute = register
register_param_generalization = op_info_register = register
register.register_operator = register.register_op_compute = register.register_param_generalization = register
PIPELINES = {"s": 1, "v": 2, "m": 3, "mte1": 4, "mte2": 5, "mte3": 6}


class TBERegOp:
    def __init__(self, op_name=""):
        pass

    def __getattr__(self, name):
        return lambda *args, **kwargs: self


class _Names:
    def __getattr__(self, name):
        return name


DataType = _Names()


class build_config:
    def __init__(self, *args, **kwargs):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


def _nothing(*args, **kwargs):
    return None


set_tik_tensor = init_bank_hit_info = update_bank_hit_info = debug = info = _nothing


def tik_dsl_bank_proc(*args, **kwargs):
    return False


def get_current_build_config(*args):
    return None if args else {}


# ---- shapes ------------------------------------------------------------------------------------------------------

def axis_check(rank, axis):
    if isinstance(axis, int):
        _require(-rank <= axis < rank, "axis", axis)
        return axis % rank
    return sorted({axis_check(rank, a) for a in axis})


def axis_transform_5d(axis, data_format):
    return "NCHW".index(data_format[axis])


axis_transfrom_5d = axis_transform_5d


def shape_to_list(shape):
    return list(shape)


def get_shape_size(shape):
    return math.prod(shape)


def scalar2tensor_one(shape):
    return shape if shape else [1]


def compare_tensor_dict_key(dict1, dict2, dict_key):
    a, b = dict1[dict_key], dict2[dict_key]
    both = isinstance(a, (list, tuple)) and isinstance(b, (list, tuple))
    _require(list(a) == list(b) if both else a == b, dict_key)


# ---- the flat set ------------------------------------------------------------------------------------------------

class PlatformApi:
    get_soc_spec = staticmethod(get_soc_spec)


for _key in SPEC:
    setattr(PlatformApi, _key, _key)


class OpPatternMode:
    SORT = "sort"
    GATHER = "gather"
    SEGMENT = "segment"


class OpImplMode:
    HIGH_PERFORMANCE = "high_performance"
    HIGH_PRECISION = "high_precision"
    SUPER_PERFORMANCE = "super_performance"
    SUPPORT_OUT_OF_BOUND_INDEX = "support_out_of_bound_index"
    NORM_CLASS = "norm_class"


_FAMILIES = {"ASCEND_310": "Ascend310", "ASCEND_310P": "Ascend310P", "ASCEND_310B": "Ascend310B",
             "ASCEND_910": "Ascend910", "ASCEND_910B": "Ascend910B", "ASCEND_910_93": "Ascend910_93",
             "ASCEND_610": "Ascend610", "BS9SX1A": "BS9SX1A", "SD3403": "SD3403", "AS31XM1": "AS31XM1",
             "HI3796CV300ES": "Hi3796CV300ES", "HI3796CV300CS": "Hi3796CV300CS"}
_KINDS = ["%s_%s" % (need, what) for need in ("REQUIRED", "OPTION", "DYNAMIC")
          for what in ("INPUT", "OUTPUT")]
_KINDS += ["%s_ATTR_%s" % (need, what) for need in ("REQUIRED", "OPTION")
           for what in ("INT", "FLOAT", "STR", "BOOL", "TYPE", "LIST_INT", "LIST_FLOAT", "LIST_BOOL",
                        "LIST_LIST_INT")]

NAMES = {name: value for name, value in globals().items()
         if not name.startswith("_") and name not in ("mode", "note", "types", "SPEC", "ASKED", "ALIAS")}
NAMES.update({key: key for key in SPEC if key.isupper()})
NAMES.update({name: value for name, value in vars(tik).items()
              if name.startswith(("scope_", "VECTOR_INST", "BLOCK_")) or name == "C0_SIZE"})
NAMES.update(_FAMILIES)
NAMES.update({kind: kind.lower() for kind in _KINDS})
NAMES.update({"OP_ERROR_CODE_%03d" % i: "E800%02d" % i for i in range(19)})
NAMES.update({"KERNEL_NAME": "kernel_name", "ELEMENTS_VECTOR_OP_FP16": 128, "CCE_AXIS": "cce_axis",
              "GEMM_MODE": 0, "VERSION_MINI": "mini", "VERSION_CLOUD": "cloud"})
NAMES.update({name: "insn_" + name for name in ("DMA_COPY", "ADD", "SUB", "MUL", "MULVS", "CAST",
                                                 "CAST_ROUND", "DUP", "REDUCE_SUM")})
NAMES["dynamic_build_config_dict"] = {}
NAMES["CUBE_MKN"] = {"float16": {"mac": [16, 16, 16]}, "int8": {"mac": [16, 32, 16]},
                     "uint8": {"mac": [16, 32, 16]}}


def _raiser(name):
    def fail(*args, **kwargs):
        note("provided.call." + name)
        raise RuntimeError("%s: %s %s" % (name, args, kwargs))
    return fail


def lookup(path, name):
    """A name of the provided module or placeholder at this path."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in NAMES:
        note("provided." + name)
        return NAMES[name]
    if name.startswith("raise_"):
        return _raiser(name)
    note("lazy.class" if name[0].isupper() else "lazy.name")
    return type(name, (), {}) if name[0].isupper() else Placeholder(path + "." + name)


class Placeholder:
    """A name of the tensor DSL, or a module that nobody imported: knows what it is called, cannot be
    called."""

    def __init__(self, path):
        self._path = path

    def __getattr__(self, name):
        return lookup(self._path, name)

    def __call__(self, *args, **kwargs):
        note("lazy.call")
        raise RuntimeError("%s is a placeholder" % self._path)


class Provided(types.ModuleType):
    """Any provided module: all names, then errors, then placeholders."""

    def __getattr__(self, name):
        if name == "__all__":
            return list(NAMES)
        return lookup(self.__name__, name)
