/* SPDX-License-Identifier: Apache-2.0 */
#include "cause_facts.h"

#include "base/sort.h"
#include "base/stat.h"
#include "ops/words/family.h"

enum {
    LONG_NS = 1000 * 1000, /* no launch takes this long by itself */
    TIMES_MEDIAN = 100,
    NO_CACHE_LEAST = 20, /* requests for memory from which a habit can be told */
};

struct cause_facts {
    const struct trace *trace;
    struct arena *arena;
    const uint32_t *first;      /* by text: the first row of that name; ROW_NONE. NULL: nobody has asked */
    int64_t *long_launch;       /* by text: long_launch_ns; 0: nobody has asked */
    uint8_t *convolutions;      /* by text: whether it names a convolution of a library */
    bool no_cache, knows_cache; /* nothing is kept of memory; somebody has asked for it */
    uint32_t asked;             /* the operator asked last whether it frees and asks again; ROW_NONE */
    bool retries;
};

/* ---- first uses ---- */

static const uint32_t *first_rows(const struct trace *trace, struct arena *arena)
{
    const uint32_t texts = trace_text_count(trace);
    uint32_t *first = arena_array(arena, texts, sizeof *first);
    memset(first, 0xFF, texts * sizeof *first); /* ROW_NONE */
    for (uint32_t row = 0; row < trace->count; row++) {
        uint32_t *known = &first[trace->name[row]];
        if (*known == ROW_NONE || trace->start_ns[row] < trace->start_ns[*known])
            *known = row;
    }
    return first;
}

static uint32_t first_of_name(struct cause_facts *facts, uint32_t row)
{
    if (!facts->first)
        facts->first = first_rows(facts->trace, facts->arena);
    return facts->first[facts->trace->name[row]];
}

/* ---- launches that are too long ---- */

static bool is_long_launch(const struct trace *trace, uint32_t row)
{
    return trace->kind[row] == EVENT_RUNTIME && trace->cause[row] != ROW_NONE && trace->dur_ns[row] >= LONG_NS;
}

static int64_t median_of_name(const struct trace *trace, uint32_t name, struct arena *arena)
{
    int64_t *durations = arena_room(arena, trace->count, sizeof *durations);
    size_t count = 0;
    for (uint32_t row = 0; row < trace->count; row++)
        if (trace->kind[row] == EVENT_RUNTIME && trace->name[row] == name)
            durations[count++] = trace->dur_ns[row];
    sort_values(durations, count);
    return (int64_t)stat_quantile(durations, count, 0.5);
}

/* From where on a launch of that name is too long. Names of launches are few, and those with a long one fewer. */
static int64_t long_launch_ns(struct cause_facts *facts, uint32_t name)
{
    int64_t *known = &facts->long_launch[name];
    if (!*known) {
        struct arena scratch = {0};
        const int64_t least = TIMES_MEDIAN * median_of_name(facts->trace, name, &scratch);
        *known = least > LONG_NS ? least : LONG_NS;
        arena_free(&scratch);
    }
    return *known;
}

static bool loads_a_module(struct cause_facts *facts, uint32_t row)
{
    const struct trace *trace = facts->trace;
    if (!is_long_launch(trace, row) || trace->dur_ns[row] < long_launch_ns(facts, trace->name[row]))
        return false;
    return first_of_name(facts, trace->cause[row]) == trace->cause[row];
}

/* ---- memory ---- */

static bool asks(str name)
{
    return str_eq(name, S("cudaMalloc")) || str_eq(name, S("hipMalloc"));
}

static bool gives_back(str name)
{
    return str_eq(name, S("cudaFree")) || str_eq(name, S("hipFree"));
}

enum { ASKS = 1, MAKES, GIVES_BACK }; /* of a text */

static const uint8_t *memory_words(const struct trace *trace, struct arena *scratch)
{
    const uint32_t texts = trace_text_count(trace);
    uint8_t *words = arena_array(scratch, texts, sizeof *words);
    for (uint32_t text = 0; text < texts; text++) {
        const str name = trace_text(trace, text);
        words[text] = asks(name)                           ? ASKS
                      : gives_back(name)                   ? GIVES_BACK
                      : str_starts(name, S("aten::empty")) ? MAKES
                                                           : 0;
    }
    return words;
}

/* Nothing is given back that was not asked for: a cache that is emptied gives back more. */
static bool finds_no_cache(const struct trace *trace)
{
    struct arena scratch = {0};
    const uint8_t *words = memory_words(trace, &scratch);
    uint64_t asked = 0, made = 0, freed = 0;
    for (uint32_t row = 0; row < trace->count; row++) {
        const uint8_t word = words[trace->name[row]];
        asked += word == ASKS && trace->kind[row] == EVENT_RUNTIME;
        freed += word == GIVES_BACK && trace->kind[row] == EVENT_RUNTIME;
        made += word == MAKES && trace->kind[row] == EVENT_OPERATOR;
    }
    arena_free(&scratch);
    return asked >= NO_CACHE_LEAST && 2 * asked >= made && 10 * freed <= 11 * asked;
}

