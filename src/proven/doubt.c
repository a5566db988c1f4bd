/* SPDX-License-Identifier: Apache-2.0 */
#include "doubt.h"

#include "base/hash.h"
#include "join/function.h"

static int64_t key_of(uint32_t file, uint32_t function)
{
    return (int64_t)((uint64_t)file << 32 | function);
}

static int64_t name_key(str name)
{
    return (int64_t)hash_bytes(name.at, name.len);
}

static uint32_t line_of(const struct syntax *tree, uint32_t node)
{
    return syntax_place(tree, tree->begin[node]).line;
}

/* ---- where a stand-in chose the way ---- */

/* The innermost function whose lines hold this one; 0: the module. */
static uint32_t function_at(const struct syntax *tree, uint32_t count, int64_t line)
{
    uint32_t function = 0;
    for (uint32_t node = 0; node < count; node++)
        if (tree->kind[node] == SYN_FUNCTION && line_of(tree, node) <= line &&
            syntax_place(tree, tree->end[node]).line >= line)
            function = node;
    return function;
}

static bool place_of(str place, str *path, int64_t *line)
{
    size_t colon = place.len;
    while (colon && place.at[colon - 1] != ':')
        colon--;
    if (colon < 2 || !str_int(str_from(place, colon), line))
        return false;
    *path = (str){place.at, colon - 1};
    return true;
}

/* ---- what is called from lines that did not run ---- */

/* True: it was not known before. */
static bool hide(struct doubts *doubts, str name, uint32_t note)
{
    if (!name.len || map_get(&doubts->hidden, name_key(name)) != MAP_NONE)
        return false;
    map_put(&doubts->hidden, name_key(name), note);
    return true;
}

static bool hide_calls(struct doubts *doubts, uint32_t file, uint32_t function, uint32_t note)
{
    const struct syntax *const tree = doubts->lint->files[file].tree;
    bool more = false;
    for (uint32_t node = function; node < syntax_last(tree, function); node++)
        if (tree->kind[node] == SYN_CALL && !sites_ran(doubts->sites, file, line_of(tree, node)))
            more |= hide(doubts, syntax_tail(tree, syntax_first(tree, node)), note);
    return more;
}

static bool was_entered(const struct doubts *doubts, uint32_t file, uint32_t function)
{
    const struct syntax *const tree = doubts->lint->files[file].tree;
    return sites_ran_within(doubts->sites, file, line_of(tree, function) + 1,
                            syntax_place(tree, tree->end[function]).line) > 0;
}

/* The note of a hidden name of the function, or of the class around it; MAP_NONE. */
static uint32_t note_of(const struct doubts *doubts, const struct syntax *tree, uint32_t function)
{
    uint32_t note = MAP_NONE;
    for (uint32_t node = function; node && note == MAP_NONE; node = tree->parent[node])
        if (tree->kind[node] == SYN_FUNCTION || tree->kind[node] == SYN_CLASS)
            note = map_get(&doubts->hidden, name_key(syntax_text(tree, syntax_first(tree, node))));
    return note;
}

/* One pass over functions that no round entered; true: there may be more. */
static bool spread(struct doubts *doubts)
{
    bool more = false;
    for (uint32_t file = 0; file < doubts->lint->file_count; file++) {
        const struct syntax *const tree = doubts->lint->files[file].tree;
        for (uint32_t node = 1; node < syntax_last(tree, 0); node++) {
            const uint32_t note = tree->kind[node] == SYN_FUNCTION ? note_of(doubts, tree, node) : MAP_NONE;
            if (note != MAP_NONE && !was_entered(doubts, file, node))
                more |= hide_calls(doubts, file, node, note);
        }
    }
    return more;
}

void doubts_find(const struct lint *lint, const struct wait_sites *sites, const struct dry_result *dry,
                 struct doubts *doubts)
{
    enum { MOST_PASSES = 32 }; /* beyond it no function that was not entered is told to be out of reach */
    *doubts = (struct doubts){.lint = lint, .sites = sites, .notes = dry->at, .any = MAP_NONE};
    uint32_t last = MAP_NONE;
    for (uint32_t i = 0; i < dry->count; i++) {
        str path;
        int64_t line;
        if (dry->at[i].kind != DRY_BRANCH || !place_of(dry->at[i].place, &path, &line))
            continue;
        const uint32_t file = sites_file(sites, path);
        if (file == SITE_NONE)
            continue;
        const struct syntax *const tree = lint->files[file].tree;
        const uint32_t function = function_at(tree, syntax_last(tree, 0), line);
        map_put(&doubts->chosen, key_of(file, function), i);
        hide_calls(doubts, file, function, i);
        last = i;
    }
    int pass = 0;
    while (doubts->hidden.count && pass < MOST_PASSES && spread(doubts))
        pass++;
    if (pass == MOST_PASSES)
        doubts->any = last;
}

void doubts_free(struct doubts *doubts)
{
    map_free(&doubts->chosen);
    map_free(&doubts->hidden);
}

const struct dry_note *doubts_of(const struct doubts *doubts, uint32_t file, uint32_t node)
{
    const struct syntax *const tree = doubts->lint->files[file].tree;
    const uint32_t function = locate_node(tree, node);
    uint32_t note = map_get(&doubts->chosen, key_of(file, function));
    if (note == MAP_NONE && function && !was_entered(doubts, file, function))
        note = note_of(doubts, tree, function) != MAP_NONE ? note_of(doubts, tree, function) : doubts->any;
    return note == MAP_NONE ? NULL : &doubts->notes[note];
}
