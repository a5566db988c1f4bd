/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare.h"

#include "base/mem.h"
#include "prepare_state.h"

/* --- brackets ------------------------------------------------------------------------------------------------------------ */

void prepare_push(struct prepare *p, struct prepare_open open)
{
    p->open = mem_grow(p->open, &p->open_room, p->open_count + 1, sizeof *p->open);
    p->open[p->open_count++] = open;
}

/* What was taken out of it before is a part of it now. */
static void take_out(struct prepare *p, struct taken_out taken)
{
    while (p->taken_out_count && p->taken_out[p->taken_out_count - 1].begin >= taken.begin)
        p->taken_out_count--;
    p->taken_out = mem_grow(p->taken_out, &p->taken_out_room, p->taken_out_count + 1, sizeof *p->taken_out);
    p->taken_out[p->taken_out_count++] = taken;
}

void prepare_pop(struct prepare *p, uint32_t end)
{
    const struct prepare_open open = p->open[--p->open_count];
    const bool large = open.tokens > MOST_TOKENS;
    if (large && open.kind == OPEN_BRACKET)
        take_out(p, (struct taken_out){open.begin, end, open.pairs && p->text[open.begin - 1] == '{', false});
    prepare_top(p)->tokens += large && open.kind == OPEN_BRACKET ? 2 : open.tokens + 2;
}

static void open_bracket(struct prepare *p)
{
    p->at++;
    if (p->open_count < MOST_DEPTH)
        prepare_push(p, (struct prepare_open){.begin = p->at, .kind = OPEN_BRACKET});
    else
        p->beyond++, prepare_top(p)->tokens++;
}

static void close_bracket(struct prepare *p)
{
    const enum open_kind kind = prepare_top(p)->kind;
    if (!p->beyond && kind == OPEN_HOLE && p->text[p->at] == '}') {
        prepare_close_hole(p);
        return;
    }
    if (p->beyond)
        p->beyond--;
    else if (kind == OPEN_BRACKET)
        prepare_pop(p, p->at);
    else
        prepare_top(p)->tokens++;
    p->at++;
}

/* --- statements ------------------------------------------------------------------------------------------------------------ */

static void end_statement(struct prepare *p)
{
    struct prepare_open *statement = p->open;
    bool broken = false;
    for (; p->open_count > 1; broken = true) {
        const uint32_t tokens = prepare_top(p)->tokens;
        p->open_count--;
        prepare_top(p)->tokens += tokens + 1;
    }
    p->beyond = 0;
    if (statement->tokens > MOST_TOKENS || p->unclosed)
        take_out(p, (struct taken_out){statement->begin, p->at, false, broken || p->unclosed});
    statement->tokens = 0;
}

static bool is_word(const struct prepare *p, uint32_t at, const char *word)
{
    const size_t len = strlen(word);
    if (p->len - at < len || memcmp(p->text + at, word, len) != 0)
        return false;
    const unsigned char next = at + len < p->len ? (unsigned char)p->text[at + len] : ' ';
    return next < 128 && next != '_' && !(next >= '0' && next <= '9') && !((next | 32) >= 'a' && (next | 32) <= 'z');
}

static bool is_one_of(const struct prepare *p, const char *const *words)
{
    for (; *words; words++)
        if (is_word(p, p->at, *words))
            return true;
    return false;
}

static void cut(struct prepare *p)
{
    p->pieces = mem_grow(p->pieces, &p->piece_room, p->piece_count + 1, sizeof *p->pieces);
    p->pieces[p->piece_count++] = p->at;
}

/* Before a statement without indent, where it does not belong to the one before. */
static void cut_if_due(struct prepare *p)
{
    static const char *const goes_on[] = {"else", "elif", "except", "finally", NULL};
    if (!p->decorated && p->at - p->pieces[p->piece_count - 1] >= PIECE_BYTES && !is_one_of(p, goes_on))
        cut(p);
    p->decorated = p->text[p->at] == '@';
}

