/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a notebook. What was read keeps the lines of its cells, every place of it is one of the file, and a line
 * put in anywhere is found again when the file is read again.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "notebook/notebook.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

static void program_has_the_lines_of_the_file(const struct notebook *notebook)
{
    must(notebook->program.len == notebook->original.len);
    for (size_t i = 0; i < notebook->program.len; i++)
        must(ends_line(notebook->program.at[i]) == ends_line(notebook->original.at[i]));
}

static void places_are_of_the_file(const struct notebook *notebook, str raw)
{
    for (uint32_t i = 0; i < notebook->piece_count; i++) {
        const struct notebook_piece *piece = &notebook->pieces[i];
        must((size_t)piece->raw + piece->quoted.len <= raw.len && piece->raw > 0);
        must(raw.at[piece->raw - 1] == '"' && raw.at[piece->raw + piece->quoted.len] == '"');
    }
    for (uint32_t at = 0; at <= notebook->program.len; at += 1 + at / 16)
        must(notebook_file_place(notebook, at).column > 0);
    must(notebook_is_of(notebook, raw));
}

/* Without ends of lines, for the last one of a cell may go. */
static str pressed(struct arena *arena, str text)
{
    char *to = arena_alloc(arena, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++)
        if (!ends_line(text.at[i]))
            to[len++] = text.at[i];
    return (str){to, len};
}

static str with(struct arena *arena, str text, const struct edit *edit)
{
    struct buf out = {0};
    buf_add(&out, (str){text.at, edit->begin});
    buf_add(&out, edit->text);
    buf_add(&out, str_from(text, edit->end));
    const str all = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return all;
}

static void is_found_again(struct arena *arena, const struct notebook *notebook, str raw, uint32_t at)
{
    const struct edit edit = {at, at, S("q = '\xC3\xA9\"'\n"), 0};
    if (!notebook_takes(notebook, &edit))
        return;
    const struct edit *written = notebook_edits(notebook, arena, &edit, 1);
    must(written->begin == written->end && written->end <= raw.len);
    struct notebook again;
    const str changed = with(arena, raw, written);
    must(notebook_read(arena, S("again.ipynb"), changed, &again, NULL));
    const str now = pressed(arena, again.original);
    must(str_eq(now, pressed(arena, with(arena, notebook->original, &edit))) ||
         again.cell_count != notebook->cell_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = {0};
    struct notebook notebook;
    const str raw = {(const char *)bytes, size};
    if (notebook_read(&arena, S("fuzz.ipynb"), raw, &notebook, NULL)) {
        program_has_the_lines_of_the_file(&notebook);
        places_are_of_the_file(&notebook, raw);
        for (uint32_t i = 0; i < notebook.cell_count && i < 8; i++) {
            is_found_again(&arena, &notebook, raw, notebook.cells[i].begin);
            is_found_again(&arena, &notebook, raw, notebook.cells[i].end);
        }
    }
    arena_free(&arena);
    return 0;
}
