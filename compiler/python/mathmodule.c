/* mathmodule.c: the module math. It has only functions whose results are the same on
 * every machine: exact ones and those of the C library that are needed (sqrt is exact;
 * log, exp and the like are for host-side numbers only). */
#include "python/core.h"

#include <math.h>

static bool
need_double(Interp *in, const CallArgs *args, int i, double *out)
{
    Value v = args->pos[i];
    if (hidden_used(in, v, "is an argument of a function of numbers", args->span)) {
        return false;
    }
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

enum {
    REAL_STEPS = 24 /* cost of a function of the C library */
};

/* Computes f(x) for x in the domain, where f keeps finite arguments finite. */
static Value
real(Interp *in, const CallArgs *args, double (*f)(double))
{
    double x = 0;
    if (!need_double(in, args, 0, &x)) {
        return val_fail();
    }
    core_owe(in, REAL_STEPS);
    double r = f(x);
    if (isnan(r) && !isnan(x)) {
        return py_raise(in, "ValueError", args->span,
                        "%s is outside the domain of the function",
                        val_repr(in, args->pos[0]));
    }
    if (isinf(r) && isfinite(x)) {
        return x == 0 || f == log ? py_raise(in, "ValueError", args->span,
                                             "%s is outside the domain of the function",
                                             val_repr(in, args->pos[0]))
                                  : py_raise(in, "OverflowError", args->span,
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
REAL(fn_erfc, erfc)
REAL(fn_exp2, exp2)
REAL(fn_expm1, expm1)
REAL(fn_log1p, log1p)
REAL(fn_asin, asin)
REAL(fn_acos, acos)
REAL(fn_sinh, sinh)
REAL(fn_cosh, cosh)
REAL(fn_asinh, asinh)
REAL(fn_acosh, acosh)
REAL(fn_atanh, atanh)
REAL(fn_cbrt, cbrt)

static double
degrees(double x)
{
    return x * (180.0 / 3.14159265358979323846);
}

static double
radians(double x)
{
    return x * (3.14159265358979323846 / 180.0);
}

static double
ulp(double x)
{
    double up = nextafter(fabs(x), INFINITY);
    return isnan(x)    ? x
           : isinf(x)  ? fabs(x)
           : isinf(up) ? fabs(x) - nextafter(fabs(x), 0)
                       : up - fabs(x);
}
REAL(fn_degrees, degrees)
REAL(fn_radians, radians)
REAL(fn_ulp, ulp)

/* Computes f(x, y), which is defined everywhere. */
static Value
real2(Interp *in, const CallArgs *args, double (*f)(double, double))
{
    double x = 0;
    double y = 0;
    bool ok = need_double(in, args, 0, &x) && need_double(in, args, 1, &y);
    return ok ? val_float(f(x, y)) : val_fail();
}

#define REAL2(name, f)                                                                   \
    static Value name(Interp *in, Value self, const CallArgs *args)                      \
    {                                                                                    \
        (void)self;                                                                      \
        return real2(in, args, f);                                                       \
    }
REAL2(fn_copysign, copysign)
REAL2(fn_atan2, atan2)
REAL2(fn_hypot, hypot)
REAL2(fn_nextafter, nextafter)

static Value
fn_remainder(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value r = real2(in, args, remainder);
    double x = 0;
    bool known = !val_failed(r) && need_double(in, args, 0, &x);
    return known && isnan(r.f) && isfinite(x)
               ? py_raise(in, "ValueError", args->span, "the remainder is not defined")
               : r;
}

static Value
fn_frexp(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    double x = 0;
    int e = 0;
    if (!need_double(in, args, 0, &x)) {
        return val_fail();
    }
    Value two[2] = {val_float(frexp(x, &e)), val_none()};
    two[1] = val_int(isfinite(x) ? e : 0);
    return val_tuple(in, two, 2);
}

static Value
fn_ldexp(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    double x = 0;
    int64_t e = 0;
    if (!need_double(in, args, 0, &x)) {
        return val_fail();
    }
    if (!val_is_int(args->pos[1]) || !val_as_int64(args->pos[1], &e)) {
        return py_raise(in, "TypeError", args->span,
                        "Expected an int as second argument to ldexp.");
    }
    double r = ldexp(x, (int)MAX(MIN(e, 100000), -100000));
    return isinf(r) && isfinite(x) ? py_raise(in, "OverflowError", args->span,
                                              "the result is too large for a float")
                                   : val_float(r);
}

static Value
fn_modf(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    double x = 0;
    double whole = 0;
    if (!need_double(in, args, 0, &x)) {
        return val_fail();
    }
    Value two[2] = {val_float(modf(x, &whole)), val_none()};
    two[1] = val_float(whole);
    return val_tuple(in, two, 2);
}

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
        return py_raise(in, "ValueError", args->span, "%s is not a base of a logarithm",
                        val_repr(in, args->pos[1]));
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
        return py_raise(in, "ValueError", args->span, "the power is not a real number");
    }
    if (isinf(r) && isfinite(x) && isfinite(y)) {
        return x == 0 ? py_raise(in, "ValueError", args->span, "zero to a negative power")
                      : py_raise(in, "OverflowError", args->span,
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
        return py_raise(in, "ValueError", args->span, "the remainder is not defined");
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
            py_raise(in, "TypeError", args->span, "an integer is needed, not '%s'",
                     val_type_name(args->pos[i]));
            return false;
        }
    }
    return true;
}

/* Computes gcd or lcm of any number of integers. */
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
        int64_t n = 1 + big_bits(args->pos[i]) / 64;
        if (!core_charge(in, 8 + n * n, args->span)) {
            v = val_fail();
            break;
        }
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

/* Implements comb and perm: n over k, or the number of ordered choices. */
static Value
choices(Interp *in, const CallArgs *args, bool ordered)
{
    enum {
        MOST = 20000 /* limit of the work; a longer result would not fit anyway */
    };
    int64_t n = 0;
    if (!need_ints(in, args)) {
        return val_fail();
    }
    int64_t k = 0;
    bool small = val_as_int64(args->pos[0], &n);
    small = (args->npos < 2 ? (k = n, true) : val_as_int64(args->pos[1], &k)) && small;
    if (!small || n < 0 || k < 0 || (k <= n && MIN(k, n - (ordered ? 0 : k)) > MOST)) {
        return py_raise(in, "ValueError", args->span,
                        "the number of choices of %s cannot be made",
                        val_repr(in, args->pos[0]));
    }
    int64_t factors = ordered ? k : MIN(k, n - k);
    int64_t limbs = 1 + factors * big_bits(args->pos[0]) / 64;
    if (k <= n && !core_charge(in, 8 + factors + factors * limbs / 16, args->span)) {
        return val_fail();
    }
    mpz_t z;
    mpz_init_set_si(z, k <= n);
    if (!ordered && k <= n) {
        mpz_set_si(z, n);
        mpz_bin_ui(z, z, (unsigned long)MIN(k, n - k));
    }
    for (int64_t i = 0; ordered && k <= n && i < k; i++) {
        mpz_mul_si(z, z, n - i);
    }
    Value v = big_from_mpz(in, z, args->span);
    mpz_clear(z);
    return v;
}

static Value
fn_comb(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return choices(in, args, false);
}

static Value
fn_perm(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return choices(in, args, true);
}

/* Returns the sum, rounded once: it is exact in rationals. */
static Value
fn_fsum(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    enum {
        FSUM_STEPS = 128 /* cost of adding a fraction of up to 2100 bits exactly */
    };
    Value items = iter_collect(in, VAL_LIST, args->pos[0], args->span);
    double plain = 0;
    bool ok = !val_failed(items);
    mpq_t total, x;
    mpq_inits(total, x, NULL);
    for (uint32_t i = 0; ok && i < items.list->n; i++) {
        double f = 0;
        CallArgs one = {.pos = &items.list->p[i], .npos = 1, .span = args->span};
        ok = need_double(in, &one, 0, &f) && core_charge(in, FSUM_STEPS, args->span);
        plain += f;
        if (isfinite(f)) {
            mpq_set_d(x, f);
            mpq_add(total, total, x);
        }
    }
    double r = plain;
    if (ok && isfinite(plain)) {
        Value n = big_from_mpz(in, mpq_numref(total), args->span);
        Value d = big_from_mpz(in, mpq_denref(total), args->span);
        ok = !val_failed(n) && !val_failed(d) && big_true_divide(n, d, &r);
    }
    mpq_clears(total, x, NULL);
    return ok ? val_float(r) : val_fail();
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
        return py_raise(in, "ValueError", args->span,
                        "the factorial of %s cannot be made", val_repr(in, args->pos[0]));
    }
    if (!core_charge(in, n * (1 + n / 64), args->span)) {
        return val_fail();
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
        return py_raise(in, "ValueError", args->span,
                        "a negative number has no square root");
    }
    int64_t limbs = 1 + big_bits(args->pos[0]) / 64;
    if (!core_charge(in, 8 + limbs * limbs / 16, args->span)) {
        return val_fail();
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
    {"ceil", fn_ceil, 1, 1, NULL, COST_ONE},
    {"floor", fn_floor, 1, 1, NULL, COST_ONE},
    {"trunc", fn_trunc, 1, 1, NULL, COST_ONE},
    {"sqrt", fn_sqrt, 1, 1, NULL, COST_ONE},
    {"exp", fn_exp, 1, 1, NULL, COST_ONE},
    {"log", fn_log, 1, 2, NULL, COST_ONE},
    {"log2", fn_log2, 1, 1, NULL, COST_ONE},
    {"log10", fn_log10, 1, 1, NULL, COST_ONE},
    {"fabs", fn_fabs, 1, 1, NULL, COST_ONE},
    {"sin", fn_sin, 1, 1, NULL, COST_ONE},
    {"cos", fn_cos, 1, 1, NULL, COST_ONE},
    {"tan", fn_tan, 1, 1, NULL, COST_ONE},
    {"tanh", fn_tanh, 1, 1, NULL, COST_ONE},
    {"atan", fn_atan, 1, 1, NULL, COST_ONE},
    {"erf", fn_erf, 1, 1, NULL, COST_ONE},
    {"erfc", fn_erfc, 1, 1, NULL, COST_ONE},
    {"exp2", fn_exp2, 1, 1, NULL, COST_ONE},
    {"expm1", fn_expm1, 1, 1, NULL, COST_ONE},
    {"log1p", fn_log1p, 1, 1, NULL, COST_ONE},
    {"asin", fn_asin, 1, 1, NULL, COST_ONE},
    {"acos", fn_acos, 1, 1, NULL, COST_ONE},
    {"sinh", fn_sinh, 1, 1, NULL, COST_ONE},
    {"cosh", fn_cosh, 1, 1, NULL, COST_ONE},
    {"asinh", fn_asinh, 1, 1, NULL, COST_ONE},
    {"acosh", fn_acosh, 1, 1, NULL, COST_ONE},
    {"atanh", fn_atanh, 1, 1, NULL, COST_ONE},
    {"cbrt", fn_cbrt, 1, 1, NULL, COST_ONE},
    {"degrees", fn_degrees, 1, 1, NULL, COST_ONE},
    {"radians", fn_radians, 1, 1, NULL, COST_ONE},
    {"ulp", fn_ulp, 1, 1, NULL, COST_ONE},
    {"copysign", fn_copysign, 2, 2, NULL, COST_ONE},
    {"atan2", fn_atan2, 2, 2, NULL, COST_ONE},
    {"hypot", fn_hypot, 2, 2, NULL, COST_ONE},
    {"nextafter", fn_nextafter, 2, 2, NULL, COST_ONE},
    {"remainder", fn_remainder, 2, 2, NULL, COST_ONE},
    {"frexp", fn_frexp, 1, 1, NULL, COST_ONE},
    {"ldexp", fn_ldexp, 2, 2, NULL, COST_ONE},
    {"modf", fn_modf, 1, 1, NULL, COST_ONE},
    {"fsum", fn_fsum, 1, 1, NULL},
    {"comb", fn_comb, 2, 2, NULL},
    {"perm", fn_perm, 1, 2, NULL},
    {"pow", fn_pow, 2, 2, NULL, COST_ONE},
    {"fmod", fn_fmod, 2, 2, NULL, COST_ONE},
    {"isclose", fn_isclose, 2, 2, "rel_tol abs_tol", COST_ONE},
    {"isnan", fn_isnan, 1, 1, NULL, COST_ONE},
    {"isinf", fn_isinf, 1, 1, NULL, COST_ONE},
    {"isfinite", fn_isfinite, 1, 1, NULL, COST_ONE},
    {"gcd", fn_gcd, 0, 255, NULL},
    {"lcm", fn_lcm, 0, 255, NULL},
    {"prod", fn_prod, 1, 1, "start"},
    {"factorial", fn_factorial, 1, 1, NULL},
    {"isqrt", fn_isqrt, 1, 1, NULL},
};

void
mathmodule_install(Interp *in)
{
    Value m = py_module(in, "math");
    builtin_add_rows(in, &m.module->attrs, rows, ARRAY_LEN(rows), NULL);
    py_module_set(in, m, "pi", val_float(3.14159265358979323846));
    py_module_set(in, m, "e", val_float(2.7182818284590452354));
    py_module_set(in, m, "tau", val_float(6.28318530717958647692));
    py_module_set(in, m, "inf", val_float(INFINITY));
    py_module_set(in, m, "nan", val_float(NAN));
}
