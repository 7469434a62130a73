from .scale_dyn import scale_dyn, TILING_NUM as SCALE_TILING_NUM
