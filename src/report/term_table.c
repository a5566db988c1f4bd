/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table on a terminal. Numbers stand at the right of their column, all in one
 * unit, which the heading names. Where the terminal is too narrow the bars go
 * first, then the middles of long names, then columns from the right, those that
 * answer last of all, and a line says which.
 */
#include <math.h>
#include <string.h>

#include "glyph.h"
#include "scale.h"
#include "term.h"

enum {
    GAP = 2,         /* blanks between columns */
    BAR = 8,         /* columns of a bar, with a blank before */
    LEAST_TEXT = 16, /* texts are not shortened below this */
    NAME_SHARE = 3,  /* nor names, which tell rows apart, below so many tenths of the room */
    HEADING_LINES = 3,
    CELL_LINES = 4, /* of a row, at most: of sentences */
};

/* A column as it is shown. */
struct shape {
    const struct column *column;
    uint32_t at;        /* index in the table */
    struct scale scale; /* of the rows shown */
    bool bar;
    str *cells;  /* one a row */
    str heading; /* title and unit */
    unsigned width, natural;
};

struct layout {
    const struct table *table;
    struct shape *shapes;
    uint32_t count;   /* shapes that fit */
    uint32_t visible; /* shapes in all */
    struct rows rows;
    uint32_t stacked; /* column of the numbers of a stacked bar; COLUMN_NONE */
};

/* ---- cells ---- */

static unsigned longest_word(str text)
{
    unsigned longest = 0;
    for (str word; str_cut(&text, ' ', &word);)
        if (glyph_width(word) > longest)
            longest = glyph_width(word);
    return longest;
}

/* The lines of a heading in so many columns; at most `room` are kept. */
static unsigned heading_lines(str heading, unsigned columns, str *lines, unsigned room)
{
    unsigned count = 0;
    for (str line; glyph_wrap(&heading, columns, &line); count++)
        if (count < room)
            lines[count] = line;
    return count;
}

/* The least width, from the given one up, at which the heading takes so many lines. */
static unsigned width_for_lines(str heading, unsigned width, unsigned lines)
{
    while (heading_lines(heading, width, NULL, 0) > lines)
        width++;
    return width;
}

static void fill_shape(struct term *term, struct shape *shape, const struct rows *rows)
{
    const uint32_t lines = rows_lines(rows);
    shape->scale = scale_of(rows, shape->at);
    shape->bar = shape->scale.number && (shape->column->flags & COLUMN_BAR) && shape->scale.largest > 0;
    shape->heading = term_text(term, scale_heading(term->arena, &shape->scale, shape->column->title));
    shape->width = longest_word(shape->heading);
    shape->cells = arena_array(term->arena, lines, sizeof *shape->cells);
    for (uint32_t line = 0; line < lines; line++) {
        shape->cells[line] = term_text(term, scale_line(term->arena, &shape->scale, rows, line, shape->at));
        const unsigned width = glyph_width(shape->cells[line]);
        if (width > shape->width)
            shape->width = width;
    }
    shape->width = width_for_lines(shape->heading, shape->width, HEADING_LINES);
    shape->natural = shape->width;
}

static struct layout layout_of(struct term *term, const struct table *table, bool all)
{
    struct layout layout = {.table = table, .rows = rows_seen(table, term->options->rows, term->arena)};
    layout.shapes = arena_array(term->arena, table->column_count, sizeof *layout.shapes);
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (!all && ((table->columns[i].flags & COLUMN_DETAIL) || scale_is_empty(&layout.rows, i)))
            continue;
        struct shape *shape = &layout.shapes[layout.visible++];
        *shape = (struct shape){.column = &table->columns[i], .at = i};
        fill_shape(term, shape, &layout.rows);
    }
    layout.count = layout.visible;
    return layout;
}

/* ---- fitting the width ---- */

static unsigned mark_room(const struct layout *layout)
{
    return layout->stacked == COLUMN_NONE ? 0 : 2;
}

static unsigned width_of(const struct layout *layout)
{
    unsigned width = TERM_INDENT + mark_room(layout);
    for (uint32_t i = 0; i < layout->count; i++)
        width += (i ? GAP : 0) + layout->shapes[i].width + (layout->shapes[i].bar ? 1 + BAR : 0);
    return width;
}

static void drop_bars(struct layout *layout)
{
    for (uint32_t i = 0; i < layout->count; i++)
        layout->shapes[i].bar = false;
}

