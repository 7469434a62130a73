/* flag.c: flags (see flag.h), and the rules of instructions that compute nothing. */
#include "rules/flag.h"
#include "rules/internal.h"
#include "rules/require.h"
#include "isa/operand.h"
#include "num/scalar.h"

#include "isa/bytes.h"

enum {
    BARRIER_BYTES = 32 /* bytes of the workspace of a barrier for each block */
};

/* What two queues of a processor have; the last row is for all cores. */
typedef struct QueueFlags {
    CoreSet cores;
    int ids, usual;
} QueueFlags;

static const QueueFlags *
queue_flags(const Soc *soc)
{
    static const QueueFlags rows[] = {
#define QUEUE_FLAGS(id, cores, ids, usual) {(CoreSet)(cores), ids, usual},
#include "isa/queue.def"
    };
    const QueueFlags *row = rows;
    while (!soc_on(soc, row->cores)) {
        row++;
    }
    return row;
}

int
flag_ids(const Soc *soc)
{
    return queue_flags(soc)->ids;
}

int
flag_ids_usual(const Soc *soc)
{
    return queue_flags(soc)->usual;
}

bool
flag_has_pipe(const Soc *soc, Pipe p)
{
    return p != PIPE_FIX || soc->bytes[SC_FB] > 0;
}

static Pipe
path_pipe(Scope from, Scope to)
{
    const PathInfo *path = path_find(from, to);
    if (path != NULL) {
        return path->pipe;
    }
    if (from == SC_GM) {
        return PIPE_MTE2;
    }
    if (from == SC_L0C || to == SC_FB) {
        return PIPE_FIX;
    }
    return to == SC_GM ? PIPE_MTE3 : PIPE_MTE1;
}

Pipe
flag_pipe(const CheckInstr *in)
{
    Form form = op_form(in->op);
    int pipe = op_pipe(in->op);
    int src = form_first(form, ROLE_SRC), dst = form_first(form, ROLE_DST);
    if (pipe != OP_PIPE_PATH) {
        return (Pipe)pipe;
    }
    return src < 0 || dst < 0 ? PIPE_S
                              : path_pipe(in->args[src].t.scope, in->args[dst].t.scope);
}

/* ---- rules that do not depend on what was before ------------------------- */

static bool
loop_dtype(const CheckInstr *in, Fault *fault)
{
    int64_t t = in->args[BOUNDS_dtype].v;
    bool known = t > DT_NONE && t < DT_COUNT && !dtype_is_half_byte((Dtype)t);
    FaultAt at = {RULE_LOOP_BOUNDS, BOUNDS_dtype, t, 0, 0};
    return (known &&
            (dtype_kind((Dtype)t) == KIND_SINT || dtype_kind((Dtype)t) == KIND_UINT)) ||
           check_fail(fault, &at, "%lld is no type of a loop variable", (long long)t);
}

/* Only pipe_barrier names all queues at once. */
static bool
pipe_exists(const CheckInstr *in, int param, Fault *fault)
{
    int64_t v = in->args[param].v;
    int64_t most = op_form(in->op) == FORM_PIPE ? PIPE_COUNT : PIPE_COUNT - 1;
    FaultAt at = {RULE_PIPE, param, v, 0, most};
    if (v < 0 || v > most) {
        return check_fail(fault, &at, "%s is queue %lld; they are 0 to %lld",
                          check_param_name(in, param), (long long)v, (long long)most);
    }
    return v == PIPE_COUNT || flag_has_pipe(in->soc, (Pipe)v) ||
           check_fail(fault, &at, "%s is PIPE_%s, which %s does not have",
                      check_param_name(in, param), pipe_name((Pipe)v), in->soc->name);
}

static bool
control_statics(const CheckInstr *in, Fault *fault)
{
    int n;
    if (op_sem(in->op) == SEM_LOOP_BOUNDS && !loop_dtype(in, fault)) {
        return false;
    }
    const ParamRow *params = op_params(in->op, &n);
    for (int i = 0; i < n; i++) {
        if (param_at(params, i)->role == ROLE_PIPE && !pipe_exists(in, i, fault)) {
            return false;
        }
    }
    FaultAt at = {RULE_SYNC_SAME_PIPE, FLAG_trigger_pipe, in->args[FLAG_trigger_pipe].v,
                  0, PIPE_COUNT - 1};
    return op_form(in->op) != FORM_FLAG ||
           in->args[FLAG_pipe].v != in->args[FLAG_trigger_pipe].v ||
           check_fail(fault, &at, "both queues of %s are PIPE_%s", check_op_name(in),
                      pipe_name((Pipe)at.value));
}

/* Bounds are compared in 64 bits. A uint64 bound from 2^63 on arrives as a negative
 * number, and the word wide says that it would be one. Without an iteration no bound
 * matters. */
