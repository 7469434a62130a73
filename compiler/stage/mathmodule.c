/* mathmodule.c: the module math. Only functions whose results are the same on every machine: exact ones
 * and those of the C library that are needed (sqrt is exact; log, exp and the like are for host-side
 * numbers only). */
#include "stage/core.h"

#include <math.h>

static bool
need_double(Interp *in, const CallArgs *args, int i, double *out)
{
    Value v = args->pos[i];
    if (!val_is_number(v)) {
        ExcInfo *x = error_raise(in, "TypeError", args->span,
                                 "a number is needed, not '%s'", val_type_name(v));
        x->help = v.kind == VAL_OBJECT
                      ? "a value known only at run time cannot be used here"
                      : NULL;
        return false;
    }
    return number_double(in, v, args->span, out);
}

static Value
rounded(Interp *in, const CallArgs *args, double (*how)(double))
{
    double f = 0;
    if (args->pos[0].kind == VAL_BOOL) {
        return val_int(args->pos[0].b);
    }
    if (val_is_int(args->pos[0])) {
        return args->pos[0];
    }
    return need_double(in, args, 0, &f) ? val_double_int(in, how(f), args->span)
                                        : val_fail();
}

static Value
fn_ceil(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return rounded(in, args, ceil);
}

static Value
fn_floor(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return rounded(in, args, floor);
}

static Value
fn_trunc(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return rounded(in, args, trunc);
}

/* f(x) for x in the domain, which keeps finite arguments finite. */
static Value
real(Interp *in, const CallArgs *args, double (*f)(double))
{
    double x = 0;
    if (!need_double(in, args, 0, &x)) {
        return val_fail();
    }
    double r = f(x);
    if (isnan(r) && !isnan(x)) {
        return stage_raise(in, "ValueError", args->span,
                           "%s is outside the domain of the function",
                           val_repr(in, args->pos[0]));
    }
    if (isinf(r) && isfinite(x)) {
        return x == 0 || f == log
                   ? stage_raise(in, "ValueError", args->span,
                                 "%s is outside the domain of the function",
                                 val_repr(in, args->pos[0]))
                   : stage_raise(in, "OverflowError", args->span,
                                 "the result is too large for a float");
    }
    return val_float(r);
}

#define REAL(name, f)                                                                    \
    static Value name(Interp *in, Value self, const CallArgs *args)                      \
    {                                                                                    \
        (void)self;                                                                      \
        return real(in, args, f);                                                        \
    }
REAL(fn_sqrt, sqrt)
REAL(fn_exp, exp)
REAL(fn_log2, log2)
REAL(fn_log10, log10)
REAL(fn_fabs, fabs)
REAL(fn_sin, sin)
REAL(fn_cos, cos)
REAL(fn_tan, tan)
REAL(fn_tanh, tanh)
REAL(fn_atan, atan)
REAL(fn_erf, erf)

static Value
fn_log(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value a = real(in, args, log);
    double b = 0;
    if (val_failed(a) || args->npos == 1) {
        return a;
    }
    if (!need_double(in, args, 1, &b)) {
        return val_fail();
    }
    if (b <= 0 || b == 1) {
        return stage_raise(in, "ValueError", args->span,
                           "%s is not a base of a logarithm", val_repr(in, args->pos[1]));
    }
    return val_float(a.f / log(b));
}

static Value
fn_pow(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    double x = 0;
    double y = 0;
    if (!need_double(in, args, 0, &x) || !need_double(in, args, 1, &y)) {
        return val_fail();
    }
    double r = pow(x, y);
    if (isnan(r) && !isnan(x) && !isnan(y)) {
        return stage_raise(in, "ValueError", args->span,
                           "the power is not a real number");
    }
    if (isinf(r) && isfinite(x) && isfinite(y)) {
        return x == 0
                   ? stage_raise(in, "ValueError", args->span, "zero to a negative power")
                   : stage_raise(in, "OverflowError", args->span,
                                 "the power is too large for a float");
    }
    return val_float(r);
}

static Value
fn_fmod(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    double x = 0;
    double y = 0;
    if (!need_double(in, args, 0, &x) || !need_double(in, args, 1, &y)) {
        return val_fail();
    }
    if (y == 0 || isinf(x)) {
        return stage_raise(in, "ValueError", args->span, "the remainder is not defined");
    }
    return val_float(fmod(x, y));
}

static Value
fn_isclose(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const CoreSyms *sym = &in->core->sym;
    double a = 0;
    double b = 0;
    double rel = 1e-9;
    double abs_tol = 0;
    Value r = builtin_keyword(args, sym->rel_tol);
    Value t = builtin_keyword(args, sym->abs_tol);
    if (!need_double(in, args, 0, &a) || !need_double(in, args, 1, &b) ||
        (!val_failed(r) && !number_double(in, r, args->span, &rel)) ||
        (!val_failed(t) && !number_double(in, t, args->span, &abs_tol))) {
        return val_fail();
    }
    if (a == b) {
        return val_bool(true);
    }
    if (isinf(a) || isinf(b)) {
        return val_bool(false);
    }
    double diff = fabs(a - b);
    return val_bool(diff <= fabs(rel * a) || diff <= fabs(rel * b) || diff <= abs_tol);
}

static Value
fn_isnan(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    double x = 0;
    return need_double(in, args, 0, &x) ? val_bool(isnan(x)) : val_fail();
}

