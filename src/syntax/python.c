/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser: tree-sitter with its grammar of Python. It enters here alone. Its
 * concrete tree is walked once, without recursion, and shown to lower.h node by
 * node; then it is gone.
 */
#include <pthread.h>
#include <string.h>
#include <tree_sitter/api.h>

#include "base/mem.h"
#include "index.h"
#include "lines.h"
#include "lower.h"

const TSLanguage *tree_sitter_python(void);

/* --- what the names of the grammar mean here -------------------------------------------------------------------------- */

struct rule {
    const char *name;
    uint8_t how, kind;
    uint8_t alone; /* where commas make a tuple: how many children it has without any */
};

static const struct rule rules[] = {
    {"module", HOW_THROUGH, 0, 0},
    {"comment", HOW_SKIP, 0, 0},
    {"line_continuation", HOW_SKIP, 0, 0},
    {"import_statement", HOW_STATEMENT, SYN_IMPORT, 0},
    {"import_from_statement", HOW_STATEMENT, SYN_FROM_IMPORT, 0},
    {"future_import_statement", HOW_STATEMENT, SYN_FROM_IMPORT, 0},
    {"relative_import", HOW_LEAF, SYN_OTHER, 0},
    {"aliased_import", HOW_OPEN, SYN_ALIAS, 0},
    {"wildcard_import", HOW_SKIP, 0, 0},
    {"dotted_name", HOW_DOTTED, 0, 0},
    {"print_statement", HOW_STATEMENT_LEAF, SYN_OTHER, 0},
    {"exec_statement", HOW_STATEMENT_LEAF, SYN_OTHER, 0},
    {"type_alias_statement", HOW_STATEMENT_LEAF, SYN_OTHER, 0},
    {"assert_statement", HOW_STATEMENT, SYN_ASSERT, 0},
    {"expression_statement", HOW_EXPRESSION_STATEMENT, 0, 1},
    {"assignment", HOW_ASSIGNMENT, 0, 0},
    {"augmented_assignment", HOW_AUGMENTED, 0, 0},
    {"return_statement", HOW_STATEMENT, SYN_RETURN, 0},
    {"delete_statement", HOW_STATEMENT, SYN_DELETE, 0},
    {"raise_statement", HOW_STATEMENT, SYN_RAISE, 0},
    {"pass_statement", HOW_STATEMENT_LEAF, SYN_PASS, 0},
    {"break_statement", HOW_STATEMENT_LEAF, SYN_BREAK, 0},
    {"continue_statement", HOW_STATEMENT_LEAF, SYN_CONTINUE, 0},
    {"global_statement", HOW_STATEMENT, SYN_GLOBAL, 0},
    {"nonlocal_statement", HOW_STATEMENT, SYN_NONLOCAL, 0},
    {"if_statement", HOW_STATEMENT, SYN_IF, 0},
    {"elif_clause", HOW_ELIF, SYN_IF, 0},
    {"else_clause", HOW_ELSE, 0, 0},
    {"match_statement", HOW_STATEMENT, SYN_MATCH, 4},
    {"case_clause", HOW_OPEN, SYN_CASE, 0},
    {"case_pattern", HOW_CASE_PATTERN, 0, 0},
    {"for_statement", HOW_STATEMENT, SYN_FOR, 0},
    {"while_statement", HOW_STATEMENT, SYN_WHILE, 0},
    {"try_statement", HOW_STATEMENT, SYN_TRY, 0},
    {"except_clause", HOW_OPEN, SYN_EXCEPT, 0},
    {"except_group_clause", HOW_OPEN, SYN_EXCEPT, 0},
    {"finally_clause", HOW_FINALLY, 0, 0},
    {"with_statement", HOW_STATEMENT, SYN_WITH, 0},
    {"with_clause", HOW_THROUGH, 0, 0},
    {"with_item", HOW_OPEN, SYN_WITH_ITEM, 0},
    {"function_definition", HOW_STATEMENT, SYN_FUNCTION, 0},
    {"class_definition", HOW_STATEMENT, SYN_CLASS, 0},
    {"decorated_definition", HOW_STATEMENT, SYN_DECORATED, 0},
    {"decorator", HOW_THROUGH, 0, 0},
    {"block", HOW_BLOCK, 0, 0},
    {"parameters", HOW_OPEN, SYN_PARAMETERS, 0},
    {"lambda_parameters", HOW_OPEN, SYN_PARAMETERS, 0},
    {"default_parameter", HOW_OPEN, SYN_PARAMETER, 0},
    {"typed_parameter", HOW_OPEN, SYN_PARAMETER, 0},
    {"typed_default_parameter", HOW_OPEN, SYN_PARAMETER, 0},
    {"keyword_separator", HOW_SEPARATOR, 0, 0},
    {"positional_separator", HOW_SEPARATOR, 0, 0},
    {"list_splat_pattern", HOW_SPLAT, 0, 0},
    {"dictionary_splat_pattern", HOW_DOUBLE_SPLAT, 0, 0},
    {"tuple_pattern", HOW_TUPLE_PATTERN, 0, 0},
    {"list_pattern", HOW_OPEN, SYN_LIST, 0},
    {"pattern_list", HOW_OPEN, SYN_TUPLE, 0},
    {"expression_list", HOW_EXPRESSION_LIST, 0, 0},
    {"as_pattern", HOW_AS_PATTERN, 0, 0},
    {"as_pattern_target", HOW_THROUGH, 0, 0},
    {"type", HOW_TYPE, 0, 0},
    {"type_parameter", HOW_TYPE_PARAMETERS, 0, 3},
    {"generic_type", HOW_OPEN, SYN_SUBSCRIPT, 0},
    {"union_type", HOW_OPEN, SYN_BINARY, 0},
    {"member_type", HOW_OPEN, SYN_ATTRIBUTE, 0},
    {"constrained_type", HOW_LEAF, SYN_OTHER, 0},
    {"splat_type", HOW_OPEN, SYN_STARRED, 0},
    {"identifier", HOW_IDENTIFIER, 0, 0},
    {"attribute", HOW_OPEN, SYN_ATTRIBUTE, 0},
    {"call", HOW_OPEN, SYN_CALL, 0},
    {"argument_list", HOW_OPEN, SYN_ARGUMENTS, 0},
    {"keyword_argument", HOW_OPEN, SYN_KEYWORD, 0},
    {"subscript", HOW_OPEN, SYN_SUBSCRIPT, 4},
    {"slice", HOW_OPEN, SYN_SLICE, 0},
    {"binary_operator", HOW_OPEN, SYN_BINARY, 0},
    {"unary_operator", HOW_OPEN, SYN_UNARY, 0},
    {"not_operator", HOW_OPEN, SYN_NOT, 0},
    {"boolean_operator", HOW_OPEN, SYN_BOOL, 0},
    {"comparison_operator", HOW_OPEN, SYN_COMPARE, 0},
    {"conditional_expression", HOW_OPEN, SYN_CONDITIONAL, 0},
    {"lambda", HOW_OPEN, SYN_LAMBDA, 0},
    {"named_expression", HOW_OPEN, SYN_NAMED, 0},
    {"list", HOW_OPEN, SYN_LIST, 0},
    {"tuple", HOW_OPEN, SYN_TUPLE, 0},
    {"set", HOW_OPEN, SYN_SET, 0},
    {"dictionary", HOW_OPEN, SYN_DICT, 0},
    {"pair", HOW_OPEN, SYN_PAIR, 0},
    {"list_comprehension", HOW_OPEN, SYN_LIST_COMP, 0},
    {"set_comprehension", HOW_OPEN, SYN_SET_COMP, 0},
    {"dictionary_comprehension", HOW_OPEN, SYN_DICT_COMP, 0},
    {"generator_expression", HOW_GENERATOR, 0, 0},
    {"for_in_clause", HOW_OPEN, SYN_COMP_FOR, 4},
    {"if_clause", HOW_IF_CLAUSE, 0, 0},
    {"parenthesized_expression", HOW_PARENTHESES, 0, 0},
    {"parenthesized_list_splat", HOW_THROUGH, 0, 0},
    {"list_splat", HOW_SPLAT, 0, 0},
    {"dictionary_splat", HOW_OPEN, SYN_DOUBLE_STARRED, 0},
    {"concatenated_string", HOW_OPEN, SYN_STRING, 0},
    {"string", HOW_STRING, 0, 0},
    {"string_start", HOW_SKIP, 0, 0},
    {"string_content", HOW_SKIP, 0, 0},
    {"string_end", HOW_SKIP, 0, 0},
    {"interpolation", HOW_OPEN, SYN_INTERPOLATION, 0},
    {"type_conversion", HOW_SKIP, 0, 0},
    {"format_specifier", HOW_SKIP, 0, 0},
    {"integer", HOW_INTEGER, 0, 0},
    {"float", HOW_LEAF, SYN_FLOAT, 0},
    {"true", HOW_LEAF, SYN_TRUE, 0},
    {"false", HOW_LEAF, SYN_FALSE, 0},
    {"none", HOW_LEAF, SYN_NONE, 0},
    {"ellipsis", HOW_ELLIPSIS, 0, 0},
    {"await", HOW_OPEN, SYN_AWAIT, 0},
    {"yield", HOW_OPEN, SYN_YIELD, 0},
};

