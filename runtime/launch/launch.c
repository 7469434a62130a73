/* launch.c: runs the cores of a compiled kernel on threads. It also has the functions
 * that compiled code calls to check an instruction while running.
 *
 * Each thread has one scratch, used by its cores one after another. Cores of one kernel
 * are independent (or else the kernel requires an order), so every schedule gives the
 * same bytes; of several faults that of the lowest core is reported. A core that faults
 * stops; the others may have run or not. */

/* ASSUMES cores-wait: cores that wait for each other are at most those of the
 * processor. */
#include "rules/atomic.h"
#include "rules/shape.h"
#include "support/bind.h"
#include "launch/cores.h"
#include "launch/pool.h"
#include "support/pages.h"
#include "num/int.h"
#include "ops/ops.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
launch_record(TikCore *core, Rule rule, const char *text, int32_t place)
{
    if (core->faulted) {
        return;
    }
    core->faulted = true;
    launch_error(&core->fault, TIK_ERR_FAULT, rule_table[rule].name, "%s", text);
    where_core(core->fault.where, core->index, core->launch->cores);
    if (place >= 0 && place < core->kernel->nplaces) {
        const TikPlace *p = &core->kernel->places[place];
        snprintf(core->fault.place, sizeof core->fault.place, "%s:%" PRIu32 ":%" PRIu32,
                 p->file, p->line, p->column);
        core->fault.frame = p->frame;
    }
}

int
tikrt_fault(TikCore *core, int32_t rule, int64_t value, int32_t place)
{
    char text[240];
    error_rule_text((Rule)rule, value, text, sizeof text);
    launch_record(core, (Rule)rule, text, place);
    return 1;
}

void
tikrt_where(TikCore *core, const TikNamed *names, int32_t n, const int64_t *values)
{
    for (int32_t i = 0; i < n; i++) {
        where_value(core->fault.where, names[i].name, (Dtype)names[i].dtype, values[i]);
    }
}

static CheckTensor
tensor(const TikCore *core, const TikCheckArg *arg, const int64_t *values)
{
    CheckTensor t = {.buffer = arg->buffer,
                     .scope = (Scope)arg->scope,
                     .dtype = (Dtype)arg->dtype,
                     .offset = values[0],
                     .exact = chosen(core->kernel->choices, CHOICE_GM_BOUND) ==
                              CHOSE_GM_BOUND_EXACT,
                     .read_only = arg->list < 0,
                     .bytes = arg->bytes < 0 ? values[1] : arg->bytes};
    if (arg->list > 0) {
        t.items = (int32_t)core->kernel->params[arg->list - 1].elems;
        t.item = (const ListItem *)(const void *)core->args[arg->list - 1];
    }
    return t;
}

/* Fills an operand from its constant part and the values. Returns how many values it
 * took. */
static int
fill_arg(const TikCore *core, CheckArg *out, Role role, const TikCheckArg *arg,
         const int64_t *values)
{
    out->literal = false;
    switch (role) {
    case ROLE_DST:
    case ROLE_SRC:
    case ROLE_ROOT:
        out->t = tensor(core, arg, values);
        return arg->bytes < 0 ? 2 : 1;
    case ROLE_MASK:
        out->m.form = (MaskForm)arg->mask_form;
        for (int i = 0; i < 4; i++) {
            out->m.w[i] = (uint64_t)values[i];
        }
        return 4;
    case ROLE_MASKMODE:
        return 0;
    case ROLE_REPEAT:
    case ROLE_INT:
    case ROLE_SCALAR:
    case ROLE_ATTR:
    case ROLE_PIPE:
        out->v = values[0];
        out->literal = arg->literal != 0;
        return 1;
    }
    return 0;
}

/* ---- checks -------------------------------------------------------------- */

/* Fills the span of a tensor that is accessed up to extent bytes from its offset, and no
 * further than the limit. The rules hold. Returns 2 when it is an array that is accessed
 * after its data, which is allowed then. */
