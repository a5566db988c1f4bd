/* SPDX-License-Identifier: Apache-2.0 */
/* From places of the program to cells, and to places of the file. */
#include "place.h"

#include "base/search.h"
#include "base/utf8.h"
#include "text/json.h"

/* The last of the rows whose number at `offset` is not above `at`, else the first. There is one. */
static size_t last_from(const void *rows, size_t count, size_t size, size_t offset, uint32_t at)
{
    const size_t behind = search_from(rows, count, size, offset, at + 1);
    return behind ? behind - 1 : 0;
}

static const struct notebook_cell *cell_begun(const struct notebook *notebook, size_t begin, uint32_t at)
{
    const struct notebook_cell *cells = notebook->cells;
    return notebook->cell_count ? &cells[last_from(cells, notebook->cell_count, sizeof *cells, begin, at)] : NULL;
}

const struct notebook_cell *notebook_cell_at(const struct notebook *notebook, uint32_t byte)
{
    return cell_begun(notebook, offsetof(struct notebook_cell, begin), byte);
}

const struct notebook_cell *notebook_cell_of_line(const struct notebook *notebook, uint32_t line)
{
    return cell_begun(notebook, offsetof(struct notebook_cell, first_line), line);
}

const struct notebook_piece *piece_at(const struct notebook *notebook, const struct notebook_cell *cell, uint32_t byte)
{
    if (!cell->piece_count)
        return NULL;
    const struct notebook_piece *pieces = &notebook->pieces[cell->first_piece];
    const size_t end = offsetof(struct notebook_piece, end); /* the first that ends behind the byte, else the last */
    return &pieces[search_from(pieces, cell->piece_count - 1, sizeof *pieces, end, byte + 1)];
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
    const struct notebook_piece *pieces = notebook->pieces;
    const size_t begin = offsetof(struct notebook_piece, raw);
    const struct notebook_piece *piece = &pieces[last_from(pieces, notebook->piece_count, sizeof *pieces, begin, byte)];
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