struct word {
    const char *text;
    uint8_t op;
};

static const struct word words[] = {
    {"+", OP_ADD},          {"+=", OP_ADD},          {"-", OP_SUB},
    {"-=", OP_SUB},         {"*", OP_MUL},           {"*=", OP_MUL},
    {"@", OP_MATMUL},       {"@=", OP_MATMUL},       {"/", OP_DIV},
    {"/=", OP_DIV},         {"//", OP_FLOORDIV},     {"//=", OP_FLOORDIV},
    {"%", OP_MOD},          {"%=", OP_MOD},          {"**", OP_POW},
    {"**=", OP_POW},        {"<<", OP_SHIFT_LEFT},   {"<<=", OP_SHIFT_LEFT},
    {">>", OP_SHIFT_RIGHT}, {">>=", OP_SHIFT_RIGHT}, {"&", OP_BIT_AND},
    {"&=", OP_BIT_AND},     {"|", OP_BIT_OR},        {"|=", OP_BIT_OR},
    {"^", OP_BIT_XOR},      {"^=", OP_BIT_XOR},      {"~", OP_INVERT},
    {"and", OP_AND},        {"or", OP_OR},           {"<", OP_LESS},
    {"<=", OP_LESS_EQUAL},  {">", OP_GREATER},       {">=", OP_GREATER_EQUAL},
    {"==", OP_EQUAL},       {"!=", OP_NOT_EQUAL},    {"<>", OP_NOT_EQUAL},
    {"in", OP_IN},          {"not in", OP_NOT_IN},   {"is", OP_IS},
    {"is not", OP_IS_NOT},  {"from", OP_FROM},       {"async", OP_ASYNC},
};

