/* access.c: lists which bytes a statement accesses (see access.h). Footprints come from
 * the numeric checker (check_footprint); this file only brings constant operands into its
 * format. */
#include "passes/access.h"
#include "isa/operand.h"

#include <string.h>

/* Converts a constant operand for the numeric checker; false: it is not constant. */
static bool
const_arg(const Kernel *k, const ParamInfo *param, const Arg *a, CheckArg *out)
{
    switch (param->role) {
    case ROLE_DST:
    case ROLE_SRC:
    case ROLE_ROOT:
        out->t = ir_check_tensor(k, &a->ref);
        return true;
    case ROLE_MASK:
        out->m.form = a->mask_form;
        for (int i = 0; i < mask_words(a->mask_form); i++) {
            out->m.w[i] = (uint64_t)ir_expr(k, a->mask[i])->imm;
            if (!ir_is_const(k, a->mask[i])) {
                return false;
            }
        }
        return true;
    case ROLE_REPEAT:
    case ROLE_INT:
    case ROLE_ATTR:
    case ROLE_PIPE:
        out->v = ir_expr(k, a->expr)->imm;
        out->literal = ir_is_const(k, a->expr);
        return out->literal;
    case ROLE_SCALAR:
    case ROLE_MASKMODE:
        return true;
    }
    UNREACHABLE();
}

/* True if the numbers are those of a shape: code that is never reached may break
 * rules. */
static bool
is_shape(const Footprint *f)
{
    const int64_t most = (int64_t)1 << 40;
    return f->count0 >= 0 && f->count1 >= 0 && f->len >= 0 && f->stride0 >= 0 &&
           f->stride1 >= 0 && f->count0 < most && f->count1 < most && f->len < most &&
           f->stride0 < most && f->stride1 < most && footprint_end(f) < most;
}

static bool
is_empty(const Access *a)
{
    return a->known && (a->fp.count0 == 0 || a->fp.count1 == 0 || a->fp.len == 0);
}

/* A move keeps the bytes, whatever their type is. */
static bool
copies(Sem sem)
{
    return sem == SEM_MOVE || sem == SEM_SEGMENTS || sem == SEM_LOAD2D ||
           sem == SEM_LOAD2D_BOX || sem == SEM_LOAD3D1 || sem == SEM_LOAD3D2 ||
           sem == SEM_PAD_MOVE || sem == SEM_ND2NZ || sem == SEM_NZ2ND ||
           sem == SEM_REG_LOAD || sem == SEM_REG_STORE || sem == SEM_REG_INTLV ||
           sem == SEM_REG_DINTLV;
}

/* Replaces the access of a factor by that of its origin. */
static void
read_origin(const Kernel *k, const Stmt *s, Access *a)
{
    int factor = a->param - MATMUL_a;
    if (s->instr.origin == 0 || a->write || factor < 0 || factor >= ORIGIN_FACTORS) {
        return;
    }
    const Origin *o = &k->origins.p[s->instr.origin].of[factor];
    if (o->ref.buf != 0) {
        a->buf = o->ref.buf;
        a->off = o->ref.off;
        a->known = true;
        a->exact = false;
        a->fp = (Footprint){0, o->ninner, o->inner, o->nouter, o->outer, ORIGIN_BYTES};
    }
}

/* Returns whether an operand that is not constant changes only where a source begins. */
static bool
is_start(Sem sem, int param)
{
    return sem == SEM_LOAD2D && param == LOAD2D_start_index;
}

