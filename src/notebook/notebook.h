/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Jupyter notebook (nbformat 3 and 4) as one program: the Python of its code cells, in order, one below the other.
 *
 *     struct notebook notebook;
 *     if (notebook_read(&arena, path, raw, &notebook, &err))
 *         tree = syntax_parse(&arena, path, notebook.program);
 *     cell = notebook_cell_at(&notebook, tree->begin[node]);
 *
 * What IPython alone understands (%magic, !shell, name?) is masked: the program has other bytes there, as many, so that
 * every place of the program is a place of a cell. Cells of other languages (%%bash) are left out, and so are those that
 * do not parse, which are listed.
 *
 * Edits of the program become edits of the file, in which nothing else changes: a source stays a list of lines or one
 * text, with the blanks and escapes of the file.
 */
#ifndef NOTEBOOK_NOTEBOOK_H
#define NOTEBOOK_NOTEBOOK_H

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"
#include "syntax/edit.h"

/* A string of the file that holds a part of a source: a line of a list of lines, or all of it. */
struct notebook_piece {
    uint32_t begin, end; /* in the program */
    uint32_t raw;        /* byte of the file, behind the opening quote */
    uint32_t line;       /* of the file, from 1 */
    uint32_t column;     /* there, in UTF-16 units from 1 */
    str quoted;          /* what stands between the quotes */
};

struct notebook_cell {
    uint32_t number;     /* of all cells of the file, from 1 */
    uint32_t begin, end; /* in the program, without the end of line that may have been put behind it */
    uint32_t body; /* behind a magic of the whole cell, before which nothing may come; its begin where there is none */
    uint32_t first_line; /* of the program */
    uint32_t first_piece, piece_count;
    bool closed; /* an end of line was put behind it */
    str between; /* of a list of lines: what stands between two of them; "" of one text */
};

/* A cell that was left out though it should hold Python. */
struct notebook_left_out {
    uint32_t cell, line; /* line of the cell; 0: unknown */
    const char *why;
};

struct notebook {
    str program;  /* what is parsed */
    str original; /* of the same length, nothing masked */
    struct notebook_cell *cells;
    struct notebook_piece *pieces; /* in the order of the file, which is that of the program */
    struct span_of_text *masked;   /* of the program */
    struct notebook_left_out *left_out;
    uint32_t cell_count, piece_count, masked_count, left_out_count;
    uint32_t file_bytes;
    bool ascii; /* the file escapes what is not ASCII */
};

enum { NOTEBOOK_BYTES = 1 << 30 }; /* pictures in the output make notebooks large */

/* A notebook by its name. */
bool notebook_named(str path);

/*
 * Everything lies in the arena; `raw` is not needed afterwards. False where the file is broken or no notebook of Python;
 * the message names the line of the file.
 */
bool notebook_read(struct arena *arena, str path, str raw, struct notebook *notebook, struct steptime_error *err);

/* The cell in which a byte of the program lies; NULL where there is none at all. */
const struct notebook_cell *notebook_cell_at(const struct notebook *notebook, uint32_t byte);

/* The cell of a line of the program. */
const struct notebook_cell *notebook_cell_of_line(const struct notebook *notebook, uint32_t line);

/* Where a byte of the program stands in the file: line from 1, column in UTF-16 units from 1. */
struct place_in_text notebook_file_place(const struct notebook *notebook, uint32_t byte);

/* The same of a byte of the file that stands in a source, as those of edits do. */
struct place_in_text notebook_place_of_file_byte(const struct notebook *notebook, uint32_t byte);

/* Whether an edit of the program can be written back: in one cell, and not in what is masked. */
bool notebook_takes(const struct notebook *notebook, const struct edit *edit);

/* Edits of the program, all of which it takes, as edits of the file. The list and its texts lie in the arena. */
struct edit *notebook_edits(const struct notebook *notebook, struct arena *arena, const struct edit *edits,
                            uint32_t count);

/* Whether a file still has the sources that were read. */
bool notebook_is_of(const struct notebook *notebook, str raw);

#endif
