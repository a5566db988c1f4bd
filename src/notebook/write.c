/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of the program as edits of the file. A text that is put in is written as the strings around it are; where its
 * source is a list of lines, each line becomes a string of its own.
 */
#include "base/buf.h"
#include "base/utf8.h"
#include "place.h"

/* An edit within one cell, as it can be written. */
struct placed {
    const struct notebook_cell *cell;
    uint32_t begin, end;
    bool break_first; /* what is put in begins a line of its own behind the last */
    bool drop_break;  /* its last end of line is that which the cell does without */
};

/* ---- where it goes ---- */

static bool is_masked(const struct notebook *notebook, uint32_t begin, uint32_t end)
{
    uint32_t from = 0, to = notebook->masked_count;
    while (from < to) { /* the first span that ends behind the begin */
        const uint32_t middle = from + (to - from) / 2;
        if (notebook->masked[middle].end <= begin)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == notebook->masked_count)
        return false;
    const struct span_of_text *span = &notebook->masked[from];
    return begin == end ? span->begin < begin : span->begin < end;
}

static bool is_last(const struct notebook *notebook, const struct notebook_cell *cell)
{
    return cell == &notebook->cells[notebook->cell_count - 1];
}

/* Lines behind the last one of a cell. */
static bool append(const struct notebook_cell *cell, str text, struct placed *placed)
{
    const bool whole = text.len && text.at[text.len - 1] == '\n';
    *placed = (struct placed){.cell = cell,
                              .begin = cell->end,
                              .end = cell->end,
                              .break_first = cell->closed && cell->end > cell->begin,
                              .drop_break = cell->closed};
    return cell->piece_count && whole;
}

static bool place_insertion(const struct notebook *notebook, const struct edit *edit, struct placed *placed)
{
    const struct notebook_cell *cell = notebook_cell_at(notebook, edit->begin);
    if (edit->begin > cell->end || (edit->begin == cell->end && !cell->closed && edit->begin > cell->begin))
        return is_last(notebook, cell) && append(cell, edit->text, placed);
    if (edit->begin < cell->body)
        return cell > notebook->cells && append(cell - 1, edit->text, placed);
    *placed = (struct placed){.cell = cell, .begin = edit->begin, .end = edit->begin};
    return cell->piece_count > 0;
}

static bool place_replacement(const struct notebook *notebook, const struct edit *edit, struct placed *placed)
{
    const struct notebook_cell *cell = notebook_cell_at(notebook, edit->begin);
    const bool over = cell->closed && edit->end == cell->end + 1; /* the end of line that is not in the file */
    if (edit->end > cell->end && !over)
        return false;
    *placed = (struct placed){.cell = cell, .begin = edit->begin, .end = over ? cell->end : edit->end};
    if (over && edit->text.len) {
        placed->drop_break = true;
        return edit->text.at[edit->text.len - 1] == '\n';
    }
    if (over && edit->begin > cell->begin && notebook->program.at[edit->begin - 1] == '\n') {
        placed->begin--;
        if (placed->begin > cell->begin && notebook->program.at[placed->begin - 1] == '\r')
            placed->begin--;
    }
    return cell->piece_count > 0;
}

static bool place_edit(const struct notebook *notebook, const struct edit *edit, struct placed *placed)
{
    if (!notebook->cell_count || is_masked(notebook, edit->begin, edit->end))
        return false;
    return edit->begin == edit->end ? place_insertion(notebook, edit, placed)
                                    : place_replacement(notebook, edit, placed);
}

bool notebook_takes(const struct notebook *notebook, const struct edit *edit)
{
    struct placed placed;
    return place_edit(notebook, edit, &placed);
}

/* ---- what is written ---- */

static void put_unit(struct buf *out, uint32_t code)
{
    buf_printf(out, "\\u%04x", code);
}

static void put_beyond_ascii(struct buf *out, str character, bool escape)
{
    const uint32_t code = utf8_character(character.at, character.len);
    if (!escape) {
        buf_add(out, character);
    } else if (code < 0x10000) {
        put_unit(out, code);
    } else {
        put_unit(out, 0xD800 + ((code - 0x10000) >> 10));
        put_unit(out, 0xDC00 + ((code - 0x10000) & 0x3FF));
    }
}

static void put_ascii(struct buf *out, char c)
{
    switch (c) {
    case '"':
        buf_add(out, S("\\\""));
        break;
    case '\\':
        buf_add(out, S("\\\\"));
        break;
    case '\n':
        buf_add(out, S("\\n"));
        break;
    case '\r':
        buf_add(out, S("\\r"));
        break;
    case '\t':
        buf_add(out, S("\\t"));
        break;
    default:
        if ((unsigned char)c < ' ')
            put_unit(out, (unsigned char)c);
        else
            buf_char(out, c);
    }
}

/* A line that ends is a string that ends, but for the end of the cell. */
static void put_text(struct buf *out, const struct notebook *notebook, str text, str between, bool to_end)
{
    for (size_t i = 0; i < text.len;) {
        const size_t bytes = utf8_length(text.at + i, text.len - i);
        if (bytes > 1)
            put_beyond_ascii(out, (str){text.at + i, bytes}, notebook->ascii);
        else
            put_ascii(out, text.at[i]);
        const bool ends = text.at[i] == '\n' && between.len;
        i += bytes ? bytes : 1;
        if (ends && !(to_end && i == text.len))
            buf_printf(out, "\"%.*s\"", (int)between.len, between.at);
    }
}

static uint32_t file_byte(const struct notebook *notebook, const struct notebook_cell *cell, uint32_t byte)
{
    const struct notebook_piece *piece = piece_at(notebook, cell, byte);
    return piece->raw + (uint32_t)quoted_bytes(piece, byte);
}

/* Not before `after`, where the edit before it ends: both may have taken the end of line between them. */
static struct edit write_edit(const struct notebook *notebook, struct arena *arena, const struct edit *edit,
                              uint32_t after)
{
    struct placed placed = {0};
    place_edit(notebook, edit, &placed);
    struct arena scratch = {0};
    struct buf out = {0};
    str text = edit->text;
    if (placed.drop_break)
        text.len--;
    if (placed.break_first)
        text = str_printf(&scratch, "\n%.*s", (int)text.len, text.at);
    put_text(&out, notebook, text, placed.cell->between, placed.end == placed.cell->end);
    const uint32_t begin = file_byte(notebook, placed.cell, placed.begin);
    const struct edit written = {begin > after ? begin : after, file_byte(notebook, placed.cell, placed.end),
                                 str_copy(arena, buf_str(&out)), 0};
    buf_free(&out);
    arena_free(&scratch);
    return written;
}

struct edit *notebook_edits(const struct notebook *notebook, struct arena *arena, const struct edit *edits,
                            uint32_t count)
{
    struct edit *list = arena_array(arena, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        list[i] = write_edit(notebook, arena, &edits[i], i ? list[i - 1].end : 0);
    return list;
}
