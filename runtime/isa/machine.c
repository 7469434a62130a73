/* machine.c: what follows from the facts of isa.h by computation: granules, units and
 * paths of moves, words of masks. A loader for one family of processors has lean/isa.c in
 * the place of isa.c and choice.c, and this file as it is. It is freestanding. */
#include "isa/isa.h"

int64_t
scope_granule(Scope s, bool table, int64_t bytes)
{
    const int64_t block = BLOCK_BYTES;
    if (bytes <= 0) {
        return s == SC_GM && !table ? block : 0;
    }
    if (bytes > INT64_MAX - 2 * block) {
        return bytes;
    }
    int64_t blocks = (bytes + block - 1) / block * block;
    switch (s) {
    case SC_GM:
        return table ? blocks : blocks + block;
    case SC_UB:
    case SC_L1:
        return blocks;
    default: /* a tensor is not guaranteed the rest of their allocation unit */
        return bytes;
    }
}

int
mask_words(MaskForm f)
{
    return f == MASK_BITS ? 2 : f == MASK_BITS4 ? 4 : 1;
}

bool
sem_reads_dst(Sem s)
{
    return s == SEM_MLA || s == SEM_MADD || s == SEM_MADDRELU;
}

bool
form_is_control(Form f)
{
    return form_family(f) == FAM_REGISTER || form_family(f) == FAM_CONTROL;
}

Dtype
operand_type_dtype(OperandType of, Dtype main)
{
    static const uint8_t types[OF_COUNT] = {
        [OF_U16] = DT_U16, [OF_U32] = DT_U32, [OF_S32] = DT_S32,
        [OF_U64] = DT_U64, [OF_F16] = DT_F16, [OF_F32] = DT_F32};
    return of == OF_MAIN ? main : (Dtype)types[of];
}

bool
form_blk0_is_1(Form f, int param, const Choices *c)
{
    int n;
    bool one = role_at(form_params(f, &n), param) == ROLE_DST &&
               form_family(f) != FAM_COMPARE &&
               chosen(c, CHOICE_BLOCK_STRIDE_0) == CHOSE_BLOCK_STRIDE_0_ONE;
    return form_lanes(f, param).blk0_is_1 || one;
}

static const PathInfo paths[] = {
#define PATH(src, dst, pipe, mask, warned)                                               \
    {SC_##src, SC_##dst, PIPE_##pipe, mask, warned},
#include "isa/path.def"
};

static const struct {
    Scope src, dst;
    CoreSet cores;
} paths_tensor_mov[] = {
#define PATH_TENSOR_MOV(src, dst, mask) {SC_##src, SC_##dst, mask},
#include "isa/path.def"
};

static const struct {
    Scope src, dst;
} paths_950[] = {
#define PATH_950(src, dst) {SC_##src, SC_##dst},
#include "isa/path.def"
};

const PathInfo *
path_find(Scope src, Scope dst)
{
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (paths[i].src == src && paths[i].dst == dst) {
            return &paths[i];
        }
    }
    return NULL;
}

bool
soc_has_path(const Soc *s, Scope src, Scope dst)
{
    const PathInfo *p = path_find(src, dst);
    for (size_t i = 0;
         soc_has(s, FEATURE_PATHS_950) && i < sizeof paths_950 / sizeof paths_950[0];
         i++) {
        if (paths_950[i].src == src && paths_950[i].dst == dst) {
            return true;
        }
    }
    return p != NULL && soc_on(s, p->cores);
}

bool
soc_has_tensor_mov(const Soc *s, Scope src, Scope dst)
{
    enum {
        ROWS = sizeof paths_tensor_mov / sizeof paths_tensor_mov[0]
    };
    CoreSet set = 0;
    for (int i = 0; i < ROWS && !soc_has(s, FEATURE_PATHS_950); i++) {
        if (paths_tensor_mov[i].src == src && paths_tensor_mov[i].dst == dst) {
            set = paths_tensor_mov[i].cores;
        }
    }
    return soc_on(s, set);
}

MoveUnits
move_units(Scope src, Dtype src_dt, Scope dst, Dtype dst_dt)
{
    MoveUnits u = {BLOCK_BYTES, BLOCK_BYTES, BLOCK_BYTES, BLOCK_BYTES};
    if (src == SC_L0C || dst == SC_L0C) {
        u.src_burst = 256 * dtype_size(src_dt);
        u.dst_burst = 256 * dtype_size(dst_dt);
        u.src_gap = src == SC_L0C ? u.src_burst : BLOCK_BYTES;
        u.dst_gap = dst == SC_L0C ? u.dst_burst : BLOCK_BYTES;
    }
    return u;
}
