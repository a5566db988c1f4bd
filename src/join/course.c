/* SPDX-License-Identifier: Apache-2.0 */
#include "course.h"

#include "base/hash.h"

enum { DEEPEST = 120, NO_LOOP = UINT32_MAX };

/* Jumps to a place that is not known yet: through `to`, the place of the one before. */
struct pending {
    uint32_t last; /* NO_LOOP: none */
};

struct writing {
    const struct syntax *tree;
    struct arena *arena;
    struct course course;
    uint32_t depth;
    uint32_t loop;               /* in brackets, the innermost */
    uint32_t head;               /* of the innermost loop of statements: where `continue` goes */
    struct pending breaks, ends; /* of the innermost loop; of the function */
};

static void write_node(struct writing *w, uint32_t node);

/* ---- steps ---- */

static uint32_t here(const struct writing *w)
{
    return w->course.count;
}

static uint32_t put(struct writing *w, enum course_op op, uint32_t node)
{
    struct course *const course = &w->course;
    course->steps = arena_one_more(w->arena, course->steps, course->count, sizeof *course->steps);
    course->steps[course->count] = (struct course_step){op, NO_LOOP, node, w->loop, COURSE_NO_NAME};
    return course->count++;
}

static void land(struct writing *w, uint32_t step)
{
    w->course.steps[step].to = here(w);
}

static void put_to(struct writing *w, enum course_op op, uint32_t to)
{
    const uint32_t step = put(w, op, 0);
    w->course.steps[step].to = to;
}

static void put_pending(struct writing *w, struct pending *pending)
{
    const uint32_t step = put(w, COURSE_JUMP, 0);
    w->course.steps[step].to = pending->last;
    pending->last = step;
}

static void land_all(struct writing *w, struct pending *pending)
{
    for (uint32_t step = pending->last, before; step != NO_LOOP; step = before) {
        before = w->course.steps[step].to;
        land(w, step);
    }
}

static int64_t hash_of(str text)
{
    return (int64_t)hash_bytes(text.at, text.len);
}

static uint32_t name_of(struct writing *w, str name)
{
    struct course *const course = &w->course;
    const uint32_t known = map_get(&course->by_name, hash_of(name));
    if (known != MAP_NONE)
        return known;
    course->names = arena_one_more(w->arena, course->names, course->name_count, sizeof *course->names);
    course->names[course->name_count] = name;
    map_put(&course->by_name, hash_of(name), course->name_count);
    return course->name_count++;
}

/* ---- expressions ---- */

static void write_children(struct writing *w, uint32_t node)
{
    for (uint32_t child = syntax_first(w->tree, node); child != SYNTAX_NONE; child = syntax_next(w->tree, child))
        write_node(w, child);
}