bool
check_loop_bounds(const CheckInstr *in, int param, Fault *fault)
{
    (void)param;
    int64_t begin = in->args[BOUNDS_begin].v, end = in->args[BOUNDS_end].v;
    Dtype t = (Dtype)in->args[BOUNDS_dtype].v;
    int64_t wide = in->args[BOUNDS_wide].v, lo = 0, hi = INT64_MAX;
    bool full;
    if (!loop_dtype(in, fault)) {
        return false;
    }
    scalar_range(t, &lo, &hi, &full);
    FaultAt at = {RULE_LOOP_BOUNDS, BOUNDS_end, end, lo, hi};
    if (((wide & LOOP_WIDE_BEGIN) && begin < 0) || ((wide & LOOP_WIDE_END) && end < 0)) {
        at.value = begin < 0 && (wide & LOOP_WIDE_BEGIN) ? begin : end;
        return check_fail(fault, &at,
                          "a bound of the loop is %llu; bounds are below 2^63",
                          (unsigned long long)at.value);
    }
    at.value = begin < lo ? begin : end;
    return begin >= end || (begin >= lo && end - 1 <= hi) ||
           check_fail(fault, &at,
                      "the loop runs from %lld to %lld; its variable is %s, which holds "
                      "%lld to %lld",
                      (long long)begin, (long long)end, dtype_name(t), (long long)lo,
                      (long long)hi);
}

bool
check_barrier_room(const CheckInstr *in, int param, Fault *fault)
{
    (void)param;
    int64_t v = in->args[BARRIER_blocks].v, bytes = in->args[BARRIER_workspace].t.bytes;
    FaultAt at = {RULE_BARRIER, BARRIER_workspace, v, 1, bytes / BARRIER_BYTES};
    return v <= at.hi ||
           check_fail(fault, &at,
                      "%lld blocks meet, and the workspace has %lld bytes; it takes %d "
                      "for each of them",
                      (long long)v, (long long)bytes, (int)BARRIER_BYTES);
}

const FamilyRules rules_control = {.statics = control_statics,
                                   NOT_LEAN(.placeless = true)};

/* ---- flags --------------------------------------------------------------- */

bool
flag_step_known(bool *up, const CheckInstr *in, Fault *fault)
{
    bool set = op_sem(in->op) == SEM_SET_FLAG;
    const char *from = pipe_name((Pipe)in->args[FLAG_pipe].v);
    const char *to = pipe_name((Pipe)in->args[FLAG_trigger_pipe].v);
    long long id = in->args[FLAG_event_id].v;
    FaultAt at = {set ? RULE_SYNC_DOUBLE_SET : RULE_SYNC_DEADLOCK, FLAG_event_id, id, 0,
                  0};
    if (*up != set) {
        *up = set;
        return true;
    }
    return set ? check_fail(fault, &at,
                            "PIPE_%s sets flag %lld of PIPE_%s again before a wait_flag",
                            from, id, to)
               : check_fail(fault, &at,
                            "PIPE_%s waits for flag %lld of PIPE_%s, which is not set",
                            to, id, from);
}

bool
flag_step(Flags *f, const CheckInstr *in, const void *by, Fault *fault)
{
    if (!control_statics(in, fault) || !require_holds(in, FLAG_event_id, fault)) {
        return false;
    }
    uint8_t *flags = &f->up[in->args[FLAG_pipe].v][in->args[FLAG_trigger_pipe].v];
    uint8_t bit = (uint8_t)(1 << in->args[FLAG_event_id].v);
    bool up = (*flags & bit) != 0;
    if (!flag_step_known(&up, in, fault)) {
        return false;
    }
    *flags = (uint8_t)(up ? *flags | bit : *flags & ~bit);
    f->by[in->args[FLAG_pipe].v][in->args[FLAG_trigger_pipe].v]
         [in->args[FLAG_event_id].v] = by;
    return true;
}

void
flag_leftover(Pipe from, Pipe to, int id, Fault *fault)
{
    FaultAt at = {RULE_SYNC_LEFTOVER, FLAG_event_id, id, 0, 0};
    (void)check_fail(fault, &at,
                     "flag %d from PIPE_%s to PIPE_%s is still set when the kernel ends",
                     id, pipe_name(from), pipe_name(to));
}

void
flag_leftovers(const Flags *f, void (*tell)(void *ctx, const void *by, const Fault *),
               void *ctx)
{
    for (int i = 0; i < PIPE_COUNT * PIPE_COUNT * FLAG_IDS; i++) {
        int id = i % FLAG_IDS, to = i / FLAG_IDS % PIPE_COUNT;
        int from = i / FLAG_IDS / PIPE_COUNT;
        Fault fault;
        if (f->up[from][to] >> id & 1) {
            flag_leftover((Pipe)from, (Pipe)to, id, &fault);
            tell(ctx, f->by[from][to][id], &fault);
        }
    }
}
