/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Embedding tables on several devices: which table goes where, and what each
 * choice costs. A table's time is that of its lookup forward and of its gradient,
 * by the models; a device's is the sum over its tables; the step waits for the
 * slowest. Then every device sends the rows it looked up to all others, and their
 * gradients come back.
 *
 * A table that no device can hold is cut by its rows, a part a device: each part
 * does a share of the lookups, and sends a sum of its own for every sample.
 *
 *     naive            in the order of the file, one device after the other
 *     size-greedy      the largest first (bytes), to the device with the fewest bytes
 *     lookup-greedy    by rows read a sample: lookups x width
 *     norm-lookup      by rows read that were not read before in the batch, a sample: unique rows x width / batch
 *     size-lookup      by lookups x width x log10(rows)
 *     time-greedy      by predicted time
 *     time-local       time-greedy, then moves and swaps as long as the slowest device gets faster
 *
 * Greedy choices respect memory: a device that cannot hold the table is passed
 * over while another can.
 */
#ifndef PREDICT_SHARD_H
#define PREDICT_SHARD_H

#include "model/estimate/energy.h"
#include "report/report.h"

enum { SHARD_DEVICES = 4096, SHARD_TABLES = 1 << 20 };

struct shard_table {
    str name;
    int64_t rows, width;
    double lookups; /* of a sample, in the mean */
};

/*
 * A table of tables: columns rows, width, and where they are there name, lookups (1). Their usual other names are
 * known: see doc/numbers/shard.md. False with STEPTIME_INPUT, naming line and column.
 */
bool shard_read(const char *path, struct arena *arena, struct shard_table **tables, uint32_t *count,
                struct steptime_error *err);

struct shard_asked {
    const struct models *models;
    const struct hardware *hardware;
    uint32_t devices;
    int64_t batch;        /* of the whole job */
    double memory_bytes;  /* of a device that tables may take */
    double bytes_element; /* of a weight: 4 */
    double level;         /* of the intervals: 0.9 */
    double per_hour;      /* the price of a GPU; 0: not given */
};

/* Between which a time lies at the level asked for. */
struct shard_range {
    double low_us, high_us;
};

/* A table, or a part of its rows. */
struct shard_piece {
    uint32_t table, part, parts;
    double rows, lookups;
    double us, bytes;
    double shared, own;    /* doubt of us, as of an estimate */
    struct estimate watts; /* of the board while it looks up; of no meaning where its power is not known */
    uint32_t family;       /* of models */
    double weight[3];      /* of lookup-greedy, norm-lookup, size-lookup */
};

enum shard_method {
    SHARD_NAIVE,
    SHARD_SIZE,
    SHARD_LOOKUP,
    SHARD_NORM_LOOKUP,
    SHARD_SIZE_LOOKUP,
    SHARD_TIME,
    SHARD_LOCAL,
    SHARD_METHODS,
};

str shard_method_word(enum shard_method method); /* "time-greedy" */
bool shard_method_of_word(str word, enum shard_method *method);

struct shard_choice {
    enum shard_method method;
    const uint32_t *device; /* by piece */
    const double *us;       /* by device */
    const double *bytes;
    double largest_us, mean_us;
    double exchange_us; /* all-to-all, there and back */
    double step_us;     /* largest + exchange */
    struct shard_range largest, mean, exchange, step;
    struct step_energy energy; /* of all devices: those that are done wait for the slowest */
    double largest_bytes;
    bool fits;
    bool unfinished; /* further exchanges may make it faster: they were too many to try */
};

struct sharding {
    struct shard_asked asked;
    const struct shard_table *tables;
    uint32_t table_count;
    const struct shard_piece *pieces;
    uint32_t piece_count;
    uint32_t cut; /* tables in parts */
    struct shard_choice choices[SHARD_METHODS];
    enum shard_method best; /* of those that fit the fastest; of none the fastest of all */
    enum estimate_basis basis;
};

struct shard_range shard_piece_range(const struct sharding *sharding, const struct shard_piece *piece);

/* By device, what the tables take that a choice puts there. */
struct estimate_sum *shard_sums(const struct sharding *sharding, const struct shard_choice *choice,
                                struct arena *arena);
struct shard_range shard_sum_range(const struct sharding *sharding, const struct estimate_sum *sum);

/* False with what the models lack. */
bool shard_run(const struct shard_asked *asked, const struct shard_table *tables, uint32_t count, struct arena *arena,
               struct sharding *sharding, struct steptime_error *err);

/* All choices, and where each table goes by the one named. */
void shard_show(const struct sharding *sharding, enum shard_method shown, struct report *report);

/* Its tables with their columns, and no rows. */
void shard_show_tables(struct report *report);

#endif
