/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cells of a notebook that an editor shows cell by cell (`notebookDocument` of the protocol). Each has a URI and a
 * version of its own. They are looked at as the notebook that they make, of which each cell is one line.
 */
#ifndef LSP_CELLS_H
#define LSP_CELLS_H

#include "rpc/message.h"
#include "position.h"

enum { CELLS_MOST = 4096 };

struct open_cell {
    struct buf uri, text;
    int64_t version;
    bool is_code, is_python;
    bool was_empty; /* an empty list was published last */
};

struct open_cells {
    struct open_cell **at; /* in the order of the notebook */
    uint32_t count;
    size_t room;
    bool too_many; /* there are more, so that those that are known say nothing */
};

struct open_cell *open_cells_find(const struct open_cells *cells, str uri);
void open_cells_free(struct open_cells *cells);

/* The parameters of didOpen. There are no cells before. */
void open_cells_open(struct open_cells *cells, struct arena *scratch, str params);

/*
 * The `cells` of didChange: what is moved, put in and taken out, of which kind a cell is, and texts. Cells that are no
 * longer in the notebook go to `gone`. What names no cell, or a place that there is not, changes nothing.
 */
void open_cells_change(struct open_cells *cells, struct open_cells *gone, struct arena *scratch, str change,
                       enum columns columns);

/* The notebook that they make, as the text of a file. */
void open_cells_write(const struct open_cells *cells, struct buf *text);

/* The number from 0 of the cell that a line of that text holds, from 1. */
int64_t open_cell_number(int64_t line);

/* A place of that text, in UTF-16 units from 1, as one of the cell that stands there. */
struct position open_cell_position(const struct open_cell *cell, const struct text_lines *notebook, int64_t line,
                                   int64_t column, enum columns columns);

#endif
