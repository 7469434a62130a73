/* facts.c: writes what a host has to know of a kernel to launch it, as JSON, in the words
 * of the files that the original toolkit writes to kernel_meta/. See docs/language.md. */
#include "pipeline.h"

#include <math.h>

static const char *
kind_name(const Buffer *b)
{
    if (b->use != USE_TENSOR) {
        return bufuse_name(b->use);
    }
    return argrole_name(ir_arg_role(b));
}

static int32_t
block_dim(const Kernel *k)
{
    int32_t n = 1;
    for (uint32_t i = 1; i < k->stmts.n; i++) {
        const Stmt *s = &k->stmts.p[i];
        n = s->kind == ST_FOR ? MAX(n, s->loop.block_num) : n;
    }
    return n;
}

static const Buffer *
param(const Kernel *k, uint32_t i)
{
    return &k->bufs.p[k->params.p[i]];
}

static void
put_argument(const Kernel *k, const Buffer *b, Text *out)
{
    text_put(out, "{\"name\": ");
    diag_put_json(out, sym_text(&k->unit->names, b->name));
    text_printf(out, ", \"kind\": \"%s\", \"dtype\": \"%s\", \"shape\": [", kind_name(b),
                dtype_name(b->dtype));
    for (uint32_t i = 0; i < b->shape.n; i++) {
        text_printf(out, "%s%lld", i ? ", " : "", (long long)b->shape.p[i]);
    }
    text_printf(out, "], \"bytes\": %lld%s}",
                (long long)(b->elems * dtype_size(b->dtype)),
                b->dynamic ? ", \"dynamic\": true" : "");
}

static void
put_arguments(const Kernel *k, Text *out)
{
    text_put(out, "  \"arguments\": [");
    for (uint32_t i = 0; i < k->params.n; i++) {
        text_put(out, i ? ",\n    " : "\n    ");
        put_argument(k, param(k, i), out);
    }
    text_put(out, k->params.n ? "\n  ],\n" : "],\n");
}

/* Puts sizes and types, one entry per workspace; type 0 is global memory. */
static void
put_workspace(const Kernel *k, Text *out)
{
    Text sizes, types;
    int n = 0;
    text_init(&sizes, &k->unit->arena);
    text_init(&types, &k->unit->arena);
    text_put(&sizes, "");
    text_put(&types, "");
    for (uint32_t i = 0; i < k->params.n; i++) {
        if (param(k, i)->role == BUF_WORKSPACE) {
            text_printf(&sizes, "%s%lld", n ? ", " : "", (long long)param(k, i)->bytes);
            text_put(&types, n ? ", 0" : "0");
            n++;
        }
    }
    text_printf(out, "  \"workspace\": {\"num\": %d, \"size\": [%s], \"type\": [%s]}\n",
                n, sizes.p, types.p);
}

/* Puts a number of the dtype; what JSON has no number for is a text. */
static void
put_value(Dtype t, int64_t v, Text *out)
{
    double d = scalar_to_double(t, v);
    if (t == DT_U64) {
        text_printf(out, "%llu", (unsigned long long)v);
    } else if (!dtype_is_float(t)) {
        text_printf(out, "%lld", (long long)v);
    } else if (isnan(d) || isinf(d)) {
        text_put(out, isnan(d) ? "\"nan\"" : d > 0 ? "\"inf\"" : "\"-inf\"");
    } else {
        text_printf(out, "%.9g", d);
    }
}

/* Puts one entry per argument: null, or the value that the launcher presets. */
static void
put_presets(const Kernel *k, Text *out)
{
    text_put(out, "  \"parameters\": [");
    for (uint32_t i = 0; i < k->params.n; i++) {
        const Buffer *b = param(k, i);
        text_put(out, i ? ", " : "");
        if (b->preset) {
            text_printf(out,
                        "{\"dtype\": \"%s\", \"init_value\": ", dtype_name(b->dtype));
            put_value(b->dtype, b->preset_value, out);
            text_putc(out, '}');
        } else {
            text_put(out, "null");
        }
    }
    text_put(out, "],\n");
}

/* The keys are in alphabetical order. */
void
tikc_facts(const Kernel *k, const char *stem, const char *suffix, Text *out)
{
    const Unit *u = k->unit;
    text_put(out, "{\n");
    put_arguments(k, out);
    text_put(out, "  \"binFileName\": ");
    diag_put_json(out, stem);
    text_put(out, ",\n  \"binFileSuffix\": ");
    diag_put_json(out, suffix);
    text_printf(out, ",\n  \"blockDim\": %d,\n", block_dim(k));
    text_printf(out, "  \"buildResults\": %s,\n",
                u->build_results ? u->build_results : "{}");
    text_printf(out, "  \"compileInfo\": %s,\n",
                u->compile_info ? u->compile_info : "{}");
    text_put(out, "  \"kernelName\": ");
    diag_put_json(out, sym_text(&u->names, k->name));
    text_put(out, ",\n");
    put_presets(k, out);
    text_put(out, "  \"soc\": ");
    diag_put_json(out, k->soc->name);
    text_put(out, ",\n");
    put_workspace(k, out);
    text_put(out, "}\n");
}
