/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"

#include <string.h>

#include "base/mem.h"

enum { ANY = UINT8_MAX };

/* How many children a kind has. Where fewer came than `least`, and `pads`, absent ones stand in at the end. */
struct layout {
    uint8_t least, most;
    bool pads;
};

static const struct layout layouts[SYNTAX_KINDS] = {
    [SYN_ABSENT] = {0, 0, false},
    [SYN_ERROR] = {0, 0, false},
    [SYN_MODULE] = {0, ANY, false},
    [SYN_BLOCK] = {0, ANY, false},
    [SYN_FUNCTION] = {4, 4, false},
    [SYN_CLASS] = {3, 3, false},
    [SYN_DECORATED] = {2, ANY, false},
    [SYN_IF] = {3, 3, true},
    [SYN_FOR] = {4, 4, true},
    [SYN_WHILE] = {3, 3, true},
    [SYN_WITH] = {2, ANY, false},
    [SYN_TRY] = {3, ANY, false},
    [SYN_EXCEPT] = {3, 3, false},
    [SYN_ELSE] = {1, 1, false},
    [SYN_FINALLY] = {1, 1, false},
    [SYN_MATCH] = {1, ANY, false},
    [SYN_CASE] = {3, 3, false},
    [SYN_RETURN] = {1, 1, true},
    [SYN_RAISE] = {0, ANY, false},
    [SYN_DELETE] = {1, ANY, false},
    [SYN_ASSERT] = {2, 2, true},
    [SYN_ASSIGN] = {2, ANY, false},
    [SYN_AUG_ASSIGN] = {2, 2, false},
    [SYN_ANN_ASSIGN] = {3, 3, true},
    [SYN_IMPORT] = {1, ANY, false},
    [SYN_FROM_IMPORT] = {1, ANY, false},
    [SYN_GLOBAL] = {1, ANY, false},
    [SYN_NONLOCAL] = {1, ANY, false},
    [SYN_EXPR] = {1, 1, false},
    [SYN_PASS] = {0, 0, false},
    [SYN_BREAK] = {0, 0, false},
    [SYN_CONTINUE] = {0, 0, false},
    [SYN_OTHER] = {0, 0, false},
    [SYN_PARAMETERS] = {0, ANY, false},
    [SYN_PARAMETER] = {3, 3, true},
    [SYN_WITH_ITEM] = {2, 2, true},
    [SYN_ALIAS] = {2, 2, true},
    [SYN_NAME] = {0, 0, false},
    [SYN_ATTRIBUTE] = {2, 2, false},
    [SYN_CALL] = {2, 2, false},
    [SYN_ARGUMENTS] = {0, ANY, false},
    [SYN_KEYWORD] = {2, 2, false},
    [SYN_SUBSCRIPT] = {2, 2, false},
    [SYN_SLICE] = {3, 3, true},
    [SYN_BINARY] = {2, 2, false},
    [SYN_UNARY] = {1, 1, false},
    [SYN_NOT] = {1, 1, false},
    [SYN_BOOL] = {2, 2, false},
    [SYN_COMPARE] = {2, ANY, false},
    [SYN_CONDITIONAL] = {3, 3, false},
    [SYN_LAMBDA] = {2, 2, false},
    [SYN_NAMED] = {2, 2, false},
    [SYN_LIST] = {0, ANY, false},
    [SYN_TUPLE] = {0, ANY, false},
    [SYN_SET] = {0, ANY, false},
    [SYN_DICT] = {0, ANY, false},
    [SYN_PAIR] = {2, 2, false},
    [SYN_LIST_COMP] = {2, ANY, false},
    [SYN_SET_COMP] = {2, ANY, false},
    [SYN_DICT_COMP] = {2, ANY, false},
    [SYN_GENERATOR] = {2, ANY, false},
    [SYN_COMP_FOR] = {2, 2, false},
    [SYN_COMP_IF] = {1, 1, false},
    [SYN_STRING] = {0, ANY, false},
    [SYN_INTERPOLATION] = {1, 1, false},
    [SYN_INTEGER] = {0, 0, false},
    [SYN_FLOAT] = {0, 0, false},
    [SYN_TRUE] = {0, 0, false},
    [SYN_FALSE] = {0, 0, false},
    [SYN_NONE] = {0, 0, false},
    [SYN_ELLIPSIS] = {0, 0, false},
    [SYN_STARRED] = {1, 1, false},
    [SYN_DOUBLE_STARRED] = {1, 1, false},
    [SYN_AWAIT] = {1, 1, false},
    [SYN_YIELD] = {1, 1, true},
};