/* What a symbol of the grammar means, by its number. */
struct meaning {
    uint8_t how, kind, op, alone;
    char mark;  /* of a token of one byte: that byte */
    bool opens; /* a token behind which items may stand with commas between */
};

enum { SYMBOLS = 512 };

static struct meaning meanings[SYMBOLS];
static pthread_once_t meanings_made = PTHREAD_ONCE_INIT;

static struct meaning meaning_of_token(const char *text)
{
    struct meaning meaning = {.how = HOW_TOKEN, .mark = strlen(text) == 1 ? *text : 0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].text, text))
            meaning.op = words[i].op;
    meaning.opens = !strcmp(text, "in") || !strcmp(text, "[") || !strcmp(text, "match");
    if (!strcmp(text, "__future__"))
        meaning.how = HOW_FUTURE;
    return meaning;
}

/* A construct that no row names is one that the tree does not know either. */
static struct meaning meaning_of_node(const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i].name, name))
            return (struct meaning){.how = rules[i].how, .kind = rules[i].kind, .alone = rules[i].alone};
    return (struct meaning){.how = HOW_LEAF, .kind = SYN_OTHER};
}

static void *zeroed(size_t count, size_t size)
{
    size_t bytes;
    return mem_zeroed(__builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes);
}

static void make_meanings(void)
{
    const TSLanguage *language = tree_sitter_python();
    const uint32_t count = ts_language_symbol_count(language);
    for (uint32_t symbol = 0; symbol < count && symbol < SYMBOLS; symbol++) {
        const char *name = ts_language_symbol_name(language, (TSSymbol)symbol);
        meanings[symbol] = ts_language_symbol_type(language, (TSSymbol)symbol) == TSSymbolTypeRegular
                               ? meaning_of_node(name)
                               : meaning_of_token(name);
    }
    ts_set_allocator(mem_alloc, zeroed, mem_resize, mem_free);
}

