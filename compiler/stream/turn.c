/* turn.c: the copies of buffers of loops with thread_num. A buffer of such a loop has
 * room for several copies, and the iterations use them in turn, so that queues can move
 * one while another one is computed: the remainder of the loop's counter is computed once
 * an iteration, and is a term of the addresses.
 *
 * A buffer takes turns only if nobody can see it: every access is proved to be inside of
 * its copy, and every read to be of bytes that the iteration has written. */
#include "stream/stream.h"

/* ---- which buffers ------------------------------------------------------- */

/* Returns the distance of the copies of a buffer in bytes; 0: addresses in some copy
 * would not be aligned. */
static int64_t
pitch_of(const Buffer *b)
{
    int64_t bytes = round_up(ir_bytes(b), scope_alloc_unit(b->scope));
    for (int t = DT_NONE + 1; t < DT_COUNT; t++) {
        if (bytes % scope_align(b->scope, (Dtype)t) != 0) {
            return 0;
        }
    }
    return bytes;
}

static bool
may_turn(const Stream *s, const Buffer *b)
{
    return b->copies > 1 && b->scope != SC_GM && b->scope != SC_LMEM && !b->dynamic &&
           !b->fixed && !b->unset && b->data == NULL && s->k->soc->lmem == NULL &&
           pitch_of(b) > 0;
}

/* Returns whether the loop's counter is known to be no less than 0, and the loop to have
 * iterations in turn. */
static bool
has_turns(const Stream *s, const Stmt *loop)
{
    const Expr *begin = ir_expr(s->k, loop->loop.begin);
    const Expr *end = ir_expr(s->k, loop->loop.end);
    return !ir_is_multicore(loop) && begin->kind == EX_CONST && begin->imm >= 0 &&
           (end->kind != EX_CONST || end->imm - 1 > begin->imm);
}

static void
forbid(Stream *s, BufId b)
{
    s->turns[b].loop = 0;
}

static void
forbid_args(Stream *s, const Stmt *st)
{
    int n;
    Form form = op_table[st->instr.op].form;
    form_params(form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &s->k->args.p[st->instr.arg + (uint32_t)i];
        if (a->kind == ARG_REF &&
            (st->proof != PROOF_PROVED || sync_roams(st->instr.op))) {
            forbid(s, a->ref.buf);
        }
    }
}

static void
find(Stream *s, StmtId first, StmtId loop)
{
    for (StmtId id = first; id != 0; id = s->k->stmts.p[id].next) {
        const Stmt *st = &s->k->stmts.p[id];
        switch ((StmtKind)st->kind) {
        case ST_ALLOC:
            if (loop != 0 && may_turn(s, &s->k->bufs.p[st->alloc.buf])) {
                s->turns[st->alloc.buf].loop = loop;
            }
            break;
        case ST_INSTR:
            forbid_args(s, st);
            break;
        case ST_LOAD:
        case ST_STORE:
            if (st->proof != PROOF_PROVED) {
                forbid(s, st->kind == ST_LOAD ? st->load.ref.buf : st->store.ref.buf);
            }
            break;
        case ST_FOR:
            find(s, st->loop.body, has_turns(s, st) ? id : 0);
            break;
        case ST_IF:
            find(s, st->cond.then_body, loop);
            find(s, st->cond.else_body, loop);
            break;
        case ST_SCOPE:
            find(s, st->scope.body, loop);
            break;
        case ST_NONE:
        case ST_SET:
        case ST_BREAK:
        case ST_CONTINUE:
        case ST_RETURN:
            break;
        }
    }
}

void
stream_find_turns(Stream *s)
{
    s->turns = ARENA_ARRAY(&s->scratch, Turn, s->k->bufs.n + 1);
    find(s, s->k->body, 0);
}

int64_t
stream_region_bytes(const Stream *s, BufId b)
{
    const Buffer *buf = &s->k->bufs.p[b];
    int64_t others = s->turns[b].loop == 0 ? 0 : pitch_of(buf) * (buf->copies - 1);
    return others + ir_bytes(buf);
}

/* ---- descriptors --------------------------------------------------------- */

static bool
alu(Stream *s, ScalarOp op, TikNum a, int64_t b, uint32_t reg)
{
    tikblob_clear(&s->d, 0);
    s->d.kind = DESC_ALU;
    s->d.alu_op = op;
    s->d.dtype = DT_S64;
    s->d.reg = reg;
    s->d.a = a;
    s->d.b.imm = b;
    return stream_emit(s);
}

bool
stream_begin_turn(Stream *s, StmtId loop)
{
    TikNum counter = s->vars[s->k->stmts.p[loop].loop.var].num;
    uint32_t reg[IR_MAX_COPIES + 1] = {0};
    bool made[IR_MAX_COPIES + 1] = {false};
    for (BufId b = 1; b < s->k->bufs.n; b++) {
        int copies = s->k->bufs.p[b].copies;
        if (s->turns[b].loop != loop || s->regions[b] < 0) {
            continue;
        }
        if (!made[copies]) {
            made[copies] = true;
            reg[copies] = s->nregs++;
            TRY(alu(s, SOP_REM, counter, copies, reg[copies]));
        }
        s->turns[b].reg = reg[copies];
    }
    return true;
}

/* Adds a term to an address that has as many registers as it may: the last one becomes
 * the sum of both. */
static bool
join_registers(Stream *s, TikOperand *out, TikNum num, int64_t coef)
{
    int last = out->nterms - 1;
    while (out->terms[last].num.kind != NUM_REG) {
        last--;
    }
    uint32_t x = stream_temp(s), y = stream_temp(s);
    TRY(alu(s, SOP_MUL, out->terms[last].num, out->terms[last].coef, x));
    TRY(alu(s, SOP_MUL, num, coef, y));
    tikblob_clear(&s->d, 0);
    s->d.kind = DESC_ALU;
    s->d.alu_op = SOP_ADD;
    s->d.dtype = DT_S64;
    s->d.reg = x;
    s->d.a = (TikNum){.kind = NUM_REG, .index = x};
    s->d.b = (TikNum){.kind = NUM_REG, .index = y};
    TRY(stream_emit(s));
    out->terms[last].num = s->d.a;
    out->terms[last].coef = 1;
    return true;
}

bool
stream_add_turn(Stream *s, BufId b, TikOperand *out)
{
    if (s->turns[b].loop == 0) {
        return true;
    }
    TikNum turn = {.kind = NUM_REG, .index = s->turns[b].reg};
    int64_t pitch = pitch_of(&s->k->bufs.p[b]);
    int regs = 0;
    for (int i = 0; i < out->nterms; i++) {
        regs += out->terms[i].num.kind == NUM_REG;
    }
    if (regs == TIKBLOB_MAX_REGS) {
        return join_registers(s, out, turn, pitch);
    }
    out->terms[out->nterms].num = turn;
    out->terms[out->nterms++].coef = pitch;
    return true;
}
