/* memory_map.c: what 'tikc check --memory' shows. It reads what the allocator decided
 * (Kernel.lives), so that a map never differs from the addresses in use. */
#include "driver/memory_map.h"

#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 64,   /* of a map */
    MAX_ROWS = 40,  /* of a map; the rest is counted */
    MAX_MAPPED = 62 /* buffers that have a letter of their own */
};

typedef VEC(uint32_t) Positions;

/* The buffers of one memory. */
typedef struct Map {
    const Kernel *k;
    Scope scope;
    const BufLife *lives; /* of this memory: neighbours in Kernel.lives */
    uint32_t n;
    Positions rows; /* where a buffer begins, or bytes become free */
    Arena *a;
} Map;

static int
by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Collects the positions between which nothing changes. */
static void
find_rows(Map *m)
{
    Positions all = {0};
    uint32_t last = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        VEC_PUSH(m->a, &all, m->lives[i].begin);
        VEC_PUSH(m->a, &all, m->lives[i].end + 1);
        last = MAX(last, m->lives[i].end + 1);
    }
    qsort(all.p, all.n, sizeof *all.p, by_number);
    for (uint32_t i = 0; i < all.n; i++) {
        if (all.p[i] < last && (i == 0 || all.p[i] != all.p[i - 1])) {
            VEC_PUSH(m->a, &m->rows, all.p[i]);
        }
    }
}

/* Finds the next memory that has buffers; *from is where its lives begin. */
static bool
next_map(const Kernel *k, Arena *a, uint32_t *from, Map *out)
{
    *out = (Map){.k = k, .a = a, .lives = k->lives.p + *from};
    while (*from < k->lives.n) {
        Scope scope = k->bufs.p[k->lives.p[*from].buf].scope;
        if (out->n > 0 && scope != out->scope) {
            break;
        }
        out->scope = scope;
        out->n++;
        ++*from;
    }
    if (out->n > 0) {
        find_rows(out);
    }
    return out->n > 0;
}

/* ---- facts --------------------------------------------------------------- */

static uint32_t
line_of(const Map *m, StmtId at)
{
    Unit *u = m->k->unit;
    Span span = m->k->stmts.p[at].span;
    return source_line_col(&u->arena, &u->sources.p[span.file], span.begin).line;
}

/* Returns the line of what happens at a row: where a buffer begins there, its beginning,
 * else the last use of one that has ended. */
static uint32_t
line_at(const Map *m, uint32_t row)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const BufLife *l = &m->lives[i];
        if (l->begin == row) {
            return line_of(m, l->begin_at);
        }
        if (l->end + 1 == row && l->last_at) {
            line = MAX(line, line_of(m, l->last_at));
        }
    }
    return line;
}

static const Buffer *
buffer_of(const Map *m, uint32_t i)
{
    return &m->k->bufs.p[m->lives[i].buf];
}

static const char *
name_of(const Map *m, uint32_t i)
{
    return sym_text(&m->k->unit->names, buffer_of(m, i)->name);
}

