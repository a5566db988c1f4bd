/* SPDX-License-Identifier: Apache-2.0 */
/* From places of the program to cells, and to places of the file. */
#include "place.h"

#include "base/utf8.h"
#include "text/json.h"

const struct notebook_cell *notebook_cell_at(const struct notebook *notebook, uint32_t byte)
{
    uint32_t from = 0, to = notebook->cell_count;
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        if (notebook->cells[middle].begin <= byte)
            from = middle;
        else
            to = middle;
    }
    return notebook->cell_count ? &notebook->cells[from] : NULL;
}

const struct notebook_cell *notebook_cell_of_line(const struct notebook *notebook, uint32_t line)
{
    uint32_t from = 0, to = notebook->cell_count;
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        if (notebook->cells[middle].first_line <= line)
            from = middle;
        else
            to = middle;
    }
    return notebook->cell_count ? &notebook->cells[from] : NULL;
}

const struct notebook_piece *piece_at(const struct notebook *notebook, const struct notebook_cell *cell, uint32_t byte)
{
    if (!cell->piece_count)
        return NULL;
    uint32_t from = cell->first_piece, to = cell->first_piece + cell->piece_count - 1;
    while (from < to) { /* the first that ends behind the byte, else the last */
        const uint32_t middle = from + (to - from) / 2;
        if (notebook->pieces[middle].end > byte)
            to = middle;
        else
            from = middle + 1;
    }
    return &notebook->pieces[from];
}

/* Bytes of the file that make the character at `at`, and of the text that it becomes. */
static size_t unit(str quoted, size_t at, size_t *becomes)
{
    enum { ESCAPED = 6 };
    *becomes = 1;
    if (quoted.at[at] != '\\')
        return 1;
    if (quoted.at[at + 1] != 'u')
        return 2;
    struct arena scratch = {0};
    size_t bytes = ESCAPED;
    *becomes = json_decode(&scratch, (str){quoted.at + at, ESCAPED}).len;
    if (quoted.len - at >= 2 * ESCAPED && json_decode(&scratch, (str){quoted.at + at, 2 * ESCAPED}).len == 4 &&
        quoted.at[at + ESCAPED] == '\\' && quoted.at[at + ESCAPED + 1] == 'u' && *becomes == 3) {
        bytes = 2 * ESCAPED;
        *becomes = 4;
    }
    arena_free(&scratch);
    return bytes;
}

size_t quoted_bytes(const struct notebook_piece *piece, uint32_t byte)
{
    const size_t wanted = byte > piece->begin ? byte - piece->begin : 0;
    size_t at = 0, becomes;
    for (size_t text = 0; text < wanted && at < piece->quoted.len; text += becomes)
        at += unit(piece->quoted, at, &becomes);
    return at < piece->quoted.len ? at : piece->quoted.len;
}

struct place_in_text notebook_file_place(const struct notebook *notebook, uint32_t byte)
{
    const struct notebook_cell *cell = notebook_cell_at(notebook, byte);
    const struct notebook_piece *piece = cell ? piece_at(notebook, cell, byte) : NULL;
    if (!piece)
        return (struct place_in_text){1, 1};
    const size_t bytes = quoted_bytes(piece, byte < piece->end ? byte : piece->end);
    return (struct place_in_text){piece->line, piece->column + (uint32_t)utf16_units(piece->quoted.at, bytes)};
}

struct place_in_text notebook_place_of_file_byte(const struct notebook *notebook, uint32_t byte)
{
    uint32_t from = 0, to = notebook->piece_count;
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        if (notebook->pieces[middle].raw <= byte)
            from = middle;
        else
            to = middle;
    }
    const struct notebook_piece *piece = &notebook->pieces[from];
    const uint32_t bytes = byte - piece->raw;
    return (struct place_in_text){piece->line, piece->column + (uint32_t)utf16_units(piece->quoted.at, bytes)};
}

bool notebook_is_of(const struct notebook *notebook, str raw)
{
    if (raw.len != notebook->file_bytes)
        return false;
    for (uint32_t i = 0; i < notebook->piece_count; i++) {
        const struct notebook_piece *piece = &notebook->pieces[i];
        if (memcmp(raw.at + piece->raw, piece->quoted.at, piece->quoted.len) != 0)
            return false;
    }
    return true;
}