static int
note_span(TikCore *core, const TikCheckArg *arg, const CheckTensor *t, int64_t extent,
          int64_t limit, int64_t align, TikSpan *span)
{
    limit = arg->edge > 0 ? t->bytes : limit;
    bool lasts = t->items == 0 && extent <= limit && (align & (align - 1)) == 0;
    *span = (TikSpan){(uint64_t)align - 1, lasts ? (uint64_t)(limit - extent) + 1 : 0};
    if (arg->edge == 0 || extent == 0 || t->offset + extent <= limit) {
        return 0;
    }
    if (edge_open(core, arg->edge - 1, t->offset, t->offset + extent)) {
        return 2;
    }
    launch_error(&core->fault, TIK_ERR_IO, "limit-memory",
                 "not enough memory to run the kernel");
    core->faulted = true;
    return 1;
}

static int
check_one_element(TikCore *core, const TikCheck *check, const int64_t *values,
                  TikSpan *span)
{
    CheckArg arg;
    Fault fault;
    fill_arg(core, &arg, ROLE_DST, &check->args[0], values);
    if (!check->proved && !check_element(&arg.t, &fault)) {
        launch_record(core, fault.rule, fault.text, check->place);
        return 1;
    }
    int64_t size = dtype_size(arg.t.dtype);
    return note_span(core, &check->args[0], &arg.t, size, check_limit(&arg.t), size,
                     span);
}

/* Fills the spans of an instruction whose rules hold. */
static int
note_spans(TikCore *core, const TikCheck *check, const CheckInstr *in, TikSpan *spans)
{
    int n, out = 0;
    const ParamInfo *params = form_params(op_table[in->op].form, &n);
    for (int i = 0; i < n && out != 1; i++) {
        if (params[i].role != ROLE_DST && params[i].role != ROLE_SRC) {
            continue;
        }
        *spans = (TikSpan){0, 0};
        if (shape_has_spans(in->op)) {
            const CheckTensor *t = &in->args[i].t;
            int64_t align = check->proved ? 1 : check_align(in, i);
            int64_t limit = shape_has(in->op) ? check_limit(t) : t->bytes;
            int got = note_span(core, &check->args[i], t, check_extent(in, i), limit,
                                align, spans);
            out = got != 0 ? got : out;
        }
        spans++;
    }
    return out;
}

int
tikrt_check(TikCore *core, const TikCheck *check, const int64_t *values, TikSpan *spans)
{
    if (check->op == OP_COUNT) { /* an access to one element */
        return check_one_element(core, check, values, spans);
    }
    CheckInstr in;
    Fault fault;
    int n;
    in.op = (Op)check->op;
    in.soc = core->soc;
    in.choices = core->kernel->choices;
    const ParamInfo *params = form_params(op_table[in.op].form, &n);
    for (int i = 0; i < n; i++) {
        values += fill_arg(core, &in.args[i], params[i].role, &check->args[i], values);
    }
    if (!check->proved && !check_values(&in, &fault)) {
        launch_record(core, fault.rule, fault.text, check->place);
        return 1;
    }
    return note_spans(core, check, &in, spans);
}

/* Waits for the cores before this one if the instruction writes global memory while an
 * atomic mode is on. */
static void
take_turn(TikCore *core, const OpCall *c, const ParamInfo *params, int n)
{
    for (int i = 0; core->launch->order != NULL && !core->is_next && i < n; i++) {
        if (params[i].role == ROLE_DST && c->in.args[i].t.scope == SC_GM &&
            atomic_read(c->sreg) != 0) {
            core->waited = core_order_wait(core->launch->order, core->index);
            core->is_next = true;
            edges_renew(core);
        }
    }
}

int
tikrt_exec(TikCore *core, const TikCheck *op, const int64_t *values,
           uint8_t *const *operands)
{
    return launch_execute(core, op, values, operands, &(ProductPlan){0});
}