/* The level of a statement in this column. One between two levels opens a new one, as no parser will take it. */
static uint32_t level_of(struct prepare *p, uint32_t column)
{
    while (p->levels && p->columns[p->levels - 1] > column)
        p->levels--;
    const bool known = !column || (p->levels && p->columns[p->levels - 1] == column);
    if (!known && p->levels < MOST_LEVELS)
        p->columns[p->levels++] = column;
    return p->levels;
}

static void begin_statement(struct prepare *p, uint32_t line, uint32_t column)
{
    const uint32_t blanks = p->at - line, level = level_of(p, column);
    memset(p->text + line, '\f', blanks);
    if (level && level <= blanks)
        memset(p->text + p->at - level, ' ', level);
    if (!column)
        cut_if_due(p);
    p->open->begin = p->at;
}

/* What ends a line that holds nothing but blanks and maybe a comment. */
static bool is_empty_line(const struct prepare *p)
{
    const char *at = p->text + p->at;
    return p->at == p->len || *at == '\n' || *at == '#' || (*at == '\r' && p->at + 1 < p->len && at[1] == '\n');
}

/* In open brackets a line that can only begin a statement shows that one is missing. */
static void begin_line(struct prepare *p)
{
    static const char *const begins[] = {"def", "class", "import", NULL};
    const uint32_t line = p->at;
    uint32_t column = 0;
    for (; p->at < p->len && strchr(" \t\f", p->text[p->at]) && p->text[p->at]; p->at++)
        column = p->text[p->at] == ' ' ? column + 1 : p->text[p->at] == '\t' ? (column / 8 + 1) * 8 : 0;
    if (p->open_count > 1 && !column && is_one_of(p, begins)) {
        end_statement(p);
        cut(p);
    }
    if (p->open_count == 1 && !p->open->tokens && !is_empty_line(p))
        begin_statement(p, line, column);
}

/* --- bytes ------------------------------------------------------------------------------------------------------------------ */

static void pass_comment(struct prepare *p)
{
    const char *lf = memchr(p->text + p->at, '\n', p->len - p->at);
    uint32_t end = lf ? (uint32_t)(lf - p->text) : p->len;
    if (lf && p->text[end - 1] == '\r')
        end--;
    p->comments = mem_grow(p->comments, &p->comment_room, p->comment_count + 1, sizeof *p->comments);
    p->comments[p->comment_count++] = (struct span_of_text){p->at, end};
    memset(p->text + p->at, ' ', end - p->at);
    p->at = end;
}

static void pass_line_end(struct prepare *p)
{
    if (p->open_count == 1 && p->open->tokens)
        end_statement(p);
    p->at++;
    begin_line(p);
}

static void pass_backslash(struct prepare *p)
{
    const uint32_t lf = p->at + 1 < p->len && p->text[p->at + 1] == '\r' ? p->at + 2 : p->at + 1;
    if (lf < p->len && p->text[lf] == '\n') {
        memset(p->text + p->at, ' ', lf + 1 - p->at);
        p->at = lf + 1;
        return;
    }
    prepare_top(p)->tokens++;
    p->at++;
}

static void pass_quote(struct prepare *p, bool raw, bool formatted)
{
    const char *at = p->text + p->at;
    const bool triple = p->at + 2 < p->len && at[1] == *at && at[2] == *at;
    prepare_top(p)->tokens++;
    p->at += triple ? 3 : 1;
    prepare_string(p, (struct quoting){*at, triple, raw, formatted});
}

