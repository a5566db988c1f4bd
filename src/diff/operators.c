/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"

#include <math.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"

struct matching {
    struct intern *names;
    struct map known; /* a path and a name to the path inside */
    struct diff_operator *at;
    size_t count, room;
};

/* `ProfilerStep#12`, `forward_3`: numbers and addresses at the end say which, not what. */
static str without_number(str name)
{
    size_t end = name.len;
    while (end && ((name.at[end - 1] >= '0' && name.at[end - 1] <= '9')))
        end--;
    const bool cut = end && end < name.len && name.at[end - 1] == '#';
    return cut ? (str){name.at, end} : name;
}

static uint32_t path_inside(struct matching *m, uint32_t parent, str name)
{
    const int64_t key = (int64_t)((uint64_t)(parent + 1) << 32 | intern_id(m->names, without_number(name)));
    const uint32_t known = map_get(&m->known, key);
    if (known != MAP_NONE)
        return known;
    m->at = mem_grow(m->at, &m->room, m->count + 1, sizeof *m->at);
    m->at[m->count] = (struct diff_operator){.name = name, .parent = parent};
    map_put(&m->known, key, (uint32_t)m->count);
    return (uint32_t)m->count++;
}

static double own_ns(const struct operator_path *path, bool device)
{
    return device ? (double)path->device_ns : (double)path->host_ns;
}

static void add_rank(struct matching *m, const struct operator_paths *paths, double steps, bool device, bool after)
{
    uint32_t *matched = mem_alloc((paths->count + (size_t)1) * sizeof *matched);
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct operator_path *path = &paths->at[i];
        const uint32_t parent = path->parent == PATH_OUTERMOST ? PATH_OUTERMOST : matched[path->parent];
        matched[i] = path_inside(m, parent, path->name);
        struct diff_operator *operator= & m->at[matched[i]];
        *(after ? &operator->after_ns : &operator->before_ns) += own_ns(path, device) / steps;
        *(after ? &operator->after_host_ns : &operator->before_host_ns) += (double)path->host_ns / steps;
        *(after ? &operator->after_calls : &operator->before_calls) += (double)path->calls / steps;
    }
    mem_free(matched);
}

static void add_side(struct matching *m, const struct diff_side *side, bool device, bool after)
{
    double steps = 0;
    for (uint32_t r = 0; r < side->rank_count; r++)
        steps += side->ranks[r]->paths.steps;
    for (uint32_t r = 0; r < side->rank_count && steps > 0; r++)
        add_rank(m, &side->ranks[r]->paths, steps, device, after);
}

static bool has_device(const struct diff_side *side)
{
    for (uint32_t r = 0; r < side->rank_count; r++)
        if (!side->ranks[r]->paths.device)
            return false;
    return side->rank_count > 0;
}

static bool is_cut(const struct diff_side *side)
{
    for (uint32_t r = 0; r < side->rank_count; r++)
        if (side->ranks[r]->paths.found > side->ranks[r]->paths.count)
            return true;
    return false;
}

static uint32_t *ordered(const struct diff_operators *operators, struct arena *arena)
{
    struct arena scratch = {0};
    struct keyed *pairs = arena_array(&scratch, operators->count, sizeof *pairs);
    uint32_t *order = arena_array(arena, operators->count, sizeof *order);
    for (uint32_t i = 0; i < operators->count; i++)
        pairs[i] = (struct keyed){-llround(fabs(operators->at[i].after_ns - operators->at[i].before_ns)), i};
    sort_keyed(pairs, operators->count);
    for (uint32_t i = 0; i < operators->count; i++)
        order[i] = pairs[i].row;
    arena_free(&scratch);
    return order;
}

static double shared_of(const struct diff_operators *operators)
{
    double all = 0, both = 0;
    for (uint32_t i = 0; i < operators->count; i++) {
        const struct diff_operator *of = &operators->at[i];
        const double ns = fabs(of->before_host_ns) + fabs(of->after_host_ns);
        all += ns;
        both += of->before_calls > 0 && of->after_calls > 0 ? ns : 0;
    }
    return all > 0 ? both / all : NAN;
}

struct diff_operators diff_operators_of(const struct diff_side *before, const struct diff_side *after,
                                        struct arena *arena)
{
    struct matching m = {.names = intern_new()};
    struct diff_operators out = {.device = has_device(before) && has_device(after),
                                 .largest_only = is_cut(before) || is_cut(after)};
    add_side(&m, before, out.device, false);
    add_side(&m, after, out.device, true);
    out.count = (uint32_t)m.count;
    out.at = arena_array(arena, out.count, sizeof *out.at);
    if (out.count)
        memcpy(out.at, m.at, out.count * sizeof *out.at);
    out.by_change = ordered(&out, arena);
    out.shared = before->operators && after->operators ? shared_of(&out) : NAN;
    mem_free(m.at);
    map_free(&m.known);
    intern_free(m.names);
    return out;
}

str diff_operator_path(const struct diff_operators *operators, uint32_t at, struct arena *arena)
{
    enum { MOST = 32 };
    str text = operators->at[at].name;
    int named = 1;
    for (uint32_t up = operators->at[at].parent; up != PATH_OUTERMOST; up = operators->at[up].parent, named++) {
        const str name = operators->at[up].name;
        if (named == MOST)
            return str_printf(arena, "... > %.*s", (int)text.len, text.at);
        text = str_printf(arena, "%.*s > %.*s", (int)name.len, name.at, (int)text.len, text.at);
    }
    return text;
}

str diff_operator_most(const struct diff_operators *operators, double sign, struct arena *arena, double *change_ns)
{
    struct arena scratch = {0};
    struct intern *names = intern_new();
    double *sums = arena_array(&scratch, operators->count + (size_t)2, sizeof *sums);
    str most = S("");
    *change_ns = 0;
    for (uint32_t i = 0; i < operators->count; i++) {
        const struct diff_operator *of = &operators->at[i];
        double *sum = &sums[intern_id(names, of->name)];
        *sum += of->after_ns - of->before_ns;
    }
    for (uint32_t i = 0; i < operators->count; i++) {
        const double sum = sums[intern_id(names, operators->at[i].name)];
        if (sign * sum > sign * *change_ns) {
            most = operators->at[i].name;
            *change_ns = sum;
        }
    }
    intern_free(names);
    arena_free(&scratch);
    return str_copy(arena, most);
}
