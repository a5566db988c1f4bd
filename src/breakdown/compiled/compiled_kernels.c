/* SPDX-License-Identifier: Apache-2.0 */
#include "compiled_kernels.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/sum.h"

/* Kernels of one name from the same lines: compiled for several sizes, the trace does not tell them apart. */
struct kind {
    const struct log_kernel *kernel;
    struct buf ids;
    uint32_t compiles;
    str name, lines, code;
    int64_t runs, time_ns; /* of the name */
};

struct kinds {
    struct intern *keys;
    struct kind *at;
    uint32_t count;
    size_t room;
};

/* ---- texts ---- */

enum { MOST_IDS = 16 };

/* "train.py:14, 15; other.py:3" */
static str lines_text(const struct log_kernel *kernel, struct arena *arena)
{
    struct buf text = {0};
    for (uint32_t i = 0; i < kernel->line_count; i++) {
        const struct log_place *place = &kernel->lines[i];
        if (i && str_eq(place->file, kernel->lines[i - 1].file))
            buf_printf(&text, ", %lld", (long long)place->line);
        else
            buf_printf(&text, "%s%.*s:%lld", i ? "; " : "", (int)place->file.len, place->file.at,
                       (long long)place->line);
    }
    const str copy = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

static str code_text(const struct log_kernel *kernel, struct arena *arena)
{
    struct buf text = {0};
    for (uint32_t i = 0; i < kernel->line_count; i++)
        if (kernel->lines[i].code.len)
            buf_printf(&text, "%s%.*s", text.len ? " | " : "", (int)kernel->lines[i].code.len,
                       kernel->lines[i].code.at);
    const str copy = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

/* ---- kinds ---- */

static void add(struct kinds *kinds, const struct compile_log *log, const struct log_kernel *kernel,
                struct arena *arena)
{
    const str lines = lines_text(kernel, arena);
    const str key = str_printf(arena, "%.*s %.*s", (int)kernel->name.len, kernel->name.at, (int)lines.len, lines.at);
    const uint32_t id = intern_id(kinds->keys, key) - 1; /* 0 is the empty text */
    if (id == kinds->count) {
        kinds->at = mem_grow(kinds->at, &kinds->room, (size_t)id + 1, sizeof *kinds->at);
        kinds->at[kinds->count++] = (struct kind){
            .kernel = kernel, .name = kernel->name, .lines = lines, .code = code_text(kernel, arena), .runs = -1};
    }
    struct kind *kind = &kinds->at[id];
    const str compile = log->compiles[kernel->compile].id;
    if (kind->compiles++ < MOST_IDS)
        buf_printf(&kind->ids, "%s%.*s", kind->compiles > 1 ? ", " : "", (int)compile.len, compile.at);
    else if (kind->compiles == MOST_IDS + 1)
        buf_add(&kind->ids, S(", ..."));
}

/* What ran under the names, of all traces. */
static void add_runs(struct kinds *kinds, const struct compiled_trace *const *traces, uint32_t count)
{
    struct intern *names = intern_new();
    struct compiled_run *runs = NULL;
    size_t room = 0;
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t k = 0; k < traces[t]->kernel_count; k++) {
            const struct compiled_run *run = &traces[t]->kernels[k];
            const uint32_t id = intern_id(names, run->name);
            const size_t before = room;
            runs = mem_grow(runs, &room, (size_t)id + 1, sizeof *runs);
            if (room > before)
                memset(runs + before, 0, (room - before) * sizeof *runs);
            sum_to(&runs[id].count, run->count);
            sum_to(&runs[id].total_ns, run->total_ns);
        }
    uint32_t id;
    for (uint32_t i = 0; i < kinds->count; i++)
        if (intern_find(names, kinds->at[i].name, &id) && id < room && runs[id].count) {
            kinds->at[i].runs = runs[id].count;
            kinds->at[i].time_ns = runs[id].total_ns;
        }
    mem_free(runs);
    intern_free(names);
}

static int longest_first(const void *a, const void *b)
{
    const struct kind *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    const int order = str_cmp(x->name, y->name);
    return order ? order : str_cmp(x->lines, y->lines);
}

/* ---- the table ---- */

static const struct column_spec generated_kernels_columns[] = {
    {"kernel", "kernel", UNIT_NONE, COLUMN_WIDE, "the name that Inductor gave it"},
    {"lines", "from", UNIT_NONE, COLUMN_WIDE,
     "the lines of the program that it computes, at most 16; null: the log has none"},
    {"code", "code", UNIT_NONE, COLUMN_WIDE, "what stands there"},
    {"runs", "runs", UNIT_NONE, COLUMN_PLAIN,
     "how often a kernel of this name ran in the selected steps of the traces"},
    {"time_ns", "time", UNIT_NS, COLUMN_PLAIN, "what that took; kernels of one name share it"},
    {"compile_ids", "compiled as", UNIT_NONE, COLUMN_DETAIL, "the compilations that made it, at most 16"},
    {"source_nodes", "source nodes", UNIT_NONE, COLUMN_DETAIL, "the nodes of Dynamo's graph that Inductor names"},
    {"operators", "operators", UNIT_NONE, COLUMN_DETAIL, "the operators that Inductor names"},
    {"lines_from", "known from", UNIT_NONE, COLUMN_DETAIL,
     "stacks: Inductor wrote down those of the kernel; nodes: from the lines of the source nodes"},
    {0},
};

static const char *from_word(enum log_lines_from from)
{
    return from == LINES_OF_STACKS ? "stacks" : from == LINES_OF_NODES ? "nodes" : NULL;
}

static void put(struct table *table, const struct kind *kind, struct arena *arena)
{
    table_row(table);
    table_text(table, kind->name);
    table_cell(table, cell_text_or_null(kind->lines));
    table_cell(table, cell_text_or_null(kind->code));
    table_cell(table, cell_int_or_null(kind->runs));
    table_cell(table, cell_int_if(kind->runs >= 0, kind->time_ns));
    table_text(table, str_copy(arena, buf_str(&kind->ids)));
    table_cell(table, cell_text_or_null(kind->kernel->nodes));
    table_cell(table, cell_text_or_null(kind->kernel->operators));
    table_cell(table, cell_text_or_null(str_of(from_word(kind->kernel->from))));
}

void compiled_kernels_show(const struct compile_log *log, const struct compiled_trace *const *traces, uint32_t count,
                           struct section *section, struct report *report)
{
    struct kinds kinds = {.keys = intern_new()};
    for (uint32_t i = 0; i < log->kernel_count; i++)
        add(&kinds, log, &log->kernels[i], report_arena(report));
    add_runs(&kinds, traces, count);
    if (kinds.count)
        qsort(kinds.at, kinds.count, sizeof *kinds.at, longest_first);
    struct table *table = section_table(section, "generated_kernels", "Kernels that were generated");
    table_columns(table, generated_kernels_columns);
    for (uint32_t i = 0; i < kinds.count; i++) {
        put(table, &kinds.at[i], report_arena(report));
        buf_free(&kinds.at[i].ids);
    }
    mem_free(kinds.at);
    intern_free(kinds.keys);
}
