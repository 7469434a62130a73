/* l0c_record.c: recording of moves out of and into L0C. All have the forms of tensor_mov,
 * in whichever spelling they were called.
 *
 * Owns: deq-sign-bit, deq8-relu-offset, sid2-odd of literals; relu-mismatch of
 * data_copy. */
#include "ir/wording.h"
#include "tik/calls/l0c_move.h"
#include "tik/calls/instruction.h"

View *
tik_acc_tensor(const AccCall *x, int slot)
{
    return tik_is(x->got[slot], &tik_tensor_class) ? (View *)x->got[slot].obj : NULL;
}

bool
tik_acc_broken(const AccCall *x, int slot, DiagId id, const char *text)
{
    bool vector = acc_scale_is_vector((AccScale)tik_acc_number(x, ACCFLY_deq_mode));
    py_diag(x->in, id, x->span[slot], "%s",
            x->enhanced ? wording_of_copy(&x->in->u->arena, text, vector) : text);
    return false;
}

int64_t
tik_acc_number(const AccCall *x, int slot)
{
    int64_t v = 0;
    return val_as_int64(x->got[slot], &v) ? v : 0;
}

/* Checks a constant word of scale. The rules of the instruction (rules/l0c_move.c) give
 * its warnings, except one: only here it is known that the structure of data_copy has a
 * relu that is missing in the word. */
static bool
literal_word(const AccCall *x, Dtype dst)
{
    AccScale scale = (AccScale)tik_acc_number(x, ACCFLY_deq_mode);
    AccUse use = {scale, dst, tik_acc_number(x, ACCFLY_relu) != 0};
    uint64_t word;
    Fault f;
    if ((scale != SCALE_DEQ8 && scale != SCALE_DEQ16) ||
        tik_is_runtime(x->got[ACCFLY_deqscale]) ||
        !val_as_uint64(x->got[ACCFLY_deqscale], &word)) {
        return true;
    }
    if (!check_acc_words(&use, &word, 1, 0, &f)) {
        return tik_acc_broken(x, ACCFLY_deqscale, diag_of_rule(f.rule), f.text);
    }
    if (x->enhanced && use.relu && !(word >> 47 & 1)) {
        py_diag(x->in, D_RELU_MISMATCH, x->span[ACCFLY_deqscale],
                "is_relu is True and bit 47 of deq_value is 0; relu is applied");
    }
    return true;
}

static bool
literal_lengths(const AccCall *x, Dtype dst)
{
    int64_t n, len;
    Fault f;
    if (tik_is_runtime(x->got[ACCFLY_nburst]) ||
        tik_is_runtime(x->got[ACCFLY_burst_len]) ||
        !val_as_int64(x->got[ACCFLY_nburst], &n) ||
        !val_as_int64(x->got[ACCFLY_burst_len], &len)) {
        return true;
    }
    return check_acc_lengths((BlockMode)tik_acc_number(x, ACCFLY_block_mode), dst,
                             tik_acc_number(x, ACCFLY_sid_store_mode), n, len, &f) ||
           tik_acc_broken(x, ACCFLY_burst_len, diag_of_rule(f.rule), f.text);
}

const AccPair *
tik_acc_pair(const AccCall *x)
{
    const View *dst = tik_acc_tensor(x, ACCFLY_dst), *src = tik_acc_tensor(x, ACCFLY_src);
    return acc_pair(src->root->mem, dst->root->mem,
                    (BlockMode)tik_acc_number(x, ACCFLY_block_mode), src->dtype,
                    dst->dtype, (AccScale)tik_acc_number(x, ACCFLY_deq_mode));
}

static Op
op_of(const AccCall *x)
{
    bool vector = acc_scale_is_vector((AccScale)tik_acc_number(x, ACCFLY_deq_mode));
    bool fly = tik_acc_number(x, ACCFLY_onthefly_mode) != 0;
    if (tik_acc_tensor(x, ACCFLY_dst)->root->mem == SC_GM) {
        return OP_TENSOR_MOV_OUT;
    }
    return vector ? (fly ? OP_TENSOR_MOV_VECTOR_ONTHEFLY : OP_TENSOR_MOV_VECTOR)
           : fly  ? OP_TENSOR_MOV_ONTHEFLY
                  : OP_TENSOR_MOV;
}

bool
tik_acc_record(AccCall *x)
{
    const View *dst = tik_acc_tensor(x, ACCFLY_dst), *src = tik_acc_tensor(x, ACCFLY_src);
    if (dst->poisoned || src->poisoned) {
        return true;
    }
    const AccPair *pair = tik_acc_pair(x);
    if (pair == NULL || (literal_word(x, dst->dtype) && literal_lengths(x, dst->dtype))) {
        x->got[ACCFLY_relu] = val_bool(tik_acc_number(x, ACCFLY_relu) != 0);
        (void)tik_record(x->in, x->c, op_of(x), x->args, x->got, x->span);
    }
    return !x->in->fatal;
}
