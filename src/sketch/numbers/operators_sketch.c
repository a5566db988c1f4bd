/* SPDX-License-Identifier: Apache-2.0 */
#include "operators_sketch.h"

#include "base/error.h"
#include "base/intern.h"

/* Each name once, as it first comes. */
static void code_names(struct code *code, struct operator_paths *paths)
{
    struct intern *known = intern_new();
    uint32_t names = 1; /* the empty one */
    str *read = code_reads(code) ? arena_array(code->arena, (size_t)paths->count + 1, sizeof *read) : NULL;
    for (uint32_t i = 0; i < paths->count; i++) {
        uint32_t name = read ? 0 : intern_id(known, paths->at[i].name);
        code_small(code, &name, names + 1);
        if (name == names) {
            str text = read ? S("") : paths->at[i].name;
            code_kept(code, &text);
            if (read)
                read[names] = text;
            names++;
        }
        if (read)
            paths->at[i].name = read[name];
    }
    intern_free(known);
}

static void code_parents(struct code *code, struct operator_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        int64_t up = paths->at[i].parent == PATH_OUTERMOST ? 0 : (int64_t)paths->at[i].parent + 1;
        code_int(code, &up, 0, 0, i);
        paths->at[i].parent = up ? (uint32_t)(up - 1) : PATH_OUTERMOST;
    }
}

static void code_sums(struct code *code, struct operator_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        code_bits(code, &paths->at[i].calls);
    for (uint32_t i = 0; i < paths->count; i++)
        code_int(code, &paths->at[i].host_ns, 0, INT64_MIN, INT64_MAX);
    for (uint32_t i = 0; i < paths->count; i++)
        code_int(code, &paths->at[i].device_ns, 0, INT64_MIN, INT64_MAX);
}

static void code_steps(struct code *code, struct operator_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        if (code_reads(code))
            paths->at[i].step_ns = arena_array(code->arena, code->damaged ? 0 : paths->steps, sizeof(int64_t));
        for (uint32_t step = 0; step < paths->steps && !code->damaged; step++)
            code_int(code, &paths->at[i].step_ns[step], step ? paths->at[i].step_ns[step - 1] : 0, INT64_MIN,
                     INT64_MAX);
    }
}

static void code_paths(struct code *code, struct operator_paths *paths)
{
    code_bool(code, &paths->device);
    code_u32(code, &paths->found, 0);
    code_count(code, &paths->count);
    if (paths->count)
        code_count(code, &paths->steps);
    if (code_reads(code))
        paths->at = arena_array(code->arena, paths->count, sizeof *paths->at);
    code_names(code, paths);
    code_parents(code, paths);
    code_sums(code, paths);
    code_steps(code, paths);
}

/* The first so many, which hold all that their paths lead through. */
static bool fits(const struct operator_paths *paths, uint32_t count, struct buf *bytes)
{
    struct operator_paths first = *paths;
    struct code code = code_writer(bytes);
    first.count = count;
    bytes->len = 0;
    code_paths(&code, &first);
    return bytes->len <= SKETCH_OPERATOR_BYTES;
}

str operators_sketch_write(const struct operator_paths *paths, struct arena *arena)
{
    struct buf bytes = {0};
    uint32_t count = paths->count;
    while (!fits(paths, count, &bytes))
        count = (uint32_t)((uint64_t)count * 3 / 4);
    const str section = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    return section;
}

bool operators_sketch_read(const struct sketch *sketch, struct arena *arena, struct operator_paths *out,
                           struct steptime_error *err)
{
    struct code code = sketch_section(sketch, SKETCH_OPERATORS, arena);
    *out = (struct operator_paths){0};
    code_paths(&code, out);
    return code_whole(&code) || fail(err, STEPTIME_INPUT,
                                     sketch->sections[SKETCH_OPERATORS].len ? "is a damaged sketch"
                                                                            : "is a sketch without operators by path");
}
