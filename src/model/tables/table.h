/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of kernels: CSV, plain or packed, a kernel a row, with or without its
 * measured time. The columns say what a table holds; they may stand in any order,
 * and further ones are ignored:
 *
 *     op, device, b, m, n, k                              bmm, linear
 *     op, device, rows, cols                              element-wise, softmax, layer norm
 *     op, device, batch, in_channels, out_channels, kernel_size, input_size, stride, padding
 *     M, N, K, hardware (avg_duration)                    FP8 GEMM
 *     op, device, bytes, ranks, server_ranks              collectives
 *     collective, size, num_workers, devices_per_node     the same (time_stats.all_reduce.median, ms)
 *     hidden, heads, layers, sequence, micro_batch, global_batch, tensor, data, pipeline (iteration_ms), or in the words
 *     of vTrain's tables                                  an iteration of training a transformer on many GPUs
 *     op, device, form, dtype, backward, and the sizes by the names of kernel.h          a kernel of any form (table_forms.h)
 *     queued                                              1: no launch in the time, as in a CUDA graph or a full queue
 *     library                                             whose kernel: vllm, sglang, trtllm, nccl
 *     latency_us                                          measured, microseconds
 *     busy_us, power_w                                    how long it takes, and the board's power meanwhile: a row about
 *                                                         power, whose measured value is watts
 *
 * Tables of several kinds may be one, with empty fields where a kind has no such column.
 *
 * Rows stream: memory is a block of text, not the table. A row that cannot be
 * used has `problem` set, in words; it is for the caller to judge.
 */
#ifndef MODEL_TABLE_H
#define MODEL_TABLE_H

#include "base/arena.h"
#include "ops/operators/kernel.h"
#include "steptime/error.h"
#include "text/csv_reader.h"

/* A row; texts live until the next row is asked for. */
struct table_row {
    struct kernel kernel;
    str op;              /* as written */
    str device;          /* as written */
    const char *problem; /* NULL, or why there is no kernel here: "k is 0" */
    double us;           /* measured; 0 where the table has none, or none above 0 */
    uint32_t line;       /* of the file, from 1 */
    struct csv_row fields;
};

struct kernel_table;

/* "-" is standard input. NULL with STEPTIME_INPUT: unreadable, or columns of no known kind of table. */
struct kernel_table *kernel_table_open(const char *path, struct steptime_error *err);

const struct csv_row *kernel_table_header(const struct kernel_table *table);

/* False at the end, or where the packing is damaged: then *err is filled by kernel_table_close. */
bool kernel_table_next(struct kernel_table *table, struct table_row *row);

/* False where the file broke off. */
bool kernel_table_close(struct kernel_table *table, struct steptime_error *err);

/*
 * The kernel of an operator's word and its numbers, as the tables and the lists of graphs spell them:
 * "bmm" 4, "linear" 4, "addu" 2 ("u": one operand, or a scalar), "softmax" 2, "ln" 2, "conv" 7. NULL on success, else
 * what is wrong, in words.
 */
const char *kernel_of_op(str op, const int64_t *sizes, uint32_t count, struct kernel *kernel);
bool op_word_known(str op);

#endif
