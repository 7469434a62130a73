/* tik_accrecord.c: moves out of and into the accumulator as instructions. All are recorded as the forms of tensor_mov,
 * whichever spelling they came in.
 *
 * Owns: deq-sign-bit, deq8-relu-offset, sid2-odd of literals; relu-mismatch of data_copy. */
#include "ir/wording.h"
#include "stage/tik_accmove.h"

View *
tik_acc_tensor(const AccCall *x, int slot)
{
    return tik_is(x->got[slot], &tik_tensor_class) ? (View *)x->got[slot].obj : NULL;
}

bool
tik_acc_broken(const AccCall *x, int slot, DiagId id, const char *text)
{
    bool vector = acc_scale_is_vector((AccScale)tik_acc_number(x, ACC_MODE));
    stage_diag(x->in, id, x->span[slot], "%s",
               x->enhanced ? wording_of_copy(&x->in->u->arena, text, vector) : text);
    return false;
}

int64_t
tik_acc_number(const AccCall *x, int slot)
{
    int64_t v = 0;
    return val_as_int64(x->got[slot], &v) ? v : 0;
}

/* A word that is known now. Its warnings are told by the rules of the instruction (accmove.c), but one: that
 * relu is not or-ed into the word says the structure of data_copy. */
static bool
literal_word(const AccCall *x, Dtype dst)
{
    AccScale scale = (AccScale)tik_acc_number(x, ACC_MODE);
    AccUse use = {scale, dst, tik_acc_number(x, ACC_RELU) != 0};
    uint64_t word;
    Fault f;
    if ((scale != SCALE_DEQ8 && scale != SCALE_DEQ16) ||
        tik_is_runtime(x->got[ACC_SCALE]) || !val_as_uint64(x->got[ACC_SCALE], &word)) {
        return true;
    }
    if (!check_acc_words(&use, &word, 1, 0, &f)) {
        return tik_acc_broken(x, ACC_SCALE, tik_diag_of_rule(f.rule), f.text);
    }
    if (x->enhanced && use.relu && !(word >> 47 & 1)) {
        stage_diag(x->in, D_RELU_MISMATCH, x->span[ACC_SCALE],
                   "is_relu is True and bit 47 of deq_value is 0; relu is applied");
    }
    return true;
}

static bool
literal_lengths(const AccCall *x, Dtype dst)
{
    int64_t n, len;
    Fault f;
    if (tik_is_runtime(x->got[ACC_NBURST]) || tik_is_runtime(x->got[ACC_BURST]) ||
        !val_as_int64(x->got[ACC_NBURST], &n) || !val_as_int64(x->got[ACC_BURST], &len)) {
        return true;
    }
    return check_acc_lengths((BlockMode)tik_acc_number(x, ACC_BLOCK), dst,
                             tik_acc_number(x, ACC_SID), n, len, &f) ||
           tik_acc_broken(x, ACC_BURST, tik_diag_of_rule(f.rule), f.text);
}

const AccPair *
tik_acc_pair(const AccCall *x)
{
    const View *dst = tik_acc_tensor(x, ACC_DST), *src = tik_acc_tensor(x, ACC_SRC);
    return acc_pair(src->root->mem, dst->root->mem,
                    (BlockMode)tik_acc_number(x, ACC_BLOCK), src->dtype, dst->dtype,
                    (AccScale)tik_acc_number(x, ACC_MODE));
}

static Op
op_of(const AccCall *x)
{
    bool vector = acc_scale_is_vector((AccScale)tik_acc_number(x, ACC_MODE));
    bool fly = tik_acc_number(x, ACC_FLY) != 0;
    if (tik_acc_tensor(x, ACC_DST)->root->mem == SC_GM) {
        return OP_TENSOR_MOV_OUT;
    }
    return vector ? (fly ? OP_TENSOR_MOV_VECTOR_ONTHEFLY : OP_TENSOR_MOV_VECTOR)
           : fly  ? OP_TENSOR_MOV_ONTHEFLY
                  : OP_TENSOR_MOV;
}

bool
tik_acc_record(AccCall *x)
{
    const View *dst = tik_acc_tensor(x, ACC_DST), *src = tik_acc_tensor(x, ACC_SRC);
    if (dst->poisoned || src->poisoned) {
        return true;
    }
    const AccPair *pair = tik_acc_pair(x);
    if (pair == NULL || (literal_word(x, dst->dtype) && literal_lengths(x, dst->dtype))) {
        x->got[ACC_RELU] = val_bool(tik_acc_number(x, ACC_RELU) != 0);
        (void)tik_record(x->in, x->c, op_of(x), x->args, x->got, x->span);
    }
    return !x->in->fatal;
}