static int
instr_list(const Kernel *k, const Stmt *s, Access *out)
{
    int n;
    int found = 0;
    const ParamInfo *params = form_params(op_table[s->instr.op].form, &n);
    const Arg *args = &k->args.p[s->instr.arg];
    Sem sem = op_table[s->instr.op].sem;
    CheckInstr in;
    check_begin(&in, s->instr.op, n);
    in.soc = k->soc;
    in.choices = k->choices;
    bool known = true, start = true;
    for (int i = 0; i < n; i++) {
        bool constant = const_arg(k, &params[i], &args[i], &in.args[i]);
        known = known && (constant || is_start(sem, i));
        start = start && (constant || !is_start(sem, i));
        if (!constant && is_start(sem, i)) {
            in.args[i].v = 0;
        }
    }
    bool reads_dst = check_reads_dst(&in);
    for (int pass = 0; pass < 2; pass++) {
        Role role = pass == 0 ? ROLE_SRC : ROLE_DST;
        for (int i = 0; i < n; i++) {
            bool also = pass == 0 && reads_dst && params[i].role == ROLE_DST;
            if (params[i].role != role && !also) {
                continue;
            }
            Access a = {.buf = args[i].ref.buf,
                        .param = i,
                        .dtype = args[i].ref.dtype,
                        .off = args[i].ref.off};
            a.write = role == ROLE_DST;
            a.computes = !a.write && !copies(sem);
            if (known && (start || params[i].role != ROLE_SRC)) {
                a.fp = check_footprint(&in, i, &a.exact);
                a.fp.offset -= in.args[i].t.offset;
                a.known = is_shape(&a.fp);
            }
            read_origin(k, s, &a);
            if (!is_empty(&a)) {
                out[found++] = a;
            }
        }
    }
    return found;
}

static Access
element(const Ref *r, bool write)
{
    Access a = {.buf = r->buf, .param = -1, .dtype = r->dtype};
    a.write = write;
    a.computes = !write;
    a.known = true;
    a.exact = true;
    a.off = r->off;
    a.fp = (Footprint){0, 1, 0, 1, 0, dtype_size(r->dtype)};
    return a;
}

int
access_list(const Kernel *k, const Stmt *s, Access out[MAX_ACCESSES])
{
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        return s->proof == PROOF_ASKED ? 0 : instr_list(k, s, out);
    case ST_LOAD:
        out[0] = element(&s->load.ref, false);
        return 1;
    case ST_STORE:
        out[0] = element(&s->store.ref, true);
        return 1;
    default:
        return 0;
    }
}

/* ---- equal statements ---------------------------------------------------- */

enum {
    MEMO_SLOTS = 64, /* a power of two */
    MEMO_WORDS = 32, /* longer keys are not kept */
    MEMO_LIST = 4    /* nor are longer lists */
};

/* The accesses of an instruction; where they begin is not looked at. */
typedef struct MemoEntry {
    int nkey, n;
    uint64_t key[MEMO_WORDS];
    Access list[MEMO_LIST];
} MemoEntry;

struct AccessMemo {
    MemoEntry slots[MEMO_SLOTS];
};

AccessMemo *
access_memo_new(Arena *arena)
{
    return ARENA_NEW(arena, AccessMemo);
}

/* Returns what a number is, 0 if it is no constant: equal constants are one
 * expression. */
static inline uint64_t
number_key(const Kernel *k, ExprId e)
{
    return ir_is_const(k, e) ? e : 0;
}

/* Returns the first operand that is in the same buffer as operand i. */
static inline uint64_t
first_in_buffer(const Arg *args, int i)
{
    int first = 0;
    while (args[first].kind != ARG_REF || args[first].ref.buf != args[i].ref.buf) {
        first++;
    }
    return (uint64_t)first;
}

/* Puts the tensor of operand i, and what its shape depends on. Returns false if the
 * statement is none to be kept. */
static inline bool
put_tensor(const Kernel *k, const Arg *args, int i, uint64_t key[2])
{
    const Ref *r = &args[i].ref;
    const Buffer *b = &k->bufs.p[r->buf];
    key[0] = (uint64_t)ir_bytes(b);
    key[1] = first_in_buffer(args, i) << 32 | (uint64_t)b->role << 24 |
             (uint64_t)b->scope << 16 | (uint64_t)r->dtype << 8 | b->dynamic;
    return b->role != BUF_LIST;
}

/* Puts what the shape of an access depends on. Returns the number of words, 0 if the
 * statement is none to be kept. */
