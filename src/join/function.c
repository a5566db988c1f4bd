/* SPDX-License-Identifier: Apache-2.0 */
#include "function.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "syntax/syntax.h"

/* A function as a file defines it. */
struct defined {
    str name;
    uint32_t file, node;
    int64_t line, decorated_line, end_line; /* the first two are alike where there is no decorator */
    uint32_t next;                          /* another of the same name; LOCATED_NONE */
};

struct locator {
    const struct lint *lint;
    struct arena arena;
    struct map names; /* hash of a name to the first in `functions` */
    struct defined *functions;
    size_t count, room;
    struct map files; /* hash of a last path component to the first file */
    uint32_t *next_file;
    bool *ran;                /* by file: a frame of the trace fits a function to the line */
    struct map ran_functions; /* (file, function), of those that the trace has frames of */
    struct located_sum sum;
};

/* ---- functions of the files ---- */

static int64_t hash_of(str text)
{
    return (int64_t)hash_bytes(text.at, text.len);
}

static void define(struct locator *locator, uint32_t file, uint32_t node)
{
    const struct syntax *tree = locator->lint->files[file].tree;
    const uint32_t parent = tree->parent[node];
    const bool decorated = tree->kind[parent] == SYN_DECORATED;
    struct defined function = {.name = syntax_text(tree, node + 1), .file = file, .node = node};
    function.line = syntax_place(tree, tree->begin[node]).line;
    function.end_line = syntax_place(tree, tree->end[node]).line;
    function.decorated_line = decorated ? syntax_place(tree, tree->begin[parent]).line : function.line;
    const uint32_t other = map_get(&locator->names, hash_of(function.name));
    function.next = other == MAP_NONE ? (uint32_t)LOCATED_NONE : other;
    map_put(&locator->names, hash_of(function.name), (uint32_t)locator->count);
    locator->functions = mem_grow(locator->functions, &locator->room, locator->count + 1, sizeof function);
    locator->functions[locator->count++] = function;
}

str last_part(str path)
{
    size_t from = path.len;
    while (from && path.at[from - 1] != '/' && path.at[from - 1] != '\\')
        from--;
    return str_from(path, from);
}

static void add_file(struct locator *locator, uint32_t file)
{
    const struct lint_file *of = &locator->lint->files[file];
    const int64_t key = hash_of(last_part(of->path));
    const uint32_t other = map_get(&locator->files, key);
    locator->next_file[file] = other == MAP_NONE ? (uint32_t)LOCATED_NONE : other;
    map_put(&locator->files, key, file);
    for (uint32_t node = 0; of->tree && node < of->tree->count; node++)
        if (of->tree->kind[node] == SYN_FUNCTION)
            define(locator, file, node);
}

/* ---- which file ---- */

/* How many last components two paths share; `whole`: one of them is the end of the other. */
static uint32_t common_parts(str a, str b, bool *whole)
{
    uint32_t parts = 0;
    for (;;) {
        const str x = last_part(a), y = last_part(b);
        *whole = parts && (!a.len || !b.len);
        if (!a.len || !b.len || !str_eq(x, y))
            return parts;
        parts++;
        a.len -= x.len + (a.len > x.len);
        b.len -= y.len + (b.len > y.len);
    }
}

static str without_dot(str path)
{
    return str_starts(path, S("./")) ? str_from(path, 2) : path;
}

/* The file whose path fits best; a single component fits only where it is all that one of the paths has. */
static uint32_t file_of(const struct locator *locator, str path)
{
    uint32_t best = LOCATED_NONE, most = 0;
    const uint32_t first = map_get(&locator->files, hash_of(last_part(path)));
    for (uint32_t file = first; file != MAP_NONE; file = locator->next_file[file]) {
        bool whole;
        const uint32_t parts = common_parts(path, without_dot(locator->lint->files[file].path), &whole);
        if (parts > most && (whole || parts > 1)) {
            best = file;
            most = parts;
        }
    }
    return best;
}

/* ---- which function ---- */

/* The innermost definition around a line; 0 where the module itself is. */
static uint32_t around_line(const struct syntax *tree, int64_t line)
{
    if (line < 1 || line > tree->line_count)
        return 0;
    const uint32_t at = tree->line_at[line - 1];
    const uint32_t end = line < tree->line_count ? tree->line_at[line] : (uint32_t)tree->text.len;
    uint32_t found = 0;
    for (uint32_t node = 0; node < tree->count && tree->begin[node] < end; node++)
        if (tree->kind[node] == SYN_FUNCTION && tree->end[node] > at)
            found = node;
    return found;
}

uint32_t locate_node(const struct syntax *tree, uint32_t node)
{
    uint32_t at = node;
    while (at && at != SYNTAX_NONE && tree->kind[at] != SYN_FUNCTION)
        at = tree->parent[at];
    return at == SYNTAX_NONE ? 0 : at;
}

static bool begins_at(const struct defined *function, int64_t line)
{
    return function->line == line || function->decorated_line == line;
}

/* Call stacks as texts have the line that ran instead of the first. */
static bool holds(const struct defined *function, int64_t line)
{
    return function->decorated_line <= line && line <= function->end_line;
}