/* Of these types nothing is asked that takes time, and their calls have no frame. */
static bool is_free(str name)
{
    static const char *const names[] = {"range", "enumerate", "zip",  "map",   "filter", "reversed",
                                        "int",   "float",     "bool", "slice", "super"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

static void write_call(struct writing *w, uint32_t node)
{
    const uint32_t callee = syntax_first(w->tree, node);
    const str name = syntax_tail(w->tree, callee);
    write_children(w, node);
    if (w->tree->kind[callee] == SYN_NAME && is_free(name))
        return;
    const uint32_t number = name.len ? name_of(w, name) : (uint32_t)COURSE_NO_NAME;
    const uint32_t step = put(w, COURSE_CALL, node);
    w->course.steps[step].name = number;
}

/* Clauses from `clause` on, and within the innermost the element. */
static void write_clauses(struct writing *w, uint32_t loop, uint32_t clause, uint32_t head)
{
    const struct syntax *const tree = w->tree;
    if (clause == SYNTAX_NONE || w->depth >= DEEPEST) {
        w->course.is_whole &= clause == SYNTAX_NONE;
        write_node(w, syntax_first(tree, loop));
        put_to(w, COURSE_JUMP, head);
        return;
    }
    w->depth++;
    if (tree->kind[clause] == SYN_COMP_IF) {
        write_children(w, clause);
        put_to(w, COURSE_SPLIT, head);
        write_clauses(w, loop, syntax_next(tree, clause), head);
    } else {
        write_node(w, syntax_last_child(tree, clause));
        const uint32_t inner = put(w, COURSE_SPLIT, 0);
        write_clauses(w, loop, syntax_next(tree, clause), inner);
        land(w, inner);
        put_to(w, COURSE_JUMP, head);
    }
    w->depth--;
}

/* What the first clause goes over is made before the loop begins. */
static void write_loop(struct writing *w, uint32_t node)
{
    const struct syntax *const tree = w->tree;
    const uint32_t clause = tree->size[node] > 1 ? syntax_next(tree, syntax_first(tree, node)) : SYNTAX_NONE;
    const uint32_t around = w->loop;
    if (clause == SYNTAX_NONE)
        return;
    write_node(w, syntax_last_child(tree, clause));
    if (!course_is_loop(tree, node))
        return; /* a generator has a frame */
    w->course.loops++;
    w->loop = node;
    put(w, COURSE_ENTER, node);
    const uint32_t head = put(w, COURSE_SPLIT, 0);
    write_clauses(w, node, syntax_next(tree, clause), head);
    land(w, head);
    put(w, COURSE_LEAVE, node);
    w->loop = around;
}

/* `then`, or not; `otherwise` where that is given. */
static void write_choice(struct writing *w, uint32_t then, uint32_t otherwise)
{
    const uint32_t split = put(w, COURSE_SPLIT, 0);
    write_node(w, then);
    if (otherwise == SYNTAX_NONE) {
        land(w, split);
        return;
    }
    const uint32_t jump = put(w, COURSE_JUMP, 0);
    land(w, split);
    write_node(w, otherwise);
    land(w, jump);
}

/* ---- statements ---- */

/* The last child before the others: a value before its targets. */
static void write_value_first(struct writing *w, uint32_t node)
{
    const uint32_t last = syntax_last_child(w->tree, node);
    write_node(w, last);
    for (uint32_t child = syntax_first(w->tree, node); child != last; child = syntax_next(w->tree, child))
        write_node(w, child);
}

/* From the test or the next element on; `first` is made once, `test` each time. */
static void write_statement_loop(struct writing *w, uint32_t first, uint32_t test, uint32_t node, uint32_t block)
{
    const uint32_t head_around = w->head;
    const struct pending breaks_around = w->breaks;
    if (first != SYNTAX_NONE)
        write_node(w, first);
    w->head = here(w);
    w->breaks.last = NO_LOOP;
    if (test != SYNTAX_NONE)
        write_node(w, test);
    const uint32_t split = put(w, COURSE_SPLIT, 0);
    write_node(w, syntax_child(w->tree, node, block));
    put_to(w, COURSE_JUMP, w->head);
    land(w, split);
    write_node(w, syntax_child(w->tree, node, block + 1));
    land_all(w, &w->breaks);
    w->head = head_around;
    w->breaks = breaks_around;
}

/* What is raised in a block is followed from its begin and from its end alone. */
static void write_try(struct writing *w, uint32_t node)
{
    const struct syntax *const tree = w->tree;
    const uint32_t split = put(w, COURSE_SPLIT, 0);
    struct pending done = {NO_LOOP};
    write_node(w, syntax_first(tree, node));
    for (uint32_t part = syntax_next(tree, syntax_first(tree, node)); part != SYNTAX_NONE;
         part = syntax_next(tree, part))
        if (tree->kind[part] == SYN_ELSE)
            write_node(w, part);
    put_pending(w, &done);
    land(w, split);
    for (uint32_t part = syntax_next(tree, syntax_first(tree, node)); part != SYNTAX_NONE;
         part = syntax_next(tree, part)) {
        if (tree->kind[part] != SYN_EXCEPT)
            continue;
        const uint32_t next = put(w, COURSE_SPLIT, 0);
        write_children(w, part);
        put_pending(w, &done);
        land(w, next);
    }
    land_all(w, &done);
    for (uint32_t part = syntax_first(tree, node); part != SYNTAX_NONE; part = syntax_next(tree, part))
        if (tree->kind[part] == SYN_FINALLY)
            write_node(w, part);
}

static void write_match(struct writing *w, uint32_t node)
{
    const struct syntax *const tree = w->tree;
    struct pending done = {NO_LOOP};
    write_node(w, syntax_first(tree, node));
    for (uint32_t part = syntax_next(tree, syntax_first(tree, node)); part != SYNTAX_NONE;
         part = syntax_next(tree, part)) {
        const uint32_t next = put(w, COURSE_SPLIT, 0);
        write_node(w, syntax_child(tree, part, 1));
        write_node(w, syntax_child(tree, part, 2));
        put_pending(w, &done);
        land(w, next);
    }
    land_all(w, &done);
}

static void write_leap(struct writing *w, uint32_t node)
{
    switch ((enum syntax_kind)w->tree->kind[node]) {
    case SYN_BREAK:
        if (w->head != NO_LOOP)
            put_pending(w, &w->breaks);
        break;
    case SYN_CONTINUE:
        if (w->head != NO_LOOP)
            put_to(w, COURSE_JUMP, w->head);
        break;
    default: /* return, raise */
        write_children(w, node);
        put_pending(w, &w->ends);
    }
}

/* ---- any node ---- */

static void write_kind(struct writing *w, uint32_t node)
{
    const struct syntax *const tree = w->tree;
    switch ((enum syntax_kind)tree->kind[node]) {
    case SYN_FUNCTION:
    case SYN_CLASS:
    case SYN_DECORATED:
    case SYN_LAMBDA:
    case SYN_ERROR:
        break;
    case SYN_CALL:
        write_call(w, node);
        break;
    case SYN_LIST_COMP:
    case SYN_SET_COMP:
    case SYN_DICT_COMP:
    case SYN_GENERATOR:
        write_loop(w, node);
        break;
    case SYN_IF:
        write_node(w, syntax_child(tree, node, 0));
        write_choice(w, syntax_child(tree, node, 1), syntax_child(tree, node, 2));
        break;
    case SYN_CONDITIONAL:
        write_node(w, syntax_child(tree, node, 1));
        write_choice(w, syntax_child(tree, node, 0), syntax_child(tree, node, 2));
        break;
    case SYN_BOOL:
        write_node(w, syntax_child(tree, node, 0));
        write_choice(w, syntax_child(tree, node, 1), SYNTAX_NONE);
        break;
    case SYN_FOR:
        write_statement_loop(w, syntax_child(tree, node, 1), SYNTAX_NONE, node, 2);
        break;
    case SYN_WHILE:
        write_statement_loop(w, SYNTAX_NONE, syntax_child(tree, node, 0), node, 1);
        break;
    case SYN_TRY:
        write_try(w, node);
        break;
    case SYN_MATCH:
        write_match(w, node);
        break;
    case SYN_ASSIGN:
    case SYN_ANN_ASSIGN:
        write_value_first(w, node);
        break;
    case SYN_RETURN:
    case SYN_RAISE:
    case SYN_BREAK:
    case SYN_CONTINUE:
        write_leap(w, node);
        break;
    default:
        write_children(w, node);
    }
}

static void write_node(struct writing *w, uint32_t node)
{
    if (node == SYNTAX_NONE || w->tree->size[node] == 1) {
        if (node != SYNTAX_NONE)
            write_kind(w, node);
        return;
    }
    if (++w->depth > DEEPEST)
        w->course.is_whole = false;
    else
        write_kind(w, node);
    w->depth--;
}

/* ---- whole ---- */

struct course course_of(const struct syntax *tree, uint32_t function, struct arena *arena)
{
    struct writing w = {.tree = tree, .arena = arena, .head = NO_LOOP, .breaks = {NO_LOOP}, .ends = {NO_LOOP}};
    w.course.is_whole = true;
    if (tree->kind[function] == SYN_FUNCTION)
        write_node(&w, syntax_last_child(tree, function));
    else
        write_children(&w, function);
    land_all(&w, &w.ends);
    put(&w, COURSE_END, 0);
    return w.course;
}

void course_free(struct course *course)
{
    map_free(&course->by_name);
}

uint32_t course_name(const struct course *course, str name)
{
    const uint32_t number = map_get(&course->by_name, hash_of(name));
    return number != MAP_NONE && str_eq(course->names[number], name) ? number : (uint32_t)COURSE_NO_NAME;
}
