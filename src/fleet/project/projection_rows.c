/* SPDX-License-Identifier: Apache-2.0 */
#include "projection_rows.h"

#include "row_stream.h"

/* What stands before the name. */
struct head {
    double before_ms, after_ms, cnodes, after_cnodes, speedup, cnode_speedup;
    uint8_t architecture, bottleneck, after_bottleneck, obstacle, name_length;
};

void projection_row_write(struct buf *rows, const struct job *job, const struct projected *projected)
{
    struct head head = {
        .before_ms = projected->before.step_ms,
        .after_ms = projected->obstacle == OBSTACLE_NONE ? projected->after.step_ms : NAN,
        .cnodes = job->field[JOB_CNODES],
        .after_cnodes = projected->obstacle == OBSTACLE_NONE ? projected->cnodes : NAN,
        .speedup = projected->speedup,
        .cnode_speedup = projected->cnode_speedup,
        .architecture = (uint8_t)job->architecture,
        .bottleneck = (uint8_t)projected->before.bottleneck,
        .after_bottleneck = (uint8_t)projected->after.bottleneck,
        .obstacle = (uint8_t)projected->obstacle,
        .name_length = (uint8_t)(job->name.len < ROW_NAME_MOST ? job->name.len : ROW_NAME_MOST),
    };
    buf_add(rows, (str){(const char *)&head, sizeof head});
    buf_add(rows, (str){job->name.at, head.name_length});
}

enum { COLUMNS = 11 };

static bool read_row(struct spool *rows, char name[ROW_NAME_MOST], struct cell *cells)
{
    struct head head;
    if (!spool_read(rows, &head, sizeof head) || !spool_read(rows, name, head.name_length))
        return false;
    const bool there = head.obstacle == OBSTACLE_NONE;
    *cells++ = cell_text((str){name, head.name_length});
    *cells++ = cell_text(architecture_word(head.architecture));
    *cells++ = cell_count(head.cnodes);
    *cells++ = cell_count(head.after_cnodes);
    *cells++ = cell_real(head.before_ms);
    *cells++ = cell_real(head.after_ms);
    *cells++ = cell_real(head.speedup);
    *cells++ = cell_real(head.cnode_speedup);
    *cells++ = cell_text(part_word(head.bottleneck));
    *cells++ = there ? cell_text(part_word(head.after_bottleneck)) : cell_null();
    *cells = there ? cell_null() : cell_text(obstacle_word(head.obstacle));
    return true;
}

static const struct column_spec jobs_columns[] = {
    {"job", "job", UNIT_NONE, COLUMN_WIDE, "name of the job"},
    {"architecture", "architecture", UNIT_NONE, 0, "its training architecture"},
    {"cnodes", "cNodes", UNIT_COUNT, 0, "its computing nodes"},
    {"projected_cnodes", "cNodes there", UNIT_COUNT, 0, "computing nodes there"},
    {"step_ms", "step", UNIT_MS, 0, "its step here"},
    {"projected_ms", "step there", UNIT_MS, 0, "its step there"},
    {"speedup", "speed-up", UNIT_NONE, 0, "(cNodes there / here) x (step here / there); the batch of a cNode stays"},
    {"cnode_speedup", "of a cNode", UNIT_NONE, 0, "step here / there"},
    {"bottleneck", "bottleneck", UNIT_NONE, COLUMN_WORDS, "the longest part of the step here; of equal ones the first"},
    {"projected_bottleneck", "bottleneck there", UNIT_NONE, COLUMN_WORDS, "the longest part there"},
    {"obstacle", "obstacle", UNIT_NONE, 0, "why it cannot go: memory, link or field; null where nothing keeps it"},
    {0},
};

void projection_rows_show(struct spool *rows, struct section *section, struct report *report)
{
    struct table *table = section_table(section, "jobs", "");
    table_columns(table, jobs_columns);
    row_stream_show(rows, read_row, COLUMNS, table, report);
}
