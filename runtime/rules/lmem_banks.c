/* lmem_banks.c: conflicts of the banks of LMEM; see lmem_banks.h. It owns
 * bank-conflict. */
#include "rules/lmem_banks.h"

#include <stdio.h>

#include "layout/lmem.h"

BankUser
bank_user(const CheckInstr *in, BankFind *find, void *ctx)
{
    int n;
    Form form = op_form(in->op);
    const ParamInfo *params = form_params(form, &n);
    BankUser u = {.op = in->op, .computes = form != FORM_LMOVE};
    for (int i = 0; i < n && u.n < BANK_OPERANDS; i++) {
        bool tensor = params[i].role == ROLE_DST || params[i].role == ROLE_SRC;
        const CheckTensor *t = &in->args[i].t;
        if (!tensor || t->scope != SC_LMEM) {
            continue;
        }
        bool exact;
        BankBuffer b = find(ctx, t->buffer);
        Footprint f = check_footprint(in, i, &exact);
        u.o[u.n++] = (BankOperand){t->buffer, b.name, b.address + f.offset, f.len};
    }
    return u;
}

bool
bank_at_once(const BankUser *a, const BankUser *b)
{
    bool shared = false;
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n; j++) {
            shared = shared || a->o[i].buffer == b->o[j].buffer;
        }
    }
    return a->n > 0 && b->n > 0 && a->computes != b->computes && !shared;
}

static uint32_t
banks_of(const LmemTarget *t, const BankOperand *o)
{
    bool inside = o->from >= 0 && o->bytes > 0 && o->bytes <= t->lane_bytes - o->from;
    return inside ? lmem_banks(t, o->from, o->bytes) : 0;
}

/* Returns the banks that two operands share. A tensor has no conflict with itself,
 * because no allocation could separate its banks. */
static uint32_t
common_banks(const LmemTarget *t, const BankOperand *a, const BankOperand *b)
{
    return a->buffer == b->buffer ? 0 : banks_of(t, a) & banks_of(t, b);
}

/* Finds the first operand of a that shares a bank with an operand of b. */
static uint32_t
clash(const LmemTarget *t, const BankOperand *a, const BankOperand *b, int n,
      BankClash *out)
{
    uint32_t banks = 0;
    for (int i = 0; i < n && banks == 0; i++) {
        *out = (BankClash){a, &b[i], ""};
        banks = common_banks(t, a, &b[i]);
    }
    return banks;
}

bool
bank_clash(const LmemTarget *t, const BankUser *u, BankClash *out)
{
    uint32_t banks = 0;
    for (int i = 0; i < u->n && u->computes && banks == 0; i++) {
        banks = clash(t, &u->o[i], &u->o[i + 1], u->n - i - 1, out);
    }
    if (banks != 0) {
        snprintf(out->text, sizeof out->text, "%s has '%s' and '%s' in bank %d of LMEM",
                 op_table[u->op].name, out->a->name, out->b->name, __builtin_ctz(banks));
    }
    return banks != 0;
}

bool
bank_clash_after(const LmemTarget *t, const BankUser *before, const BankUser *u,
                 BankClash *out)
{
    uint32_t banks = 0;
    for (int i = 0; i < before->n && bank_at_once(before, u) && banks == 0; i++) {
        banks = clash(t, &before->o[i], u->o, u->n, out);
    }
    if (banks != 0) {
        snprintf(out->text, sizeof out->text,
                 "%s runs at the same time as the %s before it, with '%s' and '%s' in "
                 "bank %d of LMEM",
                 op_table[u->op].name, op_table[before->op].name, out->a->name,
                 out->b->name, __builtin_ctz(banks));
    }
    return banks != 0;
}