void
launch_bind(TikCore *core, BoundCall *b, const TikCheck *op, const int64_t *values)
{
    OpCall *c = &b->call;
    b->op = op;
    b->params = form_params(op_table[op->op].form, &b->n);
    b->fn = ops_find(op_table[op->op].sem);
    c->in.op = (Op)op->op;
    c->in.soc = core->soc;
    c->in.choices = core->kernel->choices;
    for (int i = 0; i < b->n; i++) {
        values += fill_arg(core, &c->in.args[i], b->params[i].role, &op->args[i], values);
    }
    c->lmem_pitch = core->kernel->lmem_pitch;
    c->log = core->log.note != NULL ? &core->log : NULL;
    c->flags = &core->flags;
    c->instr = op;
    c->warn = core->launch->warnings != NULL ? warnings_note : NULL;
}

/* Notes what differs. */
static void
renew_call(BoundCall *b, const int64_t *values)
{
    for (int i = 0; i < b->n; i++) {
        CheckArg *a = &b->call.in.args[i];
        switch (b->params[i].role) {
        case ROLE_DST:
        case ROLE_SRC:
        case ROLE_ROOT:
            a->t.offset = *values++;
            if (b->op->args[i].bytes < 0) {
                a->t.bytes = *values++;
            }
            break;
        case ROLE_MASK:
            for (int w = 0; w < 4; w++) {
                a->m.w[w] = (uint64_t)*values++;
            }
            break;
        case ROLE_MASKMODE:
            break;
        case ROLE_REPEAT:
        case ROLE_INT:
        case ROLE_SCALAR:
        case ROLE_ATTR:
        case ROLE_PIPE:
            a->v = *values++;
            break;
        }
    }
}

int
launch_execute(TikCore *core, const TikCheck *op, const int64_t *values,
               uint8_t *const *operands, const ProductPlan *plan)
{
    BoundCall *b = &core->bound[(uintptr_t)op / sizeof *op % BOUND_CALLS];
    OpCall *c = &b->call;
    WarnSite site = {core, op};
    if (b->op == op) {
        renew_call(b, values);
    } else {
        launch_bind(core, b, op, values);
    }
    memcpy(c->at, operands, (size_t)b->n * sizeof *operands);
    c->sreg = operands[b->n];
    c->origins = plan->origins;
    c->finish = plan->finish;
    c->ctx = &site;
    take_turn(core, c, b->params, b->n);
    if (b->fn(c)) {
        if (c->warn != NULL) {
            check_run_warnings(&c->in, c->warn, c->ctx);
        }
        return 0;
    }
    launch_record(core, c->fault.rule, c->fault.text, op->place);
    return 1;
}

uint64_t
tikrt_isqrt(uint64_t x)
{
    return num_isqrt(x);
}

void
tikrt_sreg_reset(uint8_t *sreg, uint32_t core)
{
    sreg_reset(sreg, core);
}

void
tikrt_lmem_reset(TikCore *core, uint8_t *lmem)
{
    memset(lmem, 0, (size_t)(core->soc->lmem->npu * core->kernel->lmem_pitch));
}

/* ---- cores over threads -------------------------------------------------- */

/* When there are more blocks than cores were started, the cores after the last one run
 * too. Cores that wait for each other all exist from the beginning, so their number
 * cannot grow. */
int
tikrt_blocks(TikCore *core, int64_t n, int32_t place)
{
    Launch *l = core->launch;
    int64_t most = core->kernel->barriers ? core->kernel->cores : MOST_BLOCKS;
    if (n < 0 || n > most) {
        return tikrt_fault(core, RULE_BLOCK_COUNT, n, place);
    }
    pthread_mutex_lock(&l->lock);
    l->cores = n > l->cores ? (int32_t)n : l->cores;
    pthread_mutex_unlock(&l->lock);
    return 0;
}

void
launch_note_error(Launch *l, int32_t core, const TikError *e)
{
    pthread_mutex_lock(&l->lock);
    if (core < l->lowest) {
        l->lowest = core;
        l->error = *e;
    }
    pthread_mutex_unlock(&l->lock);
}

static bool
hopeless(const Launch *l, int32_t core)
{
    return core > l->lowest;
}

static void
report_leftover(void *core, const void *op, const Fault *f)
{
    WarnSite site = {core, op};
    warnings_note(&site, f);
}