/* Names keep a share of the room: a row whose name cannot be read says nothing, however many columns it has. */
static unsigned least_width(const struct shape *shape, unsigned room)
{
    const unsigned share = shape->column->flags & COLUMN_WIDE ? room * NAME_SHARE / 10 : 0;
    return share > LEAST_TEXT ? share : LEAST_TEXT;
}

/* The widest text that may still be shortened; NULL when all are at their least. */
static struct shape *widest_text(struct layout *layout, unsigned room)
{
    struct shape *widest = NULL;
    for (uint32_t i = 0; i < layout->count; i++) {
        struct shape *shape = &layout->shapes[i];
        if (!shape->scale.number && shape->width > least_width(shape, room) &&
            (!widest || shape->width > widest->width))
            widest = shape;
    }
    return widest;
}

static void shorten_texts(struct layout *layout, unsigned room)
{
    unsigned width = width_of(layout);
    for (struct shape *text; width > room && (text = widest_text(layout, room)); width--)
        text->width--;
}

/* Texts take back what a column that went has left free. */
static void lengthen_texts(struct layout *layout, unsigned room)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        struct shape *shape = &layout->shapes[i];
        const unsigned width = width_of(layout);
        const unsigned more = shape->natural - shape->width;
        if (width < room)
            shape->width += more < room - width ? more : room - width;
    }
}

static bool widen_headings(struct layout *layout, unsigned room, unsigned lines)
{
    unsigned width = width_of(layout);
    for (uint32_t i = 0; i < layout->count; i++) {
        const struct shape *shape = &layout->shapes[i];
        width += width_for_lines(shape->heading, shape->width, lines) - shape->width;
    }
    for (uint32_t i = 0; i < layout->count && width <= room; i++) {
        struct shape *shape = &layout->shapes[i];
        shape->width = width_for_lines(shape->heading, shape->width, lines);
    }
    return width <= room;
}

/* Headings take as few lines as the room allows. */
static void flatten_headings(struct layout *layout, unsigned room)
{
    for (unsigned lines = 1; lines < HEADING_LINES; lines++)
        if (widen_headings(layout, room, lines))
            return;
}

/* The column that can be spared first: the last that is no answer; of answers alone the last. The first, which tells rows apart, stays. */
static uint32_t spared_first(const struct layout *layout)
{
    for (uint32_t i = layout->count; i-- > 1;)
        if (!(layout->shapes[i].column->flags & (COLUMN_ANSWER | COLUMN_PART)))
            return i;
    return layout->count - 1;
}

/* Behind those that fit, where the ones that went before it are. */
static void drop_column(struct layout *layout)
{
    const uint32_t at = spared_first(layout);
    const struct shape gone = layout->shapes[at];
    layout->count--;
    memmove(&layout->shapes[at], &layout->shapes[at + 1], (layout->count - at) * sizeof gone);
    layout->shapes[layout->count] = gone;
}

/* A bar says again what its number does: names that could be read without it are worth more. */
static bool names_are_cut(const struct layout *layout)
{
    enum { READABLE = 40 };
    for (uint32_t i = 0; i < layout->count; i++) {
        const struct shape *shape = &layout->shapes[i];
        if ((shape->column->flags & (COLUMN_WIDE | COLUMN_WRAP)) == COLUMN_WIDE && shape->width < shape->natural &&
            shape->width < READABLE)
            return true;
    }
    return false;
}

static void fit(struct layout *layout, unsigned room)
{
    shorten_texts(layout, room);
    if (width_of(layout) > room || names_are_cut(layout))
        drop_bars(layout);
    while (width_of(layout) > room && layout->count > 1)
        drop_column(layout);
    lengthen_texts(layout, room);
    flatten_headings(layout, room);
}

/* ---- drawing ---- */

static void put_text(struct term *term, enum style style, const struct shape *shape, str text)
{
    if (shape->scale.number)
        term_right(term, style, text, shape->width);
    else
        term_left(term, style, text, shape->width);
}

static unsigned heading_height(const struct layout *layout)
{
    unsigned height = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        const struct shape *shape = &layout->shapes[i];
        const unsigned count = heading_lines(shape->heading, shape->width, NULL, 0);
        height = count > height ? count : height;
    }
    return height < HEADING_LINES ? height : HEADING_LINES;
}