static const struct meaning error_meaning = {.how = HOW_ERROR};

static const struct meaning *meaning_of(TSNode node)
{
    const TSSymbol symbol = ts_node_symbol(node);
    return symbol < SYMBOLS ? &meanings[symbol] : &error_meaning;
}

/* --- the walk ----------------------------------------------------------------------------------------------------------- */

/* Over the concrete tree of one piece of the text, which begins at byte `base` of it. */
struct walk {
    TSTreeCursor cursor;
    struct lower *lower;
    uint32_t base;
    bool errors;
};

/* What the items in this node span, with the comma that ends them, if there is a comma. */
static struct span_of_text tuple_in(struct walk *walk)
{
    struct span_of_text span = {0};
    bool commas = false;
    if (!ts_tree_cursor_goto_first_child(&walk->cursor))
        return span;
    do {
        const TSNode node = ts_tree_cursor_current_node(&walk->cursor);
        const struct meaning *meaning = meaning_of(node);
        if (meaning->how == HOW_SKIP)
            continue;
        if (meaning->mark == ']' || meaning->mark == ':')
            break;
        commas |= meaning->mark == ',';
        span.begin = span.end ? span.begin : walk->base + ts_node_start_byte(node);
        span.end = meaning->opens ? 0 : walk->base + ts_node_end_byte(node);
    } while (ts_tree_cursor_goto_next_sibling(&walk->cursor));
    ts_tree_cursor_goto_parent(&walk->cursor);
    return commas ? span : (struct span_of_text){0};
}

/* (a) on the left of an assignment, which the grammar takes for a tuple. */
static bool is_lone_pattern(TSNode node, const struct meaning *meaning)
{
    return meaning->how == HOW_TUPLE_PATTERN && ts_node_child_count(node) == 3;
}

static struct concrete concrete_at(struct walk *walk)
{
    const TSNode node = ts_tree_cursor_current_node(&walk->cursor);
    const struct meaning *meaning = meaning_of(node);
    struct concrete concrete = {
        .how = meaning->how, .kind = meaning->kind, .op = meaning->op, .colon = meaning->mark == ':'};
    concrete.begin = walk->base + ts_node_start_byte(node);
    concrete.end = walk->base + ts_node_end_byte(node);
    if (is_lone_pattern(node, meaning))
        concrete.how = HOW_PARENTHESES;
    if (walk->errors) {
        concrete.missing = ts_node_is_missing(node);
        concrete.childless = !ts_node_child_count(node);
    }
    if (meaning->alone && ts_node_child_count(node) > meaning->alone)
        concrete.tuple = tuple_in(walk);
    return concrete;
}

/* Up from the children of a node, and further where it turned out to be an error. */
static void climb(struct walk *walk)
{
    do
        ts_tree_cursor_goto_parent(&walk->cursor);
    while (lower_leave(walk->lower));
}

static void walk_all(struct walk *walk)
{
    do {
        const struct concrete concrete = concrete_at(walk);
        const enum lower_step step = lower_enter(walk->lower, &concrete);
        if (step == LOWER_INTO) {
            if (ts_tree_cursor_goto_first_child(&walk->cursor))
                continue;
            lower_leave(walk->lower);
        }
        if (step == LOWER_SPOILT)
            climb(walk);
        while (walk->lower->level_count && !ts_tree_cursor_goto_next_sibling(&walk->cursor))
            climb(walk);
    } while (walk->lower->level_count);
}

/* --- pieces --------------------------------------------------------------------------------------------------------------- */