void
launch_enter(TikCore *core, uint8_t *scratch)
{
    Launch *l = core->launch;
    int failed = l->kernel->entry(l->args, core->index, scratch, core);
    edges_forget(core);
    if (failed != 0) {
        launch_note_error(l, core->index, &core->fault);
    } else if (l->warnings != NULL) {
        flag_leftovers(&core->flags, report_leftover, core);
    }
}

/* Logs an atomic write for the peers. Only cores of kernels with an order write bytes
 * that others write, too. */
static void
note_atomic(void *of, const AtomicWrite *w, const uint8_t *dst, const uint8_t *src,
            int64_t n)
{
    const TikCore *core = of;
    int32_t argument;
    int64_t off;
    if (edges_find(core, dst, &argument, &off)) {
        peers_log(core->launch->peers, core->index, argument, off, w, src, n);
    } else {
        peers_log_at(core->launch->peers, core->index, dst, w, src, n);
    }
}

/* Makes a core that has not begun. Which instruction set a flag counts only while it is
 * up, so these many bytes stay as they are. */
void
launch_begin(TikCore *core, Launch *l, int32_t index)
{
    char *after = (char *)(&core->flags + 1);
    memset(core, 0, offsetof(TikCore, flags.by));
    memset(after, 0, (size_t)((char *)core->bound - after));
    for (int i = 0; i < BOUND_CALLS; i++) {
        core->bound[i].op = NULL;
    }
    core->kernel = l->kernel;
    core->soc = l->soc;
    core->launch = l;
    core->args = l->args;
    core->index = index;
    if (l->peers != NULL && l->order != NULL) {
        core->log = (AtomicLog){note_atomic, core};
    }
}

/* Returns how long the core waited for others. */
static int64_t
run_core(Launch *l, int32_t index, uint8_t *scratch)
{
    const TikKernel *k = l->kernel;
    TikCore core;
    if (hopeless(l, index)) {
        return 0;
    }
    launch_begin(&core, l, index);
    if (k->fill_scratch) {
        memset(scratch, 0xff, (size_t)k->scratch_bytes);
    }
    launch_enter(&core, scratch);
    return core.waited;
}

void
launch_no_scratch(Launch *l)
{
    TikError e;
    launch_error(&e, TIK_ERR_IO, "limit-memory",
                 "not enough memory for %" PRId64 " bytes of scratch",
                 l->kernel->scratch_bytes);
    launch_note_error(l, -1, &e);
}

void
launch_no_memory(Launch *l)
{
    TikError e;
    launch_error(&e, TIK_ERR_IO, "limit-memory", "not enough memory to run the kernel");
    launch_note_error(l, -1, &e);
}

enum {
    SHORT = 20000 /* nanoseconds of a core */
};

/* Takes this thread from those that run cores, unless it is the last one. */
static bool
retire(Launch *l)
{
    int32_t n = l->active;
    while (n > 1 && !atomic_compare_exchange_weak(&l->active, &n, n - 1)) {
    }
    return n > 1;
}

/* Runs a core of a kernel whose atomic writes are ordered. Returns false if this thread
 * is to run no more: its core waited longer than it worked, so that handing over costs
 * more than working side by side gains. */
static bool
run_in_order(Launch *l, int32_t index, uint8_t *scratch)
{
    int64_t from = core_order_clock();
    int64_t waited = scratch != NULL ? run_core(l, index, scratch) : 0;
    int64_t worked = core_order_clock() - from - waited;
    core_order_end(l->order, index);
    if (index == l->first) {
        atomic_store(&l->took, worked > 0 ? worked : 1);
    }
    return waited <= worked || !retire(l);
}

/* Returns whether this thread is to run cores whose atomic writes are ordered. The
 * caller's is. Another one looks how long the first core takes: what short cores write
 * costs more on its way between processors than they gain. */
