/* halide_make.cpp: compiles the kernels with Halide ahead of time, each with a sensible
 * schedule by hand: vectors, unrolling, threads over blocks of rows, tiles where bytes
 * are used again.
 *
 *  halide_make FOLDER    writes FOLDER/h_<kernel>.o and .h, and the runtime */
#include <Halide.h>
#include <fstream>
#include <string>
#include <vector>

using namespace Halide;
using Halide::ConciseCasts::f32;
using Halide::ConciseCasts::i32;

static std::string folder;
static Target target;
static Var i("i"), j("j"), io("io"), ii("ii"), jo("jo"), ji("ji");

enum {
    COLUMNS = 1024, /* of the kernels over rows */
    SIDE = 512,     /* of the products */
    LINE = 64
};

static void
emit(Func f, const std::vector<Argument> &args, const std::string &name)
{
    const std::string path = folder + "/h_" + name;
    f.compile_to(
        {{OutputFileType::object, path + ".o"}, {OutputFileType::c_header, path + ".h"}},
        args, "h_" + name, target);
}

template <class Buffer>
static void
dense(Buffer b, int columns = 0)
{
    b.dim(0).set_min(0).set_stride(1);
    b.set_host_alignment(LINE);
    if (columns != 0) {
        b.dim(0).set_extent(columns);
        b.dim(1).set_min(0).set_stride(columns);
    }
}

/* One long run of elements: blocks over threads, vectors of that many lanes. */
static void
stream(Func f, int lanes, int unroll)
{
    dense(f.output_buffer());
    f.split(i, io, ii, 1 << 16, TailStrategy::RoundUp)
        .parallel(io)
        .vectorize(ii, lanes)
        .unroll(ii, unroll);
}

/* A reduction of rows: 64 partial results at a time. */
static void
reduce_row(Func g, RDom r, Func at, Var level)
{
    RVar ro("ro"), ri("ri");
    Var u("u");
    Func part = g.update().split(r.x, ro, ri, 64).rfactor(ri, u);
    part.compute_at(at, level).vectorize(u, 16).unroll(u);
    part.update().vectorize(u, 16).unroll(u);
    g.compute_at(at, level);
    g.update().atomic().vectorize(ri, 16);
}

static void
streams()
{
    {
        ImageParam x(Float(16), 1, "x"), y(Float(16), 1, "y");
        Func f("f");
        f(i) = cast<float16_t>(f32(x(i)) + f32(y(i)));
        dense(x), dense(y);
        stream(f, 32, 1);
        emit(f, {x, y}, "add_f16");
    }
    {
        ImageParam x(Float(32), 1, "x"), y(Float(32), 1, "y");
        Func f("f");
        f(i) = x(i) + y(i);
        dense(x), dense(y);
        stream(f, 16, 4);
        emit(f, {x, y}, "add_f32");
    }
    {
        ImageParam x(Float(16), 1, "x");
        Param<float> scale("scale"), offset("offset");
        Func f("f");
        f(i) = cast<float16_t>(max(f32(x(i)) * scale + offset, 0.0f));
        dense(x);
        stream(f, 32, 1);
        emit(f, {x, scale, offset}, "axpb_relu_f16");
    }
    {
        ImageParam x(Float(32), 1, "x");
        Func f("f");
        Expr v = x(i);
        f(i) = v / (1.0f + fast_exp(-2 * 0.7978845608f * (v + 0.044715f * v * v * v)));
        dense(x);
        stream(f, 16, 4);
        emit(f, {x}, "gelu_f32");
    }
    {
        ImageParam x(UInt(32), 1, "x");
        Func f("f");
        f(i) = x(i);
        dense(x);
        stream(f, 16, 4);
        emit(f, {x}, "copy");
    }
}

