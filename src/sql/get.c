/* SPDX-License-Identifier: Apache-2.0 */
#include "get.h"

struct cell get_row_or_null(uint32_t row)
{
    return cell_int_if(row != ROW_NONE, row);
}

struct cell get_rank(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int(part->rank);
}

struct cell get_item(struct sql_part *part, const struct sql_column *column, uint32_t item)
{
    return cell_int(item);
}

struct cell get_kind(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return cell_text(sql_kind_word((enum event_kind)part->trace->kind[row]));
}

struct cell get_name(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return cell_text(trace_name(part->trace, row));
}

struct cell get_lane(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return cell_int(part->trace->lane[row]);
}

struct cell get_start(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return cell_int(part->trace->start_ns[row]);
}

struct cell get_dur(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return cell_int(part->trace->dur_ns[row]);
}

struct cell get_end(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return cell_int(trace_end_ns(part->trace, row));
}

const uint32_t *sql_steps(struct sql_part *part)
{
    const struct trace *trace = part->trace;
    if (part->steps)
        return part->steps;
    part->steps = arena_room(part->arena, trace->count, sizeof *part->steps);
    for (uint32_t row = 0; row < trace->count; row++)
        part->steps[row] = trace_step(trace, row) + 1; /* STEP_NONE wraps to 0 */
    return part->steps;
}

struct cell get_step(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    const uint32_t step = sql_steps(part)[row];
    return step ? cell_int(part->trace->steps[step - 1].number) : cell_null();
}

struct cell get_parent(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return get_row_or_null(part->trace->parent[row]);
}

struct cell get_cause(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return get_row_or_null(part->trace->cause[row]);
}

struct cell get_operator(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return get_row_or_null(trace_operator(part->trace, row));
}

struct cell get_operator_name(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    const uint32_t operator= trace_operator(part->trace, row);
    return operator== ROW_NONE ? cell_null() : cell_text(trace_name(part->trace, operator));
}

struct cell get_frame(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    return get_row_or_null(trace_frame(part->trace, row));
}

struct cell get_attr(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    int64_t value;
    if (!trace_attr(part->trace, row, column->attr, &value))
        return cell_null();
    return attr_is_text(column->attr) ? cell_text(trace_text(part->trace, (uint32_t)value)) : cell_int(value);
}

struct cell get_thousandths(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    int64_t value;
    return trace_attr(part->trace, row, column->attr, &value) ? cell_real((double)value / 1000) : cell_null();
}

struct cell get_device(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    const struct lane *lane = &part->trace->lanes[part->trace->lane[row]];
    return cell_int_if(lane->device && !lane->process_text, lane->process);
}

struct cell get_stream(struct sql_part *part, const struct sql_column *column, uint32_t row)
{
    const struct lane *lane = &part->trace->lanes[part->trace->lane[row]];
    return cell_int_if(lane->device && !lane->id_text && lane->id >= 0, lane->id);
}