static bool
joins(Launch *l)
{
    int64_t took;
    if (pthread_equal(pthread_self(), l->caller)) {
        return true;
    }
    while ((took = atomic_load(&l->took)) == 0) {
        if (core_order_clock() - l->began >= SHORT) {
            return true;
        }
        pool_pause();
    }
    return took >= SHORT;
}

/* Runs cores from first on, as many as a thread takes at once. */
static void
run_some(Launch *l, int32_t first, uint8_t *scratch)
{
    int32_t end = l->end - first < l->chunk ? l->end : first + l->chunk;
    for (int32_t i = first; i < end; i++) {
        if (peers_has(l->peers, i)) {
            run_core(l, i, scratch);
        }
    }
}

/* Runs cores, in ascending order, until there are no more. */
static void
run_part(void *launch, Seat *seat)
{
    Launch *l = launch;
    bool stays = true;
    if (l->order != NULL && !joins(l)) {
        return;
    }
    uint8_t *scratch = seat_scratch(seat, l->kernel->scratch_bytes);
    if (scratch == NULL) {
        launch_no_scratch(l);
    }
    atomic_fetch_add(&l->active, 1);
    for (int64_t i; stays && (i = atomic_fetch_add(&l->next, l->chunk)) < l->end;) {
        if (l->order != NULL && peers_has(l->peers, i)) {
            stays = run_in_order(l, (int32_t)i, scratch);
        } else if (l->order == NULL && scratch != NULL) {
            run_some(l, (int32_t)i, scratch);
        }
    }
}

/* Returns how many threads the launch has; threads is what its caller wants. The order of
 * cores was decided for arrays that share no bytes. */
static int
thread_count(Launch *l, int threads)
{
    const TikKernel *k = l->kernel;
    int n = threads > 0 ? threads : pool_default_threads();
    n = n < k->cores ? n : k->cores;
    if (n > 1 && !launch_arguments_apart(l)) {
        return 1;
    }
    if (n > 1 && k->ordered == TIK_ORDERED) {
        return k->inspector != NULL && launch_cores_apart(l) ? n : 1;
    }
    return k->ordered == TIK_ATOMICS_ORDERED && k->barriers ? 1 : n;
}

enum {
    MAX_ARGS = 4096,
    PARTS = 16 /* that a thread's share of small cores has at least */
};

/* Runs cores until none reports that there are more blocks. */
static void
launch_cores(Launch *l)
{
    while (l->end < l->cores && l->lowest == INT32_MAX) {
        l->next = l->end;
        l->first = (int32_t)peers_next(l->peers, l->end);
        l->end = l->cores;
        l->active = 0;
        if (l->order != NULL) {
            l->caller = pthread_self();
            l->began = core_order_clock();
            l->took = 0;
        }
        l->chunk =
            l->order != NULL ? 1 : (l->end - (int32_t)l->next) / (l->threads * PARTS) + 1;
        pool_run(l->threads, run_part, l);
    }
}

/* Does so until none of the peers reports more blocks either. */
static void
launch_all_cores(Launch *l)
{
    int64_t cores;
    bool more = true;
    while (more) {
        launch_cores(l);
        cores = l->cores;
        more = peers_agree(l->peers, l->lowest == INT32_MAX, &cores);
        l->cores = (int32_t)cores;
    }
}

/* Where warnings go; with fn null they are dropped. */
typedef struct Listener {
    TikWarn *fn;
    void *ctx;
    PeerRun *peers; /* with it they go there, and cores are shared; null: alone */
} Listener;

static bool
run(const TikKernel *k, uint8_t *const *args, int threads, const Listener *listener,
    TikError *err)
{
    Launch l = {.kernel = k,
                .soc = soc_find(k->soc),
                .warnings = listener->fn != NULL ? warnings_new() : NULL,
                .args = args,
                .peers = listener->peers,
                .cores = k->cores,
                .lowest = INT32_MAX,
                .lock = PTHREAD_MUTEX_INITIALIZER};
    l.threads = thread_count(&l, threads);
    if (listener->fn != NULL && l.warnings == NULL) {
        launch_no_memory(&l);
    } else if (k->barriers) {
        launch_with_barriers(&l);
    } else if (k->ordered == TIK_ATOMICS_ORDERED &&
               (l.order = core_order_new(MOST_BLOCKS, l.peers)) == NULL) {
        launch_no_scratch(&l);
    } else {
        launch_all_cores(&l);
    }
    core_order_free(l.order);
    free(l.rooms);
    if (l.warnings != NULL) {
        warnings_report(&l, listener->fn, listener->ctx);
    }
    warnings_free(l.warnings);
    if (l.lowest == INT32_MAX) {
        return true;
    }
    if (err != NULL) {
        *err = l.error;
    }
    return false;
}

