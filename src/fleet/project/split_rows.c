/* SPDX-License-Identifier: Apache-2.0 */
#include "split_rows.h"

#include "row_stream.h"

/* What stands before the name. */
struct head {
    double ms[PARTS], step_ms, cnodes;
    uint8_t architecture, bottleneck, name_length;
};

void split_row_write(struct buf *rows, const struct job *job, const struct job_step *step)
{
    struct head head = {.step_ms = step->step_ms, .cnodes = job->field[JOB_CNODES]};
    head.architecture = (uint8_t)job->architecture;
    head.bottleneck = (uint8_t)step->bottleneck;
    head.name_length = (uint8_t)(job->name.len < ROW_NAME_MOST ? job->name.len : ROW_NAME_MOST);
    for (int part = 0; part < PARTS; part++)
        head.ms[part] = step->ms[part];
    buf_add(rows, (str){(const char *)&head, sizeof head});
    buf_add(rows, (str){job->name.at, head.name_length});
}

/* ---- showing ---- */

enum { COLUMNS = 3 + PARTS + 2 };

static bool read_row(struct spool *rows, char name[ROW_NAME_MOST], struct cell *cells)
{
    struct head head;
    if (!spool_read(rows, &head, sizeof head) || !spool_read(rows, name, head.name_length))
        return false;
    *cells++ = cell_text((str){name, head.name_length});
    for (int part = 0; part < PART_BUBBLE; part++)
        *cells++ = cell_real(head.ms[part]);
    *cells++ = cell_real(head.step_ms);
    *cells++ = isnan(head.step_ms) ? cell_null() : cell_text(part_word(head.bottleneck));
    *cells++ = cell_text(architecture_word(head.architecture));
    *cells++ = cell_count(head.cnodes);
    *cells = cell_real(head.ms[PART_BUBBLE]);
    return true;
}

static const struct column_spec jobs_columns[] = {
    {"job", "job", UNIT_NONE, COLUMN_WIDE, "name of the job"},
    {"input_ms", "input", UNIT_MS, 0, "time of the input data on their way to the GPU"},
    {"compute_bound_ms", "compute-bound", UNIT_MS, 0, "time of compute-bound operators"},
    {"memory_bound_ms", "memory-bound", UNIT_MS, 0, "time of memory-bound operators"},
    {"weight_ms", "weights", UNIT_MS, 0, "time of weights and gradients on their way"},
    {"step_ms", "step", UNIT_MS, 0, "the step: the parts together as the architecture overlaps them"},
    {"bottleneck", "bottleneck", UNIT_NONE, COLUMN_WORDS, "the longest part; of equal ones the first"},
    {"architecture", "architecture", UNIT_NONE, 0, "its training architecture"},
    {"cnodes", "cNodes", UNIT_COUNT, 0, "its computing nodes"},
    {"bubble_ms", "bubble", UNIT_MS, COLUMN_DETAIL, "time in which a pipeline's stage waits"},
    {0},
};

void split_rows_show(struct spool *rows, struct section *section, struct report *report)
{
    struct table *table = section_table(section, "jobs", "");
    table_columns(table, jobs_columns);
    row_stream_show(rows, read_row, COLUMNS, table, report);
}
