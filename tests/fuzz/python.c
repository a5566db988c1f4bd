/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as Python source: a tree that keeps every promise of syntax.h. Then
 * edits, drawn from the bytes too: what comes out parses if what went in did, is
 * what the diff says, and edits of edits are those of the first text.
 */
#include <assert.h>
#include <stdlib.h>

#include "syntax/compose.h"
#include "syntax/diff.h"
#include "syntax/edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* --- the tree ---------------------------------------------------------------------------------------------------------------- */

static const struct {
    uint8_t least, most; /* children; 255: any number */
} layouts[SYNTAX_KINDS] = {
    [SYN_MODULE] = {0, 255},      [SYN_BLOCK] = {0, 255},     [SYN_FUNCTION] = {4, 4},
    [SYN_CLASS] = {3, 3},         [SYN_DECORATED] = {2, 255}, [SYN_IF] = {3, 3},
    [SYN_FOR] = {4, 4},           [SYN_WHILE] = {3, 3},       [SYN_WITH] = {2, 255},
    [SYN_TRY] = {3, 255},         [SYN_EXCEPT] = {3, 3},      [SYN_ELSE] = {1, 1},
    [SYN_FINALLY] = {1, 1},       [SYN_MATCH] = {1, 255},     [SYN_CASE] = {3, 3},
    [SYN_RETURN] = {1, 1},        [SYN_RAISE] = {0, 255},     [SYN_DELETE] = {1, 255},
    [SYN_ASSERT] = {2, 2},        [SYN_ASSIGN] = {2, 255},    [SYN_AUG_ASSIGN] = {2, 2},
    [SYN_ANN_ASSIGN] = {3, 3},    [SYN_IMPORT] = {1, 255},    [SYN_FROM_IMPORT] = {1, 255},
    [SYN_GLOBAL] = {1, 255},      [SYN_NONLOCAL] = {1, 255},  [SYN_EXPR] = {1, 1},
    [SYN_PARAMETERS] = {0, 255},  [SYN_PARAMETER] = {3, 3},   [SYN_WITH_ITEM] = {2, 2},
    [SYN_ALIAS] = {2, 2},         [SYN_ATTRIBUTE] = {2, 2},   [SYN_CALL] = {2, 2},
    [SYN_ARGUMENTS] = {0, 255},   [SYN_KEYWORD] = {2, 2},     [SYN_SUBSCRIPT] = {2, 2},
    [SYN_SLICE] = {3, 3},         [SYN_BINARY] = {2, 2},      [SYN_UNARY] = {1, 1},
    [SYN_NOT] = {1, 1},           [SYN_BOOL] = {2, 2},        [SYN_COMPARE] = {2, 255},
    [SYN_CONDITIONAL] = {3, 3},   [SYN_LAMBDA] = {2, 2},      [SYN_NAMED] = {2, 2},
    [SYN_LIST] = {0, 255},        [SYN_TUPLE] = {0, 255},     [SYN_SET] = {0, 255},
    [SYN_DICT] = {0, 255},        [SYN_PAIR] = {2, 2},        [SYN_LIST_COMP] = {2, 255},
    [SYN_SET_COMP] = {2, 255},    [SYN_DICT_COMP] = {2, 255}, [SYN_GENERATOR] = {2, 255},
    [SYN_COMP_FOR] = {2, 2},      [SYN_COMP_IF] = {1, 1},     [SYN_STRING] = {0, 255},
    [SYN_INTERPOLATION] = {1, 1}, [SYN_STARRED] = {1, 1},     [SYN_DOUBLE_STARRED] = {1, 1},
    [SYN_AWAIT] = {1, 1},         [SYN_YIELD] = {1, 1},
};

/* Children follow one another, within their parent. */
static void check_children(const struct syntax *tree, uint32_t node)
{
    uint32_t count = 0, at = tree->begin[node];
    for (uint32_t child = syntax_first(tree, node); child != SYNTAX_NONE; child = syntax_next(tree, child), count++) {
        assert(tree->parent[child] == node);
        assert(tree->begin[child] >= at);
        at = tree->end[child];
        assert(at <= tree->end[node]);
    }
    assert(count >= layouts[tree->kind[node]].least);
    assert(count <= layouts[tree->kind[node]].most || layouts[tree->kind[node]].most == 255);
}