/* Returns false unless the kernel is one of this library. */
static bool
is_ours(const TikKernel *k, TikError *err)
{
    if (k->abi != TIKRT_ABI) {
        return launch_error(err, TIK_ERR_USAGE, "usage",
                            "the kernel was compiled for another version of libtikrt: "
                            "build it again");
    }
    if (k->nparams < 0 || k->nparams > MAX_ARGS || k->cores < 1 || k->scratch_bytes < 0 ||
        soc_find(k->soc) == NULL) {
        return launch_error(err, TIK_ERR_USAGE, "usage",
                            "'%s' is not a kernel of this library", k->name);
    }
    return true;
}

static bool
launch(const TikKernel *k, TikArray *const *arrays, int threads, const Listener *listener,
       TikError *err)
{
    if (!is_ours(k, err)) {
        return false;
    }
    Bound bound;
    bool ok = bound_init(&bound, k->params, k->nparams, arrays, err) &&
              run(k, bound.args, threads, listener, err);
    bound_end(&bound);
    return ok;
}

bool
tik_launch(const TikKernel *k, TikArray *const *arrays, int threads, TikError *err)
{
    const Listener nobody = {NULL, NULL, NULL};
    return launch(k, arrays, threads, &nobody, err);
}

bool
tik_launch_watched(const TikKernel *k, TikArray *const *arrays, int threads,
                   TikWarn *warn, void *ctx, TikError *err)
{
    const Listener listener = {warn, ctx, NULL};
    return launch(k, arrays, threads, &listener, err);
}

/* Returns why the cores of a kernel cannot be shared; null if they can. */
static const char *
why_alone(const TikKernel *k)
{
    return k->barriers                 ? "its cores wait for each other"
           : k->ordered == TIK_ORDERED ? "its cores may access the same bytes"
                                       : NULL;
}

/* Runs the cores of this process, and on rank 0 all of them if some process failed. */
static bool
run_shared(TikPeers *peers, const TikKernel *k, Bound *bound, int threads,
           const Listener *listener, TikError *err)
{
    Listener shared = *listener;
    TikError own;
    shared.peers = peers_begin(peers, bound, k->params, k->nparams);
    if (shared.peers == NULL) {
        peers_fail(peers);
        return peers->rank != 0 || run(k, bound->args, threads, listener, err);
    }
    bool ok = run(k, bound->args, threads, &shared, &own);
    bool again = peers_end(shared.peers, ok, listener->fn, listener->ctx) == PEERS_AGAIN;
    peers_free(shared.peers);
    if (again && !run(k, bound->args, threads, listener, err)) {
        return false;
    }
    peers->alone = again ? peers_again : NULL;
    return true;
}

bool
tik_launch_among(TikPeers *peers, const TikKernel *k, TikArray *const *arrays,
                 int threads, TikWarn *warn, void *ctx, TikError *err)
{
    const Listener listener = {warn, ctx, NULL};
    if (!is_ours(k, err)) {
        return false;
    }
    peers->alone = why_alone(k);
    if (peers->alone != NULL || peers->ranks < 2) {
        return peers->rank != 0 || launch(k, arrays, threads, &listener, err);
    }
    Bound bound;
    bool ok = bound_init(&bound, k->params, k->nparams, arrays, err);
    if (!ok) {
        peers_fail(peers);
    }
    ok = ok ? run_shared(peers, k, &bound, threads, &listener, err) : peers->rank != 0;
    bound_end(&bound);
    return ok;
}