static Value
fn_isinf(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    double x = 0;
    return need_double(in, args, 0, &x) ? val_bool(isinf(x)) : val_fail();
}

static Value
fn_isfinite(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    double x = 0;
    return need_double(in, args, 0, &x) ? val_bool(isfinite(x)) : val_fail();
}

static bool
need_ints(Interp *in, const CallArgs *args)
{
    for (int i = 0; i < args->npos; i++) {
        if (!val_is_int(args->pos[i])) {
            stage_raise(in, "TypeError", args->span, "an integer is needed, not '%s'",
                        val_type_name(args->pos[i]));
            return false;
        }
    }
    return true;
}

/* gcd or lcm of any number of integers. */
static Value
fold_ints(Interp *in, const CallArgs *args, unsigned long start,
          void (*f)(mpz_ptr, mpz_srcptr, mpz_srcptr))
{
    if (!need_ints(in, args)) {
        return val_fail();
    }
    mpz_t total, x;
    mpz_inits(total, x, NULL);
    mpz_set_ui(total, start);
    Value v = val_none();
    for (int i = 0; i < args->npos && !val_failed(v); i++) {
        big_load(x, args->pos[i]);
        f(total, total, x);
        v = big_from_mpz(in, total, args->span);
    }
    v = val_failed(v) ? v : big_from_mpz(in, total, args->span);
    mpz_clears(total, x, NULL);
    return v;
}

static Value
fn_gcd(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return fold_ints(in, args, 0, mpz_gcd);
}

static Value
fn_lcm(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return fold_ints(in, args, 1, mpz_lcm);
}

static Value
fn_prod(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value start = builtin_keyword(args, in->core->sym.start);
    return builtin_fold(in, args, val_failed(start) ? val_int(1) : start, AOP_MUL);
}

static Value
fn_factorial(Interp *in, Value self, const CallArgs *args)
{
    enum {
        MAX_ARGUMENT = 7000
    }; /* the result fits 65536 bits up to about 5900 */
    (void)self;
    int64_t n = 0;
    if (!need_ints(in, args)) {
        return val_fail();
    }
    if (!val_as_int64(args->pos[0], &n) || n < 0 || n > MAX_ARGUMENT) {
        return stage_raise(in, "ValueError", args->span,
                           "the factorial of %s cannot be made",
                           val_repr(in, args->pos[0]));
    }
    mpz_t z;
    mpz_init(z);
    mpz_fac_ui(z, (unsigned long)n);
    Value v = big_from_mpz(in, z, args->span);
    mpz_clear(z);
    return v;
}

static Value
fn_isqrt(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    if (!need_ints(in, args)) {
        return val_fail();
    }
    if (number_compare(args->pos[0], val_int(0)) < 0) {
        return stage_raise(in, "ValueError", args->span,
                           "a negative number has no square root");
    }
    mpz_t z;
    mpz_init(z);
    big_load(z, args->pos[0]);
    mpz_sqrt(z, z);
    Value v = big_from_mpz(in, z, args->span);
    mpz_clear(z);
    return v;
}

static const BuiltinRow rows[] = {
    {"ceil", fn_ceil, 1, 1, NULL},
    {"floor", fn_floor, 1, 1, NULL},
    {"trunc", fn_trunc, 1, 1, NULL},
    {"sqrt", fn_sqrt, 1, 1, NULL},
    {"exp", fn_exp, 1, 1, NULL},
    {"log", fn_log, 1, 2, NULL},
    {"log2", fn_log2, 1, 1, NULL},
    {"log10", fn_log10, 1, 1, NULL},
    {"fabs", fn_fabs, 1, 1, NULL},
    {"sin", fn_sin, 1, 1, NULL},
    {"cos", fn_cos, 1, 1, NULL},
    {"tan", fn_tan, 1, 1, NULL},
    {"tanh", fn_tanh, 1, 1, NULL},
    {"atan", fn_atan, 1, 1, NULL},
    {"erf", fn_erf, 1, 1, NULL},
    {"pow", fn_pow, 2, 2, NULL},
    {"fmod", fn_fmod, 2, 2, NULL},
    {"isclose", fn_isclose, 2, 2, "rel_tol abs_tol"},
    {"isnan", fn_isnan, 1, 1, NULL},
    {"isinf", fn_isinf, 1, 1, NULL},
    {"isfinite", fn_isfinite, 1, 1, NULL},
    {"gcd", fn_gcd, 0, 255, NULL},
    {"lcm", fn_lcm, 0, 255, NULL},
    {"prod", fn_prod, 1, 1, "start"},
    {"factorial", fn_factorial, 1, 1, NULL},
    {"isqrt", fn_isqrt, 1, 1, NULL},
};

void
mathmodule_install(Interp *in)
{
    Value m = stage_module(in, "math");
    builtin_add_rows(in, &m.module->attrs, rows, ARRAY_LEN(rows), NULL);
    stage_module_set(in, m, "pi", val_float(3.14159265358979323846));
    stage_module_set(in, m, "e", val_float(2.7182818284590452354));
    stage_module_set(in, m, "tau", val_float(6.28318530717958647692));
    stage_module_set(in, m, "inf", val_float(INFINITY));
    stage_module_set(in, m, "nan", val_float(NAN));
}
