/* convert.c: the rules of conversions (vector chapter 3): which pairs of types the
 * processor has, with which rounding modes. It is a part of the checker, whose contract
 * is rules/internal.h. Strides, bounds and overlap are those of vector lanes.
 *
 * It owns round-mode, and dtype-unsupported of conversions. deq-sign-bit depends on a
 * value that may be known only while running, so both back ends check it
 * (check_pack_sign). */
#include "rules/internal.h"

#ifndef TIK_LEAN
#include <stdio.h>

/* Says to which types the processor converts src, or, if there are none, which types it
 * converts. */
static const char *
pairs_text(const CheckInstr *in, Dtype from, char *out, size_t size)
{
    char list[120] = "", sources[120] = "";
    uint32_t modes;
    for (int s = 1; s < DT_COUNT; s++) {
        bool any = false;
        for (int d = 1; d < DT_COUNT; d++) {
            bool has = op_has_pair(in->op, (Dtype)d, (Dtype)s, in->soc, &modes);
            any = any || has;
            if (has && s == (int)from) {
                check_list_add(list, sizeof list, dtype_name((Dtype)d));
            }
        }
        if (any) {
            check_list_add(sources, sizeof sources, dtype_name((Dtype)s));
        }
    }
    snprintf(out, size, "%s%s to %s", list[0] ? "" : "from ",
             list[0] ? dtype_name(from) : sources, list[0] ? list : "others");
    return out;
}

static const char *
modes_text(uint32_t modes, char *list, size_t size)
{
    for (int m = 0; m < ROUND_COUNT; m++) {
        if (modes >> m & 1) {
            check_list_add(list, size, round_mode_name((RoundMode)m));
        }
    }
    return list;
}
#endif

static bool
no_pair(const CheckInstr *in, int dst, int src, Fault *fault)
{
    Dtype from = in->args[src].t.dtype, to = in->args[dst].t.dtype;
    TEXT(char list[280];)
    FaultAt at = {RULE_DTYPE_UNSUPPORTED, dst, (int64_t)to, 0, 0};
    (void)from;
    return check_fail(fault, &at, "src is %s and dst is %s; %s on %s converts %s",
                      dtype_name(from), dtype_name(to), check_op_name(in), in->soc->name,
                      pairs_text(in, from, list, sizeof list));
}

static bool
no_mode(const CheckInstr *in, int slot, uint32_t modes, Fault *fault)
{
    int64_t mode = in->args[slot].v;
    int dst = op_first(in->op, ROLE_DST);
    TEXT(char list[120] = "";)
    FaultAt at = {RULE_ROUND_MODE, slot, mode, 0, 0};
    return check_fail(
        fault, &at, "round_mode is '%s'; %s on %s converts %s to %s with %s",
        round_mode_name((RoundMode)mode), check_op_name(in), in->soc->name,
        dtype_name(in->args[dst + 1].t.dtype), dtype_name(in->args[dst].t.dtype),
        modes_text(modes, list, sizeof list));
}

bool
check_conversion(const CheckInstr *in, Fault *fault)
{
    Form form = op_form(in->op);
    int dst = form_first(form, ROLE_DST), src = form_first(form, ROLE_SRC);
    int round = form_slot(form, ROLE_ATTR, NAMED(round_mode));
    uint32_t modes;
    if (!op_has_pair(in->op, in->args[dst].t.dtype, in->args[src].t.dtype, in->soc,
                     &modes)) {
        return no_pair(in, dst, src, fault);
    }
    return round < 0 || (modes >> in->args[round].v & 1) ||
           no_mode(in, round, modes, fault);
}

/* Elements of 4 bits are addressed by blocks only. */
static bool
convert_statics(const CheckInstr *in, Fault *fault)
{
    Form form = op_form(in->op);
    int unit = form_slot(form, ROLE_ATTR, NAMED(stride_unit));
    Dtype to = in->args[form_first(form, ROLE_DST)].t.dtype;
    if (unit >= 0 && in->args[unit].v >= 2 && dtype_is_half_byte(to)) {
        FaultAt at = {RULE_STRIDE_UNIT, unit, in->args[unit].v, 0, 1};
        return check_fail(fault, &at,
                          "stride_unit is %lld; dst is %s, whose strides are in blocks",
                          (long long)in->args[unit].v, dtype_name(to));
    }
    return check_conversion(in, fault);
}

/* The table of parameter words of a conversion. */
enum {
    PACKS_BYTES = 16 * 8
};

static bool
is_table(const CheckInstr *in, int param)
{
    return !op_is_vector(in->op, param);
}

static Footprint
convert_footprint(const CheckInstr *in, int param, bool *exact)
{
    if (is_table(in, param)) {
        *exact = true;
        return (Footprint){in->args[param].t.offset,
                           1,
                           0,
                           1,
                           0,
                           check_repeats(in) > 0 ? PACKS_BYTES : 0};
    }
    return lanes_footprint(in, param, exact);
}

/* The table is read before anything is written: it shares no byte with the results. */
static bool
table_overlap(const CheckInstr *in, int dst, int param, Fault *fault)
{
    const CheckTensor *d = &in->args[dst].t, *t = &in->args[param].t;
    FaultAt at = {RULE_OVERLAP_MULTI, param, t->offset, 0, 0};
    return d->buffer != t->buffer ||
           !bytes_overlap(d->offset, lanes_extent(in, dst), t->offset, PACKS_BYTES) ||
           check_fail(fault, &at,
                      "%s starts at byte %lld and %s at byte %lld of the same tensor "
                      "and they share bytes",
                      check_param_name(in, dst), (long long)d->offset,
                      check_param_name(in, param), (long long)t->offset);
}

static bool
convert_overlap(const CheckInstr *in, int param, Fault *fault)
{
    int dst = op_first(in->op, ROLE_DST);
    return is_table(in, param) ? table_overlap(in, dst, param, fault)
                               : lanes_overlap(in, dst, param, fault);
}

bool
check_pack_sign(uint64_t pack, Dtype dst, Fault *fault)
{
    bool sign = pack >> 46 & 1;
    FaultAt at = {RULE_DEQ_SIGN, -1, sign, 0, 0};
    return sign == (dst == DT_S8) ||
           check_fail(fault, &at,
                      "deqscale is 0x%llx, whose bit 46 is %d; for dst of %s it is %d",
                      (unsigned long long)pack, sign, dtype_name(dst), dst == DT_S8);
}

const FamilyRules rules_convert = {.statics = convert_statics,
                                   .footprint = convert_footprint,
                                   .overlap = convert_overlap,
                                   NOT_LEAN(.placeless = true)};
