/* cmd_targets.c: implements tikc targets: lists the processors, and which instructions
 * they have. */
#include "driver/driver.h"

/* Returns a processor of each kind of core, or null if no platform is of that kind. */
static const Soc *
soc_of_core(CoreKind core)
{
    for (int i = 0; i < soc_count(); i++) {
        if (soc_at(i)->core == core) {
            return soc_at(i);
        }
    }
    return NULL;
}

static void
matrix_row(Text *out, Op op, const char *types, Dtype dst, Dtype src)
{
    text_printf(out, "%-24s %-22s", op_table[op].name, types);
    for (int k = 0; k < CORE_COUNT; k++) {
        Soc soc = {.core = (CoreKind)k};
        uint32_t info;
        bool has = src == DT_NONE ? op_has_dtype(op, dst, &soc)
                                  : op_has_pair(op, dst, src, &soc, &info);
        text_put(out, has ? "  x" : "  .");
    }
    text_putc(out, '\n');
}

static bool
on_some_core(Op op, Dtype dst, Dtype src)
{
    for (int k = 0; k < CORE_COUNT; k++) {
        Soc soc = {.core = (CoreKind)k};
        uint32_t info;
        if (src == DT_NONE ? op_has_dtype(op, dst, &soc)
                           : op_has_pair(op, dst, src, &soc, &info)) {
            return true;
        }
    }
    return false;
}

static void
matrix_rows(Text *out, Arena *a, Op op)
{
    for (int d = 1; d < DT_COUNT; d++) {
        if (on_some_core(op, (Dtype)d, DT_NONE)) {
            matrix_row(out, op, dtype_name((Dtype)d), (Dtype)d, DT_NONE);
        }
    }
    for (int s = 1; s < DT_COUNT; s++) {
        for (int d = 1; d < DT_COUNT; d++) {
            if (on_some_core(op, (Dtype)d, (Dtype)s)) {
                const char *pair = arena_printf(a, "%s to %s", dtype_name((Dtype)s),
                                                dtype_name((Dtype)d));
                matrix_row(out, op, pair, (Dtype)d, (Dtype)s);
            }
        }
    }
}

static void
print_matrix(Text *out, Arena *a)
{
    static const char *const families[CORE_COUNT] = {
#define CORE(id, family, core, profile, like) [CORE_##id] = family,
#include "isa/core.def"
    };
    for (int k = 0; k < CORE_COUNT; k++) {
        const Soc *s = soc_of_core((CoreKind)k);
        text_printf(out, "%3d  %s %s%s%s\n", k + 1, families[k],
                    core_kind_name((CoreKind)k), s ? ", such as " : "", s ? s->name : "");
    }
    text_printf(out, "\n%-24s %-22s", "instruction", "element types");
    for (int k = 0; k < CORE_COUNT; k++) {
        text_printf(out, "%3d", k + 1);
    }
    text_putc(out, '\n');
    for (int op = 0; op < OP_COUNT; op++) {
        matrix_rows(out, a, (Op)op);
    }
}

static void
print_cores(Text *t)
{
    text_printf(t, "%-18s %-14s %6s %10s %10s %8s %8s %8s\n", "name", "family", "cores",
                "UB", "L1", "L0A", "L0B", "L0C");
    for (int i = 0; i < soc_count(); i++) {
        const Soc *s = soc_at(i);
        if (s->lmem) {
            continue;
        }
        text_printf(t, "%-18s %-14s %6d %10lld %10lld %8lld %8lld %8lld%s\n", s->name,
                    s->family, s->cores, (long long)s->bytes[SC_UB],
                    (long long)s->bytes[SC_L1], (long long)s->bytes[SC_L0A],
                    (long long)s->bytes[SC_L0B], (long long)s->bytes[SC_L0C],
                    s == soc_default() ? "  (default)" : "");
    }
}

/* Prints the processors whose local memory is split into lanes. */
static void
print_lanes(Text *t)
{
    text_printf(t, "\n%-18s %6s %6s %10s %6s %8s %10s %10s\n", "name", "cores", "lanes",
                "LMEM/lane", "banks", "EU bytes", "LMEM", "SMEM");
    for (int i = 0; i < soc_count(); i++) {
        const Soc *s = soc_at(i);
        if (s->lmem) {
            text_printf(t, "%-18s %6d %6d %10lld %6d %8d %10lld %10lld\n", s->name,
                        s->cores, s->lmem->npu, (long long)s->lmem->lane_bytes,
                        s->lmem->banks, s->lmem->eu_bytes,
                        (long long)(s->lmem->npu * s->lmem->lane_bytes),
                        (long long)s->lmem->smem_bytes);
        }
    }
}

int
cmd_targets(Cmd *c)
{
    Text t;
    text_init(&t, &c->unit.arena);
    if (c->matrix) {
        print_matrix(&t, &c->unit.arena);
        bool printed = io_print(&c->unit, t.p, t.n);
        report_unit(c);
        return printed ? EXIT_CLEAN : EXIT_IO;
    }
    print_cores(&t);
    print_lanes(&t);
    text_put(&t, "\nA family name selects one platform:\n");
#define SOCFAMILY(name, platform) text_printf(&t, "  %-14s %s\n", name, platform);
#include "isa/socfamily.def"
    text_put(&t, "\nNames of products, in quotes:\n");
#define PRODUCT(name, platform) text_printf(&t, "  %-38s %s\n", name, platform);
#include "base/product.def"
    text_put(
        &t,
        "\nSizes are bytes. A family with one platform of the same name needs no row.\n");
    bool ok = io_print(&c->unit, t.p, t.n);
    report_unit(c);
    return ok ? EXIT_CLEAN : EXIT_IO;
}