static bool has_no_cache(struct cause_facts *facts)
{
    if (!facts->knows_cache)
        facts->no_cache = finds_no_cache(facts->trace);
    facts->knows_cache = true;
    return facts->no_cache;
}

/* In the operator memory is freed, and asked for after that. */
static bool frees_and_asks(const struct trace *trace, uint32_t around)
{
    const struct rows rows = trace_rows(trace, trace->lane[around], NEST_CALLS);
    bool freed = false;
    for (uint32_t i = trace_first_from(trace, rows, trace->start_ns[around]); i < rows.count; i++) {
        if (trace->start_ns[rows.at[i]] >= trace_end_ns(trace, around))
            return false;
        const str name = trace_name(trace, rows.at[i]);
        if (freed && asks(name))
            return true;
        freed |= gives_back(name);
    }
    return false;
}

static bool retries(struct cause_facts *facts, uint32_t row)
{
    const uint32_t around = facts->trace->parent[row];
    if (around != ROW_NONE && around != facts->asked)
        facts->retries = frees_and_asks(facts->trace, around);
    facts->asked = around;
    return around != ROW_NONE && facts->retries;
}

/* The product or convolution around a call; ROW_NONE. */
static uint32_t product_around(const struct trace *trace, uint32_t row)
{
    uint32_t at = trace->parent[row];
    while (at != ROW_NONE &&
           !(trace->kind[at] == EVENT_OPERATOR && family_is_matrix(family_of_name(trace_name(trace, at)))))
        at = trace->parent[at];
    return at;
}

/* The product that gives memory back first of all: nothing can have to be given back yet, a library begins. */
static bool starts_library(struct cause_facts *facts, uint32_t row)
{
    const uint32_t product = product_around(facts->trace, row);
    return product != ROW_NONE && product == product_around(facts->trace, first_of_name(facts, row));
}

static enum cause memory_cause(struct cause_facts *facts, uint32_t row)
{
    const str name = trace_name(facts->trace, row);
    if (!asks(name) && starts_library(facts, row))
        return CAUSE_START;
    if ((asks(name) || gives_back(name)) && has_no_cache(facts))
        return CAUSE_NO_CACHE;
    return retries(facts, row) ? CAUSE_RETRY : CAUSE_ALLOCATION;
}

/* ---- search ---- */

enum { TRIED = 4 }; /* kernels of different names in one convolution: algorithms that are tried */

enum { CONVOLUTION = 1, NO_CONVOLUTION }; /* of a text; 0: not judged */

static bool is_convolution(struct cause_facts *facts, uint32_t name)
{
    uint8_t *known = &facts->convolutions[name];
    if (!*known) {
        const str text = trace_text(facts->trace, name);
        const bool is =
            str_starts(text, S("aten::cudnn_convolution")) || str_starts(text, S("aten::miopen_convolution"));
        *known = is ? CONVOLUTION : NO_CONVOLUTION;
    }
    return *known == CONVOLUTION;
}

struct tried {
    uint32_t names[TRIED];
    uint32_t count;
};

static void note_kernels(const struct trace *trace, uint32_t call, struct tried *tried)
{
    const struct rows work = trace_caused(trace, call);
    for (uint32_t i = 0; i < work.count && tried->count < TRIED; i++) {
        uint32_t at = 0;
        while (at < tried->count && tried->names[at] != trace->name[work.at[i]])
            at++;
        if (at == tried->count && trace->kind[work.at[i]] == EVENT_KERNEL)
            tried->names[tried->count++] = trace->name[work.at[i]];
    }
}

/* Several kernels of different names, and memory asked for them in between. */
static bool searches(const struct trace *trace, uint32_t op)
{
    const struct rows rows = trace_rows(trace, trace->lane[op], NEST_CALLS);
    struct tried tried = {.count = 0};
    bool asked = false;
    for (uint32_t i = trace_first_from(trace, rows, trace->start_ns[op]); i < rows.count; i++) {
        if (trace->start_ns[rows.at[i]] >= trace_end_ns(trace, op) || (asked && tried.count == TRIED))
            break;
        asked |= asks(trace_name(trace, rows.at[i]));
        note_kernels(trace, rows.at[i], &tried);
    }
    return asked && tried.count == TRIED;
}

/* ---- all ---- */

struct cause_facts *cause_facts_new(const struct trace *trace, struct arena *arena)
{
    struct cause_facts *facts = arena_alloc(arena, sizeof *facts);
    *facts =
        (struct cause_facts){.trace = trace,
                             .arena = arena,
                             .convolutions = arena_array(arena, trace_text_count(trace), 1),
                             .long_launch = arena_array(arena, trace_text_count(trace), sizeof *facts->long_launch),
                             .asked = ROW_NONE};
    return facts;
}

enum cause cause_refined(struct cause_facts *facts, uint32_t row, enum cause cause)
{
    if (cause == CAUSE_ALLOCATION)
        return memory_cause(facts, row);
    if (cause != CAUSE_NONE)
        return cause;
    const struct trace *trace = facts->trace;
    if (trace->kind[row] == EVENT_OPERATOR && is_convolution(facts, trace->name[row]) && searches(trace, row))
        return CAUSE_SEARCH;
    return loads_a_module(facts, row) ? CAUSE_MODULES : cause;
}