bool build_is_compound(enum syntax_kind kind)
{
    switch (kind) {
    case SYN_FUNCTION:
    case SYN_CLASS:
    case SYN_DECORATED:
    case SYN_IF:
    case SYN_FOR:
    case SYN_WHILE:
    case SYN_WITH:
    case SYN_TRY:
    case SYN_EXCEPT:
    case SYN_ELSE:
    case SYN_FINALLY:
    case SYN_MATCH:
    case SYN_CASE:
        return true;
    default:
        return false;
    }
}

bool build_is_list(enum syntax_kind kind)
{
    switch (kind) {
    case SYN_MODULE:
    case SYN_BLOCK:
    case SYN_PARAMETERS:
    case SYN_ARGUMENTS:
    case SYN_LIST:
    case SYN_TUPLE:
    case SYN_SET:
    case SYN_DICT:
    case SYN_STRING:
        return true;
    default:
        return false;
    }
}

/* --- adding nodes ------------------------------------------------------------------------------------------------ */

static void grow(struct build *build)
{
    const size_t need = (size_t)build->count + 1;
    size_t room = build->room;
    build->kind = mem_grow(build->kind, &room, need, sizeof *build->kind);
    room = build->room;
    build->op = mem_grow(build->op, &room, need, sizeof *build->op);
    uint32_t **const columns[] = {&build->begin, &build->end, &build->parent, &build->size};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        room = build->room;
        *columns[i] = mem_grow(*columns[i], &room, need, sizeof **columns[i]);
    }
    build->room = room;
}

static void note_error(struct build *build, uint32_t at)
{
    if (at < build->error_at)
        build->error_at = at;
}

static uint32_t add(struct build *build, enum syntax_kind kind, uint32_t begin, uint32_t end)
{
    if (build->count == build->room)
        grow(build);
    const uint32_t node = build->count++;
    build->kind[node] = (uint8_t)kind;
    build->op[node] = OP_NONE;
    build->begin[node] = begin;
    build->end[node] = end;
    build->size[node] = 1;
    build->parent[node] = 0; /* the root is its own: who climbs too far stays in the tree */
    if (kind == SYN_ERROR)
        note_error(build, begin);
    if (build->open_count) {
        struct build_open *top = build_top(build);
        build->parent[node] = top->node;
        top->children++;
        top->last = node;
    }
    return node;
}

uint32_t build_open(struct build *build, enum syntax_kind kind, uint32_t begin, uint32_t end)
{
    const uint32_t node = add(build, kind, begin, end);
    build->open = mem_grow(build->open, &build->open_room, build->open_count + 1, sizeof *build->open);
    build->open[build->open_count++] = (struct build_open){.node = node, .last = SYNTAX_NONE};
    return node;
}

/* The open nodes lie one behind the other: each takes the place of the next, and the new one that of the first. */
void build_open_around(struct build *build, size_t around, enum syntax_kind kind, uint32_t inner)
{
    build_open(build, kind, inner, inner);
    const uint32_t first = build->count - 1 - (uint32_t)around;
    for (uint32_t node = build->count - 1; node > first; node--) {
        build->kind[node] = build->kind[node - 1];
        build->op[node] = build->op[node - 1];
        build->end[node] = build->end[node - 1];
        build->begin[node] = inner;
    }
    build->kind[first] = (uint8_t)kind;
    build->op[first] = OP_NONE;
    struct build_open *open = &build->open[build->open_count - 1];
    for (; around; around--, open--) {
        open->tuple = open[-1].tuple;
        open->tuple_at = open[-1].tuple_at;
    }
    open->tuple = (struct span_of_text){0};
}

void build_start(struct build *build, uint32_t bytes)
{
    *build = (struct build){.error_at = UINT32_MAX};
    build_open(build, SYN_MODULE, 0, bytes);
}

/* The place behind what the innermost open node holds so far; of a bare `except` that behind the word. */
static uint32_t place_behind(const struct build *build)
{
    const struct build_open *top = build_top(build);
    if (top->last != SYNTAX_NONE)
        return build->end[top->last];
    const uint32_t word = build->kind[top->node] == SYN_EXCEPT ? (uint32_t)strlen("except") : 0;
    return build->begin[top->node] + word;
}