static void
softmax()
{
    ImageParam x(Float(32), 2, "x");
    RDom r(0, COLUMNS);
    Func most("most"), e("e"), sum("sum"), inverse("inverse"), f("f");
    most(i) = Float(32).min();
    most(i) = max(most(i), x(r, i));
    e(j, i) = fast_exp(x(j, i) - most(i));
    sum(i) = 0.0f;
    sum(i) += e(r, i);
    inverse(i) = 1.0f / sum(i);
    f(j, i) = e(j, i) * inverse(i);
    dense(x, COLUMNS), dense(f.output_buffer(), COLUMNS);
    f.bound(j, 0, COLUMNS).split(i, io, ii, 64, TailStrategy::RoundUp).parallel(io);
    f.vectorize(j, 16).unroll(j, 4);
    inverse.compute_at(f, ii);
    e.compute_at(f, ii).vectorize(j, 16).unroll(j, 4);
    reduce_row(most, r, f, ii);
    reduce_row(sum, r, f, ii);
    emit(f, {x}, "softmax_f32");
}

static void
layernorm()
{
    ImageParam x(Float(16), 2, "x"), g(Float(16), 1, "g"), b(Float(16), 1, "b");
    Param<float> epsilon("epsilon");
    RDom r(0, COLUMNS);
    Func w("w"), s("s"), v("v"), k("k"), m("m"), f("f"), gamma("gamma"), beta("beta");
    w(j, i) = f32(x(j, i));
    gamma(j) = f32(g(j));
    beta(j) = f32(b(j));
    s(i) = 0.0f;
    s(i) += w(r, i);
    m(i) = s(i) / COLUMNS;
    v(i) = 0.0f;
    v(i) += (w(r, i) - m(i)) * (w(r, i) - m(i));
    k(i) = 1.0f / sqrt(v(i) / COLUMNS + epsilon);
    f(j, i) = cast<float16_t>((w(j, i) - m(i)) * k(i) * gamma(j) + beta(j));
    dense(x, COLUMNS), dense(f.output_buffer(), COLUMNS), dense(g), dense(b);
    f.bound(j, 0, COLUMNS).split(i, io, ii, 64, TailStrategy::RoundUp).parallel(io);
    f.vectorize(j, 32);
    gamma.bound(j, 0, COLUMNS).compute_at(f, io).vectorize(j, 16);
    beta.bound(j, 0, COLUMNS).compute_at(f, io).vectorize(j, 16);
    w.compute_at(f, ii).vectorize(j, 16);
    m.compute_at(f, ii);
    k.compute_at(f, ii);
    reduce_row(s, r, f, ii);
    reduce_row(v, r, f, ii);
    emit(f, {x, g, b, epsilon}, "layernorm_f16");
}

static void
row_reduction(bool most)
{
    ImageParam x(Float(32), 2, "x");
    RDom r(0, COLUMNS);
    Func f("f");
    RVar ro("ro"), ri("ri");
    Var u("u");
    if (most) {
        f(i) = Float(32).min();
        f(i) = max(f(i), x(r, i));
    } else {
        f(i) = 0.0f;
        f(i) += x(r, i);
    }
    dense(x, COLUMNS), dense(f.output_buffer());
    Func part = f.update().split(r.x, ro, ri, 64).rfactor(ri, u);
    f.split(i, io, ii, 256, TailStrategy::RoundUp).parallel(io);
    f.update().split(i, io, ii, 256, TailStrategy::RoundUp).reorder(ri, ii, io);
    f.update().parallel(io).atomic().vectorize(ri, 16);
    part.compute_at(f, ii).vectorize(u, 16).unroll(u);
    part.update().reorder(u, ro).vectorize(u, 16).unroll(u);
    emit(f, {x}, most ? "rowmax_f32" : "rowsum_f32");
}

static void
moves()
{
    {
        ImageParam x(UInt(16), 2, "x");
        Func f("f");
        Var jt("jt"), it("it"), jb("jb"), ib("ib");
        f(j, i) = x(i, j);
        dense(x), dense(f.output_buffer());
        f.tile(j, i, jo, io, ji, ii, 16, 16, TailStrategy::RoundUp).vectorize(ji);
        f.unroll(ii).split(jo, jt, jb, 8).split(io, it, ib, 8);
        f.reorder(ji, ii, jb, ib, jt, it).parallel(it);
        Func in = x.in(f);
        in.compute_at(f, jb).vectorize(in.args()[0]).unroll(in.args()[1]);
        emit(f, {x}, "transpose_f16");
    }
    {
        ImageParam x(UInt(16), 2, "x");
        Param<int> first("first");
        Func f("f");
        f(j, i) = x(j + first, i);
        x.dim(0).set_min(0).set_stride(1);
        f.output_buffer().dim(0).set_min(0).set_stride(1);
        f.split(i, io, ii, 64).parallel(io).vectorize(j, 32);
        emit(f, {x, first}, "slice_f16");
    }
}

