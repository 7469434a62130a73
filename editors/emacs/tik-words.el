;;; tik-words.el --- Words of TIK kernels  -*- lexical-binding: t -*-

;;; Commentary:
;; Made by make docs of grammar/tik.l, compiler/tik/call.def and runtime/isa.

;;; Code:

(defconst tik-words-calls
  '( "BuildCCE" "Const" "Dprofile" "InputScalar" "Scalar" "ScalarArray"
    "StartProfiling" "Tensor" "TensorAddrList" "Tik" "Vector" "arange" "astype" "bcast"
    "block_barrier" "broadcast_ub_to_l0c" "buffer_size_query" "cast" "cast_deq" "cast_dequant"
    "col2img" "conv2d" "data_copy" "data_copy_pad" "data_move" "data_move_multi_nd2nz"
    "data_move_pad" "data_move_quant" "elif_scope" "else_scope" "fixpipe" "flatten" "for_range"
    "gen_cfg" "get_available_buffer_size" "get_left_buffer_size" "get_overflow_status"
    "global_scalar" "h_abs" "h_add" "h_and" "h_cast" "h_cmpv" "h_conv" "h_cos" "h_data_move" "h_div"
    "h_duplicate" "h_exp" "h_ln" "h_max" "h_min" "h_mul" "h_not" "h_or" "h_quant" "h_rec"
    "h_reduce_argmax" "h_reduce_argmin" "h_reduce_max" "h_reduce_min" "h_reduce_sum" "h_relu"
    "h_rsqrt" "h_sel" "h_sin" "h_sub" "if_scope" "init_const_value" "is_tik_var" "lane_add"
    "lane_conv2d" "lane_max" "lane_min" "lane_mul" "lane_sub" "load2dv1" "load2dv2" "load2dv3"
    "load3dv1" "load3dv2" "load_data" "load_data_with_transpose" "load_image" "matmul" "mmad"
    "mmad_broadcast" "mov_atomic_add_to_scalar" "mov_cmpmask_to_tensor" "mov_fp2int_mode_to_scalar"
    "mov_rpn_cor_ir_to_scalar" "mov_tensor_to_cmpmask" "mov_vmrgsort4_sr_to_scalar"
    "multi_for_range" "negate" "new_scope" "new_stmt_scope" "pack_conv" "pack_params" "part"
    "pipe_barrier" "printf" "reinterpret_cast_to" "requant" "reshape" "resize" "rpn_cor"
    "rpn_cor_diag" "scalar_abs" "scalar_conv" "scalar_countbit0" "scalar_countbit1"
    "scalar_countleading0" "scalar_max" "scalar_min" "scalar_sqrt" "scatter_vconv" "set_as"
    "set_atomic_add" "set_atomic_max" "set_atomic_min" "set_atomic_none" "set_cond_task_id"
    "set_deq_scale" "set_fixpipe_config" "set_fixpipe_nz2nd_flag" "set_fixpipe_pre_quant_flag"
    "set_flag" "set_fp2fp_mode" "set_fp2int_mode" "set_l0_set_value" "set_overflow_status"
    "set_pad_value" "set_padding" "set_printf_params" "set_rpn_cor_ir" "set_rpn_offset"
    "set_scalar_to_cmpmask" "set_tiling_params" "set_vbi_options" "tensor_mov"
    "tensor_padding_with_matrix" "tik_break" "tik_continue" "tik_return" "v4dtrans" "vaadd" "vabs"
    "vadd" "vadddeqrelu" "vaddrelu" "vadds" "vand" "vaxpy" "vbcb" "vbi" "vcadd" "vcbd" "vcgadd"
    "vcgmax" "vcgmin" "vci" "vcmax" "vcmin" "vcmp_eq" "vcmp_ge" "vcmp_gt" "vcmp_le" "vcmp_lt"
    "vcmp_ne" "vcmpv_eq" "vcmpv_ge" "vcmpv_gt" "vcmpv_le" "vcmpv_lt" "vcmpv_ne" "vcmpvs_eq"
    "vcmpvs_ge" "vcmpvs_gt" "vcmpvs_le" "vcmpvs_lt" "vcmpvs_ne" "vconcat" "vconv" "vcopy" "vcpadd"
    "vdiv" "vec_abs" "vec_add" "vec_adds" "vec_and" "vec_axpy" "vec_cmpv_eq" "vec_cmpv_ge"
    "vec_cmpv_gt" "vec_cmpv_le" "vec_cmpv_lt" "vec_cmpv_ne" "vec_conv" "vec_cpadd" "vec_dup"
    "vec_exp" "vec_expm1_high_preci" "vec_ln" "vec_ln_high_preci" "vec_max" "vec_min" "vec_mul"
    "vec_muls" "vec_not" "vec_or" "vec_rec" "vec_rec_high_preci" "vec_reduce_add" "vec_reduce_max"
    "vec_reduce_min" "vec_relu" "vec_rsqrt" "vec_rsqrt_high_preci" "vec_sel" "vec_sub" "vec_trans"
    "vec_trans_scatter" "vector_cast" "vector_dup" "vector_load" "vector_store" "vector_vabs"
    "vector_vadd" "vector_vadds" "vector_vand" "vector_vdhistv2" "vector_vdintlv" "vector_vdiv"
    "vector_vdup" "vector_vexp" "vector_vintlv" "vector_vln" "vector_vmax" "vector_vmaxs"
    "vector_vmin" "vector_vmins" "vector_vmul" "vector_vmuls" "vector_vnot" "vector_vor"
    "vector_vrec" "vector_vrelu" "vector_vrsqrt" "vector_vsqrt" "vector_vsub" "vexp" "vextract"
    "vgather" "vgatherb" "view" "viou" "vln" "vlrelu" "vmadd" "vmaddrelu" "vmax" "vmaxs" "vmin"
    "vmins" "vmla" "vmrgch" "vmrgsort" "vmrgsort4" "vmul" "vmulconv" "vmuls" "vnchwconv" "vnot"
    "vor" "vpadding" "vrec" "vreduce" "vreducev2" "vrelu" "vrpac" "vrpsort16" "vrsqrt" "vscatter"
    "vsel" "vshl" "vshr" "vsort32" "vsqrt" "vsub" "vsubrelu" "vtranspose" "wait_flag"
    )
  "Methods and functions of the module tik.")

(defconst tik-words-memories
  '( "scope_gm" "scope_ubuf" "scope_cbuf" "scope_ca" "scope_cb"
    "scope_cc" "scope_reg" "scope_cbuf_out" "scope_vreg" "scope_smask" "scope_aicpu" "scope_lmem"
    "scope_smem" "scope_bt" "scope_static"
    )
  "Constants that name memories.")
(provide 'tik-words)
;;; tik-words.el ends here
