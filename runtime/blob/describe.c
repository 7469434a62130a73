/* describe.c: names for the numbers in a blob, for programs that know only the installed
 * headers. */
#include "blob/blob.h"
#include "rules/flag.h"

static const BlobRuleInfo blob_rules[] = {
#define BLOB_RULE(id, number, name, rule) {number, name, rule},
#include "blob/blob_rule.def"
};

const BlobRuleInfo *
blob_rule_at(int index)
{
    size_t n = sizeof blob_rules / sizeof blob_rules[0];
    return (size_t)index < n ? &blob_rules[index] : NULL;
}

const char *
tikblob_rule_name(uint32_t rule)
{
    const BlobRuleInfo *r;
    for (int i = 0; (r = blob_rule_at(i)) != NULL; i++) {
        if (r->number == rule) {
            return r->name;
        }
    }
    bool known = rule > CHECK_RULES && rule < check_rule(RULE_COUNT);
    return known ? rule_table[rule - CHECK_RULES].name : "";
}

const Soc *
tikblob_soc(const char *name)
{
    return soc_find(name);
}

const char *
tikblob_soc_name(const Soc *soc)
{
    return soc->name;
}

const char *
tikblob_op_name(Op op)
{
    return op_table[op].name;
}

const char *
tikblob_scope_name(Scope s)
{
    return scope_name(s);
}

int
tikblob_params(Op op)
{
    int n;
    form_params(op_table[op].form, &n);
    return n;
}

void
tikblob_param(Op op, int index, TikBlobParam *out)
{
    int n;
    const ParamInfo *p = &form_params(op_table[op].form, &n)[index];
    *out = (TikBlobParam){p->name, p->role, p->item, p->items};
}

const char *
tikblob_queue(const TikBlob *b, const TikBlobKernel *k, const TikDesc *d)
{
    CheckInstr in;
    int n;
    const ParamInfo *p = form_params(op_table[d->op].form, &n);
    check_begin(&in, d->op, n);
    in.soc = b->soc;
    for (int i = 0; i < n; i++) {
        if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC) {
            TikBlobRegion r;
            tikblob_region(b, k, (int)d->args[i].t.region, &r);
            in.args[i].t.scope = r.scope;
        }
    }
    return pipe_name(flag_pipe(&in));
}