static void fill_at(struct build *build, uint32_t count, uint32_t at)
{
    while (build_top(build)->children < count)
        add(build, SYN_ABSENT, at, at);
}

void build_fill(struct build *build, uint32_t count)
{
    fill_at(build, count, place_behind(build));
}

void build_stray(struct build *build, uint32_t at)
{
    build->stray++;
    note_error(build, at);
}

void build_spoil(struct build *build, size_t depth)
{
    struct build_open *open = &build->open[depth];
    const uint32_t node = open->node;
    *open = (struct build_open){.node = node, .last = SYNTAX_NONE};
    build->open_count = depth + 1;
    build->count = node + 1;
    build->kind[node] = SYN_ERROR;
    build->op[node] = OP_NONE;
    while (build->parens_count && build->parens[build->parens_count - 1].node > node)
        build->parens_count--;
    note_error(build, build->begin[node]);
}

/* --- closing ------------------------------------------------------------------------------------------------------ */

/* A try ends with SYN_ELSE or absent and SYN_FINALLY or absent. */
static void complete_try(struct build *build)
{
    const struct build_open *top = build_top(build);
    const enum syntax_kind last = top->last == SYNTAX_NONE ? SYN_BLOCK : build->kind[top->last];
    if (last != SYN_FINALLY)
        build_fill(build, top->children + (last == SYN_ELSE ? 1 : 2));
}

static bool ends_with_children(enum syntax_kind kind)
{
    return kind == SYN_BLOCK || build_is_compound(kind);
}

/* What does not have the layout of its kind is an error, so that nobody has to expect it. */
static void close_top(struct build *build)
{
    const struct build_open *top = build_top(build);
    const uint32_t node = top->node;
    const enum syntax_kind kind = build->kind[node];
    const struct layout *layout = &layouts[kind];
    if (ends_with_children(kind) && top->last != SYNTAX_NONE)
        build->end[node] = build->end[top->last];
    if (kind == SYN_TRY)
        complete_try(build);
    if (kind == SYN_BLOCK && !top->children) /* the grammar lets it pass, Python does not */
        build_stray(build, build->begin[node]);
    if (layout->pads)
        fill_at(build, layout->least, build->end[node]);
    if (top->children < layout->least || (layout->most != ANY && top->children > layout->most))
        build_spoil(build, build->open_count - 1);
    build->size[node] = build->count - node;
    build->open_count--;
}

void build_close_to(struct build *build, size_t depth)
{
    while (build->open_count > depth)
        close_top(build);
}

uint32_t build_leaf(struct build *build, enum syntax_kind kind, uint32_t begin, uint32_t end)
{
    if (!layouts[kind].pads)
        return add(build, kind, begin, end);
    const uint32_t node = build_open(build, kind, begin, end);
    build_close_to(build, build->open_count - 1);
    return node;
}

/* --- errors, and what stands beside the tree ----------------------------------------------------------------------- */

void build_parens(struct build *build, uint32_t begin, uint32_t end)
{
    build->parens = mem_grow(build->parens, &build->parens_room, build->parens_count + 1, sizeof *build->parens);
    build->parens[build->parens_count++] = (struct syntax_parens){build->count, begin, end};
}

/* --- the end -------------------------------------------------------------------------------------------------------- */

static uint32_t errors(const struct build *build)
{
    uint32_t count = build->stray;
    if (build->error_at != UINT32_MAX)
        for (uint32_t node = 0; node < build->count; node++)
            count += build->kind[node] == SYN_ERROR;
    return count;
}

void build_finish(struct build *build, struct arena *arena, struct syntax *tree)
{
    build_close_to(build, 0);
    tree->count = build->count;
    tree->error_count = errors(build);
    tree->error_at = tree->error_count ? build->error_at : 0;
    tree->kind = arena_move(arena, build->kind, build->count);
    tree->op = arena_move(arena, build->op, build->count);
    tree->begin = arena_move(arena, build->begin, build->count * sizeof *tree->begin);
    tree->end = arena_move(arena, build->end, build->count * sizeof *tree->end);
    tree->parent = arena_move(arena, build->parent, build->count * sizeof *tree->parent);
    tree->size = arena_move(arena, build->size, build->count * sizeof *tree->size);
    tree->parens = arena_move(arena, build->parens, build->parens_count * sizeof *tree->parens);
    tree->parens_count = (uint32_t)build->parens_count;
    mem_free(build->open);
    *build = (struct build){0};
}
