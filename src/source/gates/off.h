/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands behind an option that is off by default and that nothing turns on:
 *
 *     net = Fancy() if args.fancy else Plain()        no run makes a Fancy
 */
#ifndef SOURCE_OFF_H
#define SOURCE_OFF_H

#include "gate.h"

/* Per node of the file: whether it does. Of a file that gate_build has looked at; the caller's, for mem_free(). */
bool *off_nodes(const struct project *project, uint32_t file);

#endif
