/* SPDX-License-Identifier: Apache-2.0 */
/* Values of columns that several tables of events have. */
#ifndef SQL_GET_H
#define SQL_GET_H

#include "table.h"

sql_get_fn get_rank, get_item, get_kind, get_name, get_lane, get_start, get_dur, get_end, get_step, get_parent,
    get_cause, get_operator, get_operator_name, get_frame, get_attr, get_thousandths, get_device, get_stream;

/* An event, or null for none. */
struct cell get_row_or_null(uint32_t row);

#endif
