/* signature.c: the prototypes of the call that is being typed, and which argument is at
 * the cursor. */
#include "lsp/callee.h"

/* Returns an argument; its label is where the prototype has it. */
static json_t *
parameter(Server *s, const CallText *call, const CallArg *arg)
{
    Text t;
    text_init(&t, &s->scratch);
    call_argument_text(call, arg, &t);
    return json_pack("{s:s, s:o}", "label", arg->name, "documentation", rpc_text(t.p));
}

static json_t *
information(Server *s, const CallText *call, int active)
{
    Text t;
    text_init(&t, &s->scratch);
    call_prototype(&call->signature, &t);
    json_t *parameters = json_array();
    for (int i = 0; i < call->signature.n; i++) {
        json_array_append_new(parameters, parameter(s, call, &call->signature.args[i]));
    }
    int past = call->signature.n; /* none is marked then */
    return json_pack("{s:o, s:o, s:o, s:i}", "label", rpc_text(t.p), "documentation",
                     rpc_text(call->meaning), "parameters", parameters, "activeParameter",
                     active >= 0 ? active : past);
}

json_t *
signature_answer(Server *s, const json_t *params, LspError *err)
{
    At at;
    LspCursor c;
    CallTexts calls = {0};
    if (!document_at(s, params, &at, err)) {
        return NULL;
    }
    cursor_find(at.doc->text, at.doc->size, at.offset, &c);
    callee_find(s, at.doc, &c, &calls);
    if (c.in == IN_COMMENT || calls.n == 0) {
        return json_null();
    }
    json_t *list = json_array();
    int fits = -1, active = 0;
    for (uint32_t i = 0; i < calls.n; i++) {
        int arg = callee_argument(at.doc, &c, &calls.p[i].signature);
        json_array_append_new(list, information(s, &calls.p[i], arg));
        if (fits < 0 && arg >= 0) {
            fits = (int)i;
            active = arg;
        }
    }
    return json_pack("{s:o, s:i, s:i}", "signatures", list, "activeSignature",
                     MAX(fits, 0), "activeParameter",
                     fits < 0 ? calls.p[0].signature.n : active);
}
