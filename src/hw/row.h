/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of data/hw.csv, and of a user's file in its form, as what they stand for.
 *
 * A device names its links (`host_link`, `gpu_link`) and the usual server around
 * it (`server`); rate and latency come from the rows of these names, which stand
 * before the devices. A link may also be a rate with its unit: "25GB/s".
 *
 * `source` says where the figures of the row come from; where some have another
 * source, statements of their own follow: "data sheet; l2 l2_rate: measured".
 */
#ifndef HW_ROW_H
#define HW_ROW_H

#include "catalogue.h"
#include "text/csv_reader.h"

/* False with STEPTIME_INPUT, naming row and column. `catalogue`: where links and servers are looked up. */
bool row_device(const struct csv_row *header, const struct csv_row *row, const struct catalogue *catalogue,
                struct arena *arena, struct hardware *hardware, struct steptime_error *err);

bool row_link(const struct csv_row *header, const struct csv_row *row, struct arena *arena, struct link *link,
              struct steptime_error *err);
bool row_server(const struct csv_row *header, const struct csv_row *row, const struct catalogue *catalogue,
                struct arena *arena, struct server *server, struct steptime_error *err);

/* Rate and latency of a link key from a link's name or a rate; NULL, or what is wrong with the text. */
const char *link_figures(const struct catalogue *catalogue, enum hw_key key, str text, struct hardware *hardware);

#endif