/* The function of that name in the file: by its line, else the only one. `exact`: the line agreed. */
static uint32_t by_name(const struct locator *locator, uint32_t file, const struct frame *frame, bool *exact)
{
    uint32_t only = SYNTAX_NONE, seen = 0, around = SYNTAX_NONE;
    *exact = false;
    for (uint32_t i = map_get(&locator->names, hash_of(frame->name)); i != MAP_NONE; i = locator->functions[i].next) {
        const struct defined *function = &locator->functions[i];
        if (function->file != file || !str_eq(function->name, frame->name))
            continue;
        if (begins_at(function, frame->line)) {
            *exact = true;
            return function->node;
        }
        if (holds(function, frame->line))
            around = function->node;
        only = function->node;
        seen++;
    }
    *exact = around != SYNTAX_NONE;
    return *exact ? around : seen == 1 ? only : SYNTAX_NONE;
}

static struct located locate_in(const struct locator *locator, uint32_t file, const struct frame *frame, bool *exact)
{
    const struct located none = {LOCATED_NONE, 0};
    const struct syntax *tree = locator->lint->files[file].tree;
    *exact = false;
    if (!tree)
        return none;
    if (str_eq(frame->name, S("<module>")))
        return (struct located){file, 0};
    if (frame_is_unnamed(frame->name))
        return (struct located){file, around_line(tree, frame->line)};
    const uint32_t node = by_name(locator, file, frame, exact);
    return node == SYNTAX_NONE ? none : (struct located){file, node};
}

struct located locate(const struct locator *locator, const struct frame *frame)
{
    const struct located none = {LOCATED_NONE, 0};
    bool exact;
    if (frame->kind != FRAME_FUNCTION)
        return none;
    const uint32_t file = file_of(locator, frame->file);
    if (file == LOCATED_NONE)
        return none;
    const struct located found = locate_in(locator, file, frame, &exact);
    return exact || locator->ran[file] ? found : none;
}

/* ---- which files the trace ran ---- */

static void try_frame(struct locator *locator, str text)
{
    const struct frame frame = frame_parse(text);
    bool exact;
    if (frame.kind != FRAME_FUNCTION)
        return;
    const uint32_t file = file_of(locator, frame.file);
    if (file == LOCATED_NONE)
        return;
    locate_in(locator, file, &frame, &exact);
    locator->ran[file] |= exact;
}

/* Frames of their own, and those of call stacks as texts; each text once. */
static bool *texts_with_frames(const struct trace *trace, struct arena *arena)
{
    bool *texts = arena_array(arena, trace_text_count(trace), sizeof *texts);
    for (uint32_t row = 0; row < trace->count; row++) {
        int64_t stack;
        if (trace->kind[row] == EVENT_PYTHON)
            texts[trace->name[row]] = true;
        if (trace_attr(trace, row, ATTR_CALL_STACK, &stack))
            texts[stack] = true;
    }
    return texts;
}

static void for_frames(struct locator *locator, const struct trace *trace, const bool *texts,
                       void (*take)(struct locator *locator, str text))
{
    for (uint32_t id = 0; id < trace_text_count(trace); id++) {
        str rest = trace_text(trace, id), part;
        while (texts[id] && str_cut(&rest, ';', &part))
            take(locator, str_trim(part));
    }
}

static int64_t key_of(struct located at)
{
    return (int64_t)((uint64_t)at.file << 32 | at.node);
}

bool locate_ran(const struct locator *locator, struct located function)
{
    return map_get(&locator->ran_functions, key_of(function)) != MAP_NONE;
}

static void count_frame(struct locator *locator, str text)
{
    const struct frame frame = frame_parse(text);
    bool exact = false;
    if (frame.kind != FRAME_FUNCTION)
        return;
    locator->sum.functions++;
    const struct located at = locate(locator, &frame);
    if (at.file == LOCATED_NONE)
        return;
    locate_in(locator, at.file, &frame, &exact);
    map_put(&locator->ran_functions, key_of(at), 1);
    locator->sum.found++;
    locator->sum.moved += !exact && !frame_is_unnamed(frame.name);
}

/* A script that was run whole has no function whose line could agree: its own frame does. */
static void try_module(struct locator *locator, str text)
{
    const struct frame frame = frame_parse(text);
    const uint32_t file = frame.kind == FRAME_FUNCTION ? file_of(locator, frame.file) : (uint32_t)LOCATED_NONE;
    if (file == LOCATED_NONE || !str_eq(frame.name, S("<module>")))
        return;
    for (size_t i = 0; i < locator->count; i++)
        if (locator->functions[i].file == file)
            return;
    locator->ran[file] = true;
}

struct locator *locator_new(const struct lint *lint, const struct trace *trace)
{
    struct arena scratch = {0};
    struct locator *locator = mem_zeroed(sizeof *locator);
    locator->lint = lint;
    locator->next_file = arena_array(&locator->arena, lint->file_count, sizeof *locator->next_file);
    locator->ran = arena_array(&locator->arena, lint->file_count, sizeof *locator->ran);
    for (uint32_t file = 0; file < lint->file_count; file++)
        add_file(locator, file);
    const bool *texts = texts_with_frames(trace, &scratch);
    for_frames(locator, trace, texts, try_frame);
    for_frames(locator, trace, texts, try_module);
    for_frames(locator, trace, texts, count_frame);
    arena_free(&scratch);
    return locator;
}

void locator_free(struct locator *locator)
{
    map_free(&locator->ran_functions);
    map_free(&locator->names);
    map_free(&locator->files);
    mem_free(locator->functions);
    arena_free(&locator->arena);
    mem_free(locator);
}

struct located_sum locator_sum(const struct locator *locator)
{
    return locator->sum;
}