static void
matmul_f16()
{
    ImageParam a(Float(16), 2, "a"), b(Float(16), 2, "b");
    RDom k(0, SIDE);
    Func x("x"), y("y"), c("c"), f("f");
    dense(a, SIDE), dense(b, SIDE);
    x(j, i) = f32(a(j, i));
    y(j, i) = f32(b(j, i));
    c(j, i) = 0.0f;
    c(j, i) += x(k, i) * y(j, k);
    f(j, i) = cast<float16_t>(c(j, i));
    dense(f.output_buffer(), SIDE);
    f.bound(j, 0, SIDE).bound(i, 0, SIDE).tile(j, i, jo, io, ji, ii, 32, 8);
    f.reorder(ji, ii, io, jo).vectorize(ji, 32).unroll(ii).parallel(jo);
    x.compute_root().split(i, io, ii, 64).parallel(io).vectorize(j, 16);
    y.compute_at(f, jo).vectorize(j, 16).unroll(j);
    c.compute_at(f, io).vectorize(j, 16).unroll(j).unroll(i);
    c.update().reorder(j, i, k).vectorize(j, 16).unroll(j).unroll(i);
    emit(f, {a, b}, "matmul_f16");
}

/* Pairs of int16, for which there is an instruction: the widest exact product of int8
 * that Halide 14 selects here. */
static void
matmul_i8()
{
    ImageParam a(Int(8), 2, "a"), b(Int(8), 2, "b");
    Param<float> scale("scale"), offset("offset");
    RDom r(0, 2, 0, SIDE / 2);
    Func x("x"), y("y"), c("c"), f("f");
    Var t("t");
    dense(a, SIDE), dense(b, SIDE);
    x(j, i) = cast<int16_t>(a(j, i));
    y(t, j, i) = cast<int16_t>(b(j, 2 * i + t));
    c(j, i) = 0;
    c(j, i) += i32(x(2 * r.y + r.x, i)) * i32(y(r.x, j, r.y));
    f(j, i) = cast<int8_t>(round(min(max(f32(c(j, i)) * scale + offset, 0.0f), 127.0f)));
    dense(f.output_buffer(), SIDE);
    f.bound(j, 0, SIDE).bound(i, 0, SIDE).tile(j, i, jo, io, ji, ii, 32, 8);
    f.reorder(ji, ii, io, jo).vectorize(ji, 16).unroll(ji).unroll(ii).parallel(jo);
    x.compute_root().split(i, io, ii, 64).parallel(io).vectorize(j, 32);
    y.compute_at(f, jo).bound(t, 0, 2).reorder_storage(t, j, i).reorder(t, j, i);
    y.vectorize(j, 16).unroll(t);
    c.compute_at(f, io).vectorize(j, 16).unroll(j).unroll(i);
    c.update().reorder(r.x, j, i, r.y).atomic().vectorize(r.x).vectorize(j, 16);
    c.update().unroll(j).unroll(i);
    emit(f, {a, b, scale, offset}, "matmul_i8");
}

int
main(int argc, char **argv)
{
    if (argc != 2) {
        return 2;
    }
    folder = argv[1];
    const Target host = get_host_target();
    target = host.with_feature(Target::NoRuntime)
                 .with_feature(Target::NoAsserts)
                 .with_feature(Target::NoBoundsQuery);
    std::ofstream(folder + "/halide_target.h")
        << "#define HALIDE_TARGET \"" << host.to_string() << "\"\n";
    streams();
    softmax();
    layernorm();
    row_reduction(false);
    row_reduction(true);
    moves();
    matmul_f16();
    matmul_i8();
    compile_standalone_runtime(folder + "/halide_runtime.o", host);
    return 0;
}