static int
make_key(const Kernel *k, const Stmt *s, int n, uint64_t key[MEMO_WORDS])
{
    const Arg *args = &k->args.p[s->instr.arg];
    uint64_t *to = key;
    bool kept = s->instr.origin == 0;
    *to++ = s->instr.op;
    for (int i = 0; i < n && kept; i++) {
        const Arg *a = &args[i];
        if (a->kind == ARG_EXPR) {
            *to++ = number_key(k, a->expr);
        } else if (a->kind == ARG_REF) {
            kept = put_tensor(k, args, i, to);
            to += 2;
        } else if (a->kind == ARG_MASK) {
            *to++ = (uint64_t)a->mask_form << 32 | number_key(k, a->mask[0]);
            kept = mask_words(a->mask_form) <= 1;
        }
        kept = kept && to - key <= MEMO_WORDS - 2;
    }
    return kept ? (int)(to - key) : 0;
}

static MemoEntry *
slot_of(AccessMemo *m, const uint64_t *key, int n)
{
    uint64_t h = 0;
    for (int i = 0; i < n; i++) {
        h = (h ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return &m->slots[h & (MEMO_SLOTS - 1)];
}

int
access_list_kept(AccessMemo *m, const Kernel *k, const Stmt *s, Access out[MAX_ACCESSES])
{
    uint64_t key[MEMO_WORDS];
    int params;
    if (s->kind != ST_INSTR || s->proof == PROOF_ASKED) {
        return access_list(k, s, out);
    }
    (void)form_params(op_table[s->instr.op].form, &params);
    int nkey = make_key(k, s, params, key);
    MemoEntry *e = slot_of(m, key, nkey);
    if (nkey > 0 && e->nkey == nkey &&
        memcmp(e->key, key, (size_t)nkey * sizeof *key) == 0) {
        for (int i = 0; i < e->n; i++) {
            out[i] = e->list[i];
            const Ref *r = &k->args.p[s->instr.arg + (uint32_t)out[i].param].ref;
            out[i].buf = r->buf;
            out[i].off = r->off;
        }
        return e->n;
    }
    int n = instr_list(k, s, out);
    if (nkey > 0 && n <= MEMO_LIST) {
        e->nkey = nkey;
        e->n = n;
        memcpy(e->key, key, (size_t)nkey * sizeof *key);
        memcpy(e->list, out, (size_t)n * sizeof *out);
    }
    return n;
}

/* ---- loops and runs ------------------------------------------------------ */

void
access_enter_loop(Env *env, const Stmt *loop)
{
    int64_t lo, hi;
    bool full;
    Interval begin = env_expr(env, loop->loop.begin);
    Interval end = env_expr(env, loop->loop.end);
    scalar_range(env->k->vars.p[loop->loop.var].dtype, &lo, &hi, &full);
    int64_t last = end.hi == INT64_MIN ? end.hi : end.hi - 1;
    if (ir_expr(env->k, loop->loop.end)->dtype == DT_U64 && end.lo < 0) {
        last = INT64_MAX;
    }
    last = MIN(ir_is_multicore(loop) ? MIN(last, IR_MAX_BLOCKS - 1) : last, hi);
    lo = MAX(begin.lo, lo); /* loop_bounds has checked that the variable fits its dtype */
    env_set_var(env, loop->loop.var, interval_between(lo, MAX(lo, last)));
}

bool
access_certain_loop(const Kernel *k, const Stmt *loop, int64_t *begin, int64_t *end)
{
    return ir_loop_bounds(k, loop, begin, end) && *begin < *end;
}

int64_t
access_end(const Access *a)
{
    return footprint_end(&a->fp);
}

int64_t
access_runs(const Access *a)
{
    int64_t n;
    return checked_mul(a->fp.count0, a->fp.count1, &n) ? n : INT64_MAX;
}

void
access_run(const Access *a, int64_t i, int64_t *lo, int64_t *hi)
{
    *lo = a->fp.offset + i % a->fp.count0 * a->fp.stride0 +
          i / a->fp.count0 * a->fp.stride1;
    *hi = *lo + a->fp.len;
}