/*
 * Work is counted and not timed, so that a file parses the same on a busy machine. The parser looks at its flag after
 * every hundred operations, returns, and goes on where it was when it is called again: that is a turn. Usual source takes
 * 3 turns a KiB, at 60 us each; the worst that is known takes 25, at up to 700 us. A piece that takes far more is given
 * up; after some of these the rest of the file is not tried.
 */
enum { PIECE_TURNS = 2000, TURNS_PER_KIB = 64, MOST_LOST = 4 };

/* NULL where it took too many turns. */
static TSTree *parse_bounded(TSParser *parser, str text)
{
    static const size_t always = 1;
    const uint64_t turns = PIECE_TURNS + (uint64_t)TURNS_PER_KIB * text.len / 1024;
    TSTree *tree = NULL;
    ts_parser_reset(parser);
    ts_parser_set_cancellation_flag(parser, &always);
    for (uint64_t turn = 0; !tree && turn < turns; turn++)
        tree = ts_parser_parse_string(parser, NULL, text.at, (uint32_t)text.len);
    return tree;
}

static void parse_piece(TSParser *parser, struct lower *lower, str text, uint32_t begin, uint32_t end, uint32_t *lost)
{
    TSTree *tree = *lost < MOST_LOST ? parse_bounded(parser, (str){text.at + begin, end - begin}) : NULL;
    if (!tree) {
        ++*lost;
        lower_lost(lower, begin, end);
        return;
    }
    const TSNode root = ts_tree_root_node(tree);
    struct walk walk = {ts_tree_cursor_new(root), lower, begin, ts_node_has_error(root)};
    walk_all(&walk);
    ts_tree_cursor_delete(&walk.cursor);
    ts_tree_delete(tree);
}

static void parse_pieces(struct lower *lower, const struct prepared *prepared)
{
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_python());
    uint32_t lost = 0;
    for (uint32_t i = 0; i < prepared->piece_count; i++) {
        const uint32_t end = i + 1 < prepared->piece_count ? prepared->pieces[i + 1] : (uint32_t)prepared->text.len;
        parse_piece(parser, lower, prepared->text, prepared->pieces[i], end, &lost);
    }
    ts_parser_delete(parser);
}

/* Python takes no file with a NUL in it. */
static bool has_nul(str text, uint32_t *at)
{
    const char *nul = text.len ? memchr(text.at, 0, text.len) : NULL;
    *at = nul ? (uint32_t)(nul - text.at) : 0;
    return nul;
}

/* What is broken counts among the errors. */
static void keep_too_large(struct arena *arena, const struct prepared *prepared, struct syntax *tree)
{
    struct span_of_text *spans = arena_array(arena, prepared->taken_out_count, sizeof *spans);
    for (uint32_t i = 0; i < prepared->taken_out_count; i++)
        if (!prepared->taken_out[i].broken)
            spans[tree->too_large_count++] =
                (struct span_of_text){prepared->taken_out[i].begin, prepared->taken_out[i].end};
    tree->too_large = spans;
}

static void keep_comments(struct arena *arena, const struct prepared *prepared, struct syntax *tree)
{
    struct span_of_text *comments = arena_array(arena, prepared->comment_count, sizeof *comments);
    if (prepared->comment_count)
        memcpy(comments, prepared->comments, prepared->comment_count * sizeof *comments);
    tree->comments = comments;
    tree->comment_count = prepared->comment_count;
}

const struct syntax *syntax_parse(struct arena *arena, str path, str text)
{
    if (text.len >= UINT32_MAX)
        return NULL;
    pthread_once(&meanings_made, make_meanings);
    struct arena scratch = {0};
    struct prepared prepared;
    prepare(&scratch, text, &prepared);
    struct lower lower;
    lower_start(&lower, text, &prepared);
    uint32_t nul;
    if (has_nul(text, &nul))
        lower_lost(&lower, nul, nul + 1);
    else
        parse_pieces(&lower, &prepared);
    struct syntax *tree = arena_alloc(arena, sizeof *tree);
    *tree = (struct syntax){.path = path, .text = text};
    lower_finish(&lower, arena, tree);
    keep_comments(arena, &prepared, tree);
    keep_too_large(arena, &prepared, tree);
    arena_free(&scratch);
    lines_index(arena, tree);
    index_build(arena, tree);
    return tree;
}