static void check_places(const struct syntax *tree, uint32_t node)
{
    assert(tree->kind[node] < SYNTAX_KINDS);
    assert(tree->begin[node] <= tree->end[node] && tree->end[node] <= tree->text.len);
    assert(tree->size[node] > 0 && tree->size[node] <= tree->count - node);
    assert(node ? tree->parent[node] < node : tree->parent[node] == 0);
    assert(tree->kind[node] != SYN_ABSENT || tree->begin[node] == tree->end[node]);
    const struct place_in_text place = syntax_place(tree, tree->begin[node]);
    assert(tree->line_at[place.line - 1] + place.column - 1 == tree->begin[node]);
}

static bool is_block_or_error(const struct syntax *tree, uint32_t node)
{
    return tree->kind[node] == SYN_BLOCK || tree->kind[node] == SYN_ERROR;
}

/* Where a block must stand one does. */
static void check_block(const struct syntax *tree, uint32_t node)
{
    static const uint8_t block_at[SYNTAX_KINDS] = {
        [SYN_FUNCTION] = 4, [SYN_CLASS] = 3, [SYN_IF] = 2,   [SYN_FOR] = 3,     [SYN_WHILE] = 2,
        [SYN_EXCEPT] = 3,   [SYN_CASE] = 3,  [SYN_ELSE] = 1, [SYN_FINALLY] = 1, [SYN_TRY] = 1};
    const uint32_t place = block_at[tree->kind[node]];
    if (place)
        assert(is_block_or_error(tree, syntax_child(tree, node, place - 1)));
    if (tree->kind[node] == SYN_WITH)
        assert(is_block_or_error(tree, syntax_last_child(tree, node)));
}

static void check_beside(const struct syntax *tree)
{
    for (uint32_t i = 1; i < tree->parens_count; i++)
        assert(tree->parens[i - 1].node <= tree->parens[i].node);
    for (uint32_t i = 0; i < tree->comment_count; i++) {
        assert(tree->comments[i].begin < tree->comments[i].end && tree->comments[i].end <= tree->text.len);
        assert(tree->text.at[tree->comments[i].begin] == '#');
        assert(i == 0 || tree->comments[i - 1].end <= tree->comments[i].begin);
    }
    for (uint32_t i = 1; i < tree->line_count; i++)
        assert(tree->line_at[i - 1] < tree->line_at[i]);
}

static void check_outer(const struct syntax *tree, uint32_t node)
{
    uint32_t begin, end;
    syntax_outer(tree, node, &begin, &end);
    assert(begin <= tree->begin[node] && end <= tree->text.len && begin <= end);
}

static void check_tree(const struct syntax *tree)
{
    uint32_t errors = 0;
    assert(tree->count && tree->kind[0] == SYN_MODULE && tree->size[0] == tree->count && tree->line_at[0] == 0);
    for (uint32_t node = 0; node < tree->count; node++) {
        check_places(tree, node);
        check_children(tree, node);
        check_block(tree, node);
        check_outer(tree, node);
        errors += tree->kind[node] == SYN_ERROR;
    }
    assert(errors <= tree->error_count && tree->error_at <= tree->text.len);
    check_beside(tree);
}

/* --- edits --------------------------------------------------------------------------------------------------------------------- */

struct dice {
    uint64_t state;
};

static uint32_t below(struct dice *dice, uint32_t n)
{
    dice->state = dice->state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)((dice->state >> 33) % n) : 0;
}

static struct dice dice_of(const uint8_t *bytes, size_t size)
{
    struct dice dice = {size};
    for (size_t i = 0; i < size; i++)
        dice.state = (dice.state ^ bytes[i]) * 1099511628211u;
    return dice;
}