static bool in_word(unsigned char c)
{
    return c >= 128 || c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/*
 * Before a bracket or dot these are names, which the grammar can mistake for the statements of the same word: type(a).b = c.
 * A name that is no word of the grammar stands in.
 */
static void hide_soft_word(struct prepare *p, uint32_t begin)
{
    static const char *const soft[] = {"print", "exec", "type"};
    uint32_t next = p->at;
    while (next < p->len && (p->text[next] == ' ' || p->text[next] == '\t'))
        next++;
    const bool is_name = next < p->len && strchr("(.", p->text[next]) && p->text[next];
    for (size_t i = 0; is_name && i < sizeof soft / sizeof *soft; i++)
        if (p->at - begin == strlen(soft[i]) && memcmp(p->text + begin, soft[i], p->at - begin) == 0)
            memset(p->text + begin, '_', p->at - begin);
}

/* A name or number, or what stands before the quotes of a string. */
static void pass_word(struct prepare *p)
{
    const uint32_t begin = p->at;
    bool prefix = true, raw = false, formatted = false;
    for (; p->at < p->len && in_word((unsigned char)p->text[p->at]); p->at++) {
        const char c = p->text[p->at] | 32;
        prefix &= c == 'r' || c == 'b' || c == 'u' || c == 'f';
        raw |= c == 'r';
        formatted |= c == 'f';
    }
    if (prefix && p->at < p->len && (p->text[p->at] == '"' || p->text[p->at] == '\''))
        pass_quote(p, raw, formatted);
    else {
        hide_soft_word(p, begin);
        prepare_top(p)->tokens++;
    }
}

static void pass_colon(struct prepare *p)
{
    struct prepare_open *top = prepare_top(p);
    top->tokens++;
    top->pairs = true;
    p->at++;
    if (top->kind == OPEN_HOLE && !p->beyond)
        prepare_spec(p);
}

static void pass_byte(struct prepare *p)
{
    switch (p->text[p->at]) {
    case ' ':
    case '\t':
    case '\f':
    case '\r':
        p->at++;
        break;
    case '\n':
        pass_line_end(p);
        break;
    case '\\':
        pass_backslash(p);
        break;
    case '#':
        pass_comment(p);
        break;
    case '"':
    case '\'':
        pass_quote(p, false, false);
        break;
    case '(':
    case '[':
    case '{':
        open_bracket(p);
        break;
    case ')':
    case ']':
    case '}':
        close_bracket(p);
        break;
    case ':':
        pass_colon(p);
        break;
    default:
        if (in_word((unsigned char)p->text[p->at])) {
            pass_word(p);
        } else {
            prepare_top(p)->tokens++;
            p->at++;
        }
    }
}

/* --- the whole -------------------------------------------------------------------------------------------------------------- */

/* A CR that no LF follows ends a line too. */
static void unify_line_ends(char *text, size_t len)
{
    for (char *at = text, *end = text + len; at < end; at++) {
        at = memchr(at, '\r', (size_t)(end - at));
        if (!at)
            return;
        if (at + 1 == end || at[1] != '\n')
            *at = '\n';
    }
}

static void blank_taken_out(const struct prepare *p)
{
    for (size_t i = 0; i < p->taken_out_count; i++) {
        const struct taken_out *taken = &p->taken_out[i];
        memset(p->text + taken->begin, ' ', taken->end - taken->begin);
        memset(p->text + taken->begin, '.', 3);
    }
}

static void hand_over(struct prepare *p, struct arena *arena, struct prepared *prepared)
{
    *prepared = (struct prepared){
        .text = {p->text, p->len},
        .comments = arena_move(arena, p->comments, p->comment_count * sizeof *p->comments),
        .taken_out = arena_move(arena, p->taken_out, p->taken_out_count * sizeof *p->taken_out),
        .pieces = arena_move(arena, p->pieces, p->piece_count * sizeof *p->pieces),
        .comment_count = (uint32_t)p->comment_count,
        .taken_out_count = (uint32_t)p->taken_out_count,
        .piece_count = (uint32_t)p->piece_count,
    };
    mem_free(p->open);
}

static const str byte_order_mark = {"\xef\xbb\xbf", 3};

void prepare(struct arena *arena, str text, struct prepared *prepared)
{
    struct prepare p = {.text = arena_alloc(arena, text.len), .len = (uint32_t)text.len};
    if (text.len)
        memcpy(p.text, text.at, text.len);
    unify_line_ends(p.text, p.len);
    prepare_push(&p, (struct prepare_open){.kind = OPEN_LINE});
    cut(&p);
    if (str_starts(text, byte_order_mark)) {
        memset(p.text, '\f', byte_order_mark.len);
        p.at = (uint32_t)byte_order_mark.len;
    }
    begin_line(&p);
    while (p.at < p.len)
        pass_byte(&p);
    end_statement(&p);
    blank_taken_out(&p);
    hand_over(&p, arena, prepared);
}