static void put_heading(struct term *term, const struct layout *layout)
{
    const unsigned height = heading_height(layout);
    for (unsigned line = 0; line < height; line++) {
        for (uint32_t i = 0; i < layout->count; i++) {
            const struct shape *shape = &layout->shapes[i];
            str lines[HEADING_LINES];
            const unsigned all = heading_lines(shape->heading, shape->width, lines, HEADING_LINES);
            const unsigned count = all < HEADING_LINES ? all : HEADING_LINES;
            const bool blank = line + count < height;
            term_pad(term, i ? GAP : TERM_INDENT + mark_room(layout));
            put_text(term, STYLE_DIM, shape, blank ? S("") : lines[line + count - height]);
            term_pad(term, shape->bar ? 1 + BAR : 0);
        }
        term_line(term);
    }
    term_pad(term, TERM_INDENT);
    term_repeat(term, STYLE_DIM, term->options->unicode ? S("─") : S("-"), width_of(layout) - TERM_INDENT);
    term_line(term);
}

/* A row with no piece in the bar has no mark. */
static void put_mark(struct term *term, const struct layout *layout, uint32_t line)
{
    if (layout->stacked == COLUMN_NONE)
        return;
    const bool one = !rows_is_fold(&layout->rows, line); /* the pieces of the others are too small to be seen */
    const uint32_t row = one ? rows_index(&layout->rows, line) : 0;
    double number;
    if (one && cell_number(rows_cell(&layout->rows, line, layout->stacked), &number) && number > 0)
        term_put(term, term_mark_style(row), term_mark(term, row));
    else
        term_pad(term, 1);
    term_pad(term, 1);
}

static void put_bar(struct term *term, const struct layout *layout, const struct shape *shape, uint32_t line)
{
    double number = 0;
    cell_number(rows_cell(&layout->rows, line, shape->at), &number);
    term_pad(term, 1);
    term_bar(term, STYLE_BAR, number / shape->scale.largest, BAR);
}

/* The part of a cell that stands in the line `k` of its row; the last holds the rest, cut where it must be. */
static str cell_part(const struct shape *shape, str cell, unsigned k)
{
    str rest = cell, part;
    if (!(shape->column->flags & COLUMN_WRAP) || shape->scale.number)
        return k ? S("") : cell;
    for (unsigned i = 0; i < k; i++)
        if (!glyph_wrap(&rest, shape->width, &part))
            return S("");
    const str all = rest;
    if (!glyph_wrap(&rest, shape->width, &part))
        return S("");
    return k == CELL_LINES - 1 && rest.at ? all : part;
}

static unsigned row_height(const struct layout *layout, uint32_t line)
{
    unsigned height = 1;
    for (uint32_t i = 0; i < layout->count; i++)
        while (height < CELL_LINES && cell_part(&layout->shapes[i], layout->shapes[i].cells[line], height).len)
            height++;
    return height;
}

static void put_row(struct term *term, const struct layout *layout, uint32_t line)
{
    const unsigned height = row_height(layout, line);
    for (unsigned k = 0; k < height; k++) {
        term_pad(term, TERM_INDENT);
        if (k)
            term_pad(term, mark_room(layout));
        else
            put_mark(term, layout, line);
        for (uint32_t i = 0; i < layout->count; i++) {
            const struct shape *shape = &layout->shapes[i];
            term_pad(term, i ? GAP : 0);
            put_text(term, STYLE_PLAIN, shape, cell_part(shape, shape->cells[line], k));
            if (shape->bar && k)
                term_pad(term, 1 + BAR);
            else if (shape->bar)
                put_bar(term, layout, shape, line);
        }
        term_line(term);
    }
}

static void put_note(struct term *term, str note)
{
    term_pad(term, TERM_INDENT);
    term_paragraph(term, STYLE_DIM, note, TERM_INDENT);
}

static void put_left_out(struct term *term, const struct layout *layout)
{
    str names = S("");
    for (uint32_t i = layout->count; i < layout->visible; i++) {
        const str title = layout->shapes[i].column->title;
        names = str_printf(term->arena, "%.*s%s%.*s", (int)names.len, names.at, names.len ? ", " : "", (int)title.len,
                           title.at);
    }
    if (names.len)
        put_note(term, str_printf(term->arena, "too narrow for: %.*s", (int)names.len, names.at));
    const str note = rows_note(&layout->rows, term->arena);
    if (note.len)
        put_note(term, note);
}

void term_table(struct term *term, const struct table *table, bool all, uint32_t stacked)
{
    struct layout layout = layout_of(term, table, all);
    layout.stacked = stacked;
    if (!layout.count)
        return;
    fit(&layout, term->width);
    put_heading(term, &layout);
    for (uint32_t line = 0; line < rows_lines(&layout.rows); line++)
        put_row(term, &layout, line);
    term->folded = term->folded || (layout.rows.folded && !table->whole_words.len);
    if (table->row_count)
        put_left_out(term, &layout);
    else
        put_note(term, S("none"));
}