static str some_text(struct dice *dice)
{
    static const str texts[] = {{"x", 1},    {"x.y(z)", 6},          {"", 0},  {"(", 1},   {"\n", 1},
                                {"pass", 4}, {"a = 1\nb = 2\n", 12}, {":", 1}, {"'''", 3}, {"x\r\n  y", 6}};
    return texts[below(dice, sizeof texts / sizeof *texts)];
}

static bool some_edit(struct arena *arena, const struct syntax *tree, struct dice *dice, struct edit *edit)
{
    const uint32_t node = below(dice, tree->count), statement = syntax_statement(tree, node);
    switch (below(dice, 5)) {
    case 0:
        return statement && edit_lines_before(arena, tree, statement, S("x = 1\ny = 2"), edit);
    case 1:
        return statement && edit_lines_after(arena, tree, statement, S("x = 1"), edit);
    case 2:
        if (statement)
            edit_delete(tree, statement, edit);
        return statement;
    case 3:
        *edit = (struct edit){tree->begin[node], tree->end[node], some_text(dice), 0};
        return true;
    default:
        edit->begin = below(dice, (uint32_t)tree->text.len + 1);
        edit->end = edit->begin + below(dice, 1 + ((uint32_t)tree->text.len - edit->begin) / 8);
        edit->text = some_text(dice);
        edit->deletes = 0;
        return true;
    }
}

static struct edits *some_edits(struct arena *arena, const struct syntax *tree, struct dice *dice)
{
    struct edits *edits = edits_new(arena, tree);
    for (uint32_t i = below(dice, 8); i; i--) {
        struct edit group[3];
        uint32_t count = 0;
        for (uint32_t k = 1 + below(dice, 3); k; k--)
            count += some_edit(arena, tree, dice, &group[count]);
        edits_take(edits, group, count);
    }
    return edits;
}

/* The lines that the diff shows as new, and those it leaves out, make up the text. Here only: it changes what changed. */
static void check_diff(const struct syntax *tree, const struct edits *edits, str after)
{
    uint32_t count;
    const struct edit *list = edits_list(edits, &count);
    for (uint32_t i = 1; i < count; i++)
        assert(list[i - 1].end <= list[i].begin);
    struct buf diff = {0};
    diff_add(&diff, S("a.py"), tree->text, list, count);
    assert((diff.len == 0) == str_eq(tree->text, after));
    buf_free(&diff);
}

static str replaced(struct arena *arena, str text, struct edit_list list)
{
    struct buf buf = {0};
    uint32_t from = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        assert(from <= list.at[i].begin && list.at[i].begin <= list.at[i].end && list.at[i].end <= text.len);
        buf_add(&buf, (str){text.at + from, list.at[i].begin - from});
        buf_add(&buf, list.at[i].text);
        from = list.at[i].end;
    }
    buf_add(&buf, str_from(text, from));
    const str copy = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return copy;
}

static struct edit_list list_of(struct arena *arena, const struct edits *edits)
{
    struct edit_list list = {0};
    const struct edit *at = edits_list(edits, &list.count);
    list.at = arena_array(arena, list.count, sizeof *list.at);
    for (uint32_t i = 0; i < list.count; i++)
        list.at[i] = at[i];
    return list;
}

static void check_edits(struct arena *arena, const struct syntax *tree, struct dice *dice)
{
    struct edits *edits = some_edits(arena, tree, dice);
    edits_settle(edits);
    const str after = edits_apply(edits, arena);
    const struct syntax *changed = syntax_parse(arena, S("a.py"), after);
    assert(changed->error_count <= tree->error_count);
    check_tree(changed);
    check_diff(tree, edits, after);
    struct edits *more = some_edits(arena, changed, dice);
    const struct edit_list first = list_of(arena, edits), then = list_of(arena, more);
    const struct edit_list both = edits_compose(arena, (uint32_t)tree->text.len, first, then);
    assert(str_eq(replaced(arena, tree->text, both), edits_apply(more, arena)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = {0};
    const struct syntax *tree = syntax_parse(&arena, S("a.py"), (str){(const char *)bytes, size});
    check_tree(tree);
    struct dice dice = dice_of(bytes, size);
    check_edits(&arena, tree, &dice);
    arena_free(&arena);
    return 0;
}