/* Buffers after the last letter share it. */
static char
letter(uint32_t i)
{
    static const char all[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    return i < MAX_MAPPED ? all[i] : '#';
}

static bool
is_alive(const BufLife *l, uint32_t at)
{
    return l->begin <= at && at <= l->end;
}

/* ---- text ---------------------------------------------------------------- */

static void
put_shape(const Buffer *b, Text *out)
{
    text_printf(out, "%s[", dtype_name(b->dtype));
    for (uint32_t i = 0; i < b->shape.n; i++) {
        text_printf(out, "%s%lld", i ? ", " : "", (long long)b->shape.p[i]);
    }
    text_putc(out, ']');
}

static void
put_lines(const Map *m, const BufLife *l, Text *out)
{
    if (!l->first_at) {
        text_printf(out, "%-11s", "never used");
        return;
    }
    Arena a = {0};
    text_printf(
        out, "%-11s",
        arena_printf(&a, "%u to %u", line_of(m, l->first_at), line_of(m, l->last_at)));
    arena_free(&a);
}

static void
put_buffer(const Map *m, uint32_t i, Text *out)
{
    const BufLife *l = &m->lives[i];
    const Buffer *b = buffer_of(m, i);
    text_printf(out, "  %8lld %8lld %8lld  ", (long long)b->address,
                (long long)(b->address + l->bytes - 1), (long long)l->bytes);
    put_lines(m, l, out);
    text_printf(out, "  %c %s ", letter(i), name_of(m, i));
    put_shape(b, out);
    if (b->copies > 1) {
        text_printf(out, ", %d copies for thread_num", b->copies);
    }
    text_putc(out, '\n');
}

/* Puts which buffers the columns of a row belong to. */
static void
put_row(const Map *m, uint32_t row, int64_t width, Text *out)
{
    char cells[COLUMNS + 1];
    int last = -1;
    memset(cells, '.', sizeof cells);
    for (uint32_t i = 0; i < m->n; i++) {
        const BufLife *l = &m->lives[i];
        int64_t from = buffer_of(m, i)->address / width;
        int64_t to = (buffer_of(m, i)->address + l->bytes - 1) / width;
        for (int64_t c = from; is_alive(l, row) && c <= to && c < COLUMNS; c++) {
            cells[c] = letter(i);
            last = MAX(last, (int)c);
        }
    }
    text_printf(out, "  %8u  %.*s\n", line_at(m, row), last + 1, cells);
}

static void
put_map(const Map *m, Text *out)
{
    int64_t width = (m->k->peak[m->scope] + COLUMNS - 1) / COLUMNS;
    text_printf(out, "      line  a column is %lld bytes\n", (long long)width);
    for (uint32_t i = 0; i < m->rows.n && i < MAX_ROWS; i++) {
        put_row(m, m->rows.p[i], MAX(width, 1), out);
    }
    if (m->rows.n > MAX_ROWS) {
        text_printf(out, "            and %u more rows\n", m->rows.n - MAX_ROWS);
    }
}

static void
put_peak(const Map *m, Text *out)
{
    int64_t room = m->k->soc->bytes[m->scope], peak = m->k->peak[m->scope];
    text_printf(out, "%s: %s %lld of %lld bytes%s (%.1f %%)\n",
                sym_text(&m->k->unit->names, m->k->name), scope_name(m->scope),
                (long long)peak, (long long)room,
                m->scope == SC_LMEM ? " of each lane" : "",
                room ? 100.0 * (double)peak / (double)room : 0.0);
}

static void
put_open(const Kernel *k, Text *out)
{
    for (BufId i = 1; i < k->bufs.n; i++) {
        const Buffer *b = &k->bufs.p[i];
        if (b->dynamic && b->scope != SC_GM) {
            text_printf(out,
                        "  %s '%s' begins at byte %lld or after; the run knows its "
                        "size\n",
                        scope_name(b->scope), sym_text(&k->unit->names, b->name),
                        (long long)b->address);
        }
    }
}

void
memory_map_text(const Kernel *k, Text *out)
{
    Arena a = {0};
    Map m;
    for (uint32_t from = 0; next_map(k, &a, &from, &m);) {
        put_peak(&m, out);
        text_put(out, "      from       to    bytes  used in lines\n");
        for (uint32_t i = 0; i < m.n; i++) {
            put_buffer(&m, i, out);
        }
        put_map(&m, out);
    }
    put_open(k, out);
    arena_free(&a);
}

/* ---- JSON ---------------------------------------------------------------- */

static void
buffer_json(const Map *m, uint32_t i, Text *out)
{
    const BufLife *l = &m->lives[i];
    const Buffer *b = buffer_of(m, i);
    json_open(out, NULL, '{');
    json_text(out, "name", name_of(m, i));
    json_text(out, "dtype", dtype_name(b->dtype));
    json_open(out, "shape", '[');
    for (uint32_t d = 0; d < b->shape.n; d++) {
        json_number(out, NULL, b->shape.p[d]);
    }
    json_close(out, ']');
    json_number(out, "address", b->address);
    json_number(out, "bytes", l->bytes);
    json_number(out, "copies", b->copies);
    if (l->first_at) {
        json_number(out, "first_line", line_of(m, l->first_at));
        json_number(out, "last_line", line_of(m, l->last_at));
    }
    json_close(out, '}');
}

void
memory_map_json(const Kernel *k, Text *out)
{
    Arena a = {0};
    Map m;
    text_put(out, "{\"version\":1");
    json_text(out, "kernel", sym_text(&k->unit->names, k->name));
    json_text(out, "target", k->soc->name);
    json_open(out, "memories", '[');
    for (uint32_t from = 0; next_map(k, &a, &from, &m);) {
        json_open(out, NULL, '{');
        json_text(out, "memory", scope_name(m.scope));
        json_number(out, "peak", k->peak[m.scope]);
        json_number(out, "bytes", k->soc->bytes[m.scope]);
        json_open(out, "buffers", '[');
        for (uint32_t i = 0; i < m.n; i++) {
            buffer_json(&m, i, out);
        }
        json_close(out, ']');
        json_close(out, '}');
    }
    text_put(out, "]}\n");
    arena_free(&a);
}

/* ---- SVG ----------------------------------------------------------------- */

enum {
    PICTURE_WIDTH = 720,
    PICTURE_LEFT = 60,
    ROW_HEIGHT = 18,
    HEAD_HEIGHT = 44
};

static double
place_of(const Map *m, int64_t address)
{
    int64_t peak = MAX(m->k->peak[m->scope], 1);
    return (double)PICTURE_LEFT + (double)PICTURE_WIDTH * (double)address / (double)peak;
}

/* Returns the number of the row that begins at a position, or the first after it. */
static uint32_t
row_of(const Map *m, uint32_t position)
{
    uint32_t row = 0;
    while (row < m->rows.n && m->rows.p[row] < position) {
        row++;
    }
    return row;
}

static void
buffer_svg(const Map *m, uint32_t i, int top, Text *out)
{
    const BufLife *l = &m->lives[i];
    const Buffer *b = buffer_of(m, i);
    double x = place_of(m, b->address), end = place_of(m, b->address + l->bytes);
    int y = top + (int)row_of(m, l->begin) * ROW_HEIGHT;
    int bottom = top + (int)row_of(m, l->end + 1) * ROW_HEIGHT;
    text_printf(out,
                "<g><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
                "fill=\"hsl(%u,60%%,80%%)\" stroke=\"#333\"/><title>",
                x, y, end - x, bottom - y, i * 47 % 360);
    text_put(out, name_of(m, i));
    text_putc(out, ' ');
    put_shape(b, out);
    text_printf(out, ", bytes %lld to %lld</title>", (long long)b->address,
                (long long)(b->address + l->bytes - 1));
    text_printf(out, "<text x=\"%.1f\" y=\"%d\">", x + 3, y + 13);
    text_put(out, name_of(m, i));
    text_put(out, "</text></g>\n");
}

/* Puts one memory; returns where the next one begins. */
static int
memory_svg(const Map *m, int top, Text *out)
{
    Text head;
    text_init(&head, m->a);
    put_peak(m, &head);
    text_printf(out, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">", PICTURE_LEFT,
                top + 16);
    text_putn(out, head.p, head.n - 1);
    text_put(out, "</text>\n");
    int rows = top + HEAD_HEIGHT;
    for (uint32_t i = 0; i < m->n; i++) {
        buffer_svg(m, i, rows, out);
    }
    for (uint32_t i = 0; i < m->rows.n; i++) {
        text_printf(out, "<text x=\"4\" y=\"%d\">%u</text>\n",
                    rows + (int)i * ROW_HEIGHT + 13, line_at(m, m->rows.p[i]));
    }
    text_printf(out, "<text x=\"4\" y=\"%d\">line</text>\n", rows - 6);
    return rows + (int)m->rows.n * ROW_HEIGHT + ROW_HEIGHT;
}

void
memory_map_svg(Kernel *const *kernels, uint32_t n, Text *out)
{
    Arena a = {0};
    Text body;
    Map m;
    int height = 0;
    text_init(&body, &a);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t from = 0; next_map(kernels[i], &a, &from, &m);) {
            height = memory_svg(&m, height, &body);
        }
    }
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "font-family=\"monospace\" font-size=\"12\">\n%s</svg>\n",
                PICTURE_LEFT + PICTURE_WIDTH + 10, height, body.p);
    arena_free(&a);
}
