/* SPDX-License-Identifier: Apache-2.0 */
#include "shard.h"

#include <math.h>

#include "base/error.h"
#include "shard_choose.h"
#include "ops/rows/collective.h"

/* ---- pieces ---- */

static struct kernel lookup(const struct shard_asked *asked, const struct shard_table *table, double rows,
                            double lookups, bool backward)
{
    const int64_t bag = lookups < 1 ? 1 : (int64_t)(lookups + 0.5);
    return (struct kernel){
        .form = FORM_EMBEDDING,
        .backward = backward,
        .dtype = asked->bytes_element == 2 ? DTYPE_F16 : DTYPE_F32,
        .lookup = {asked->batch, 1, rows < 1 ? 1 : (int64_t)rows, bag, table->width},
    };
}

/* Lookups and their gradients are off alike as far as the family is; what each is off beside is its own. */
static void add_doubt(struct shard_piece *piece, const struct estimate *estimate)
{
    const double us = piece->us + estimate->us;
    piece->shared = (piece->shared * piece->us + estimate->shared * estimate->us) / us;
    piece->own = hypot(piece->own * piece->us, estimate->own * estimate->us) / us;
    piece->family = estimate->family;
    piece->us = us;
}

/* Watts of both, by their time. */
static void add_watts(const struct shard_asked *asked, const struct kernel *kernel, const struct estimate *time,
                      struct shard_piece *piece)
{
    struct estimate watts;
    if (!models_watts(asked->models, asked->hardware, kernel, time->us, &watts))
        return;
    const double share = time->us / piece->us, before = piece->watts.us;
    watts.us = before + share * (watts.us - before);
    watts.shared = piece->watts.shared + share * (watts.shared - piece->watts.shared);
    watts.own = piece->watts.own + share * (watts.own - piece->watts.own);
    watts.basis = watts.basis > piece->watts.basis ? watts.basis : piece->watts.basis;
    piece->watts = watts;
}

/* Forward and backward. Fewer than one lookup a sample take their share of one. */
static bool time_piece(const struct shard_asked *asked, const struct shard_table *table, struct shard_piece *piece,
                       enum estimate_basis *basis, struct steptime_error *err)
{
    for (int backward = 0; backward < 2; backward++) {
        const struct kernel kernel = lookup(asked, table, piece->rows, piece->lookups, backward);
        struct estimate estimate;
        if (!models_estimate(asked->models, asked->hardware, &kernel, &estimate, err))
            return false;
        add_doubt(piece, &estimate);
        add_watts(asked, &kernel, &estimate, piece);
        *basis = estimate.basis > *basis ? estimate.basis : *basis;
    }
    piece->us *= fmin(piece->lookups, 1);
    return true;
}

/* Rows that a batch reads at least once, of so many. */
static double unique_rows(double rows, double reads)
{
    return rows <= 1 ? 1 : -rows * expm1(reads * log1p(-1 / rows));
}

static void weigh(const struct shard_asked *asked, const struct shard_table *table, struct shard_piece *piece)
{
    const double width = (double)table->width, batch = (double)asked->batch;
    piece->bytes = piece->rows * width * asked->bytes_element;
    piece->weight[0] = piece->lookups * width;
    piece->weight[1] = unique_rows(piece->rows, batch * piece->lookups) * width / batch;
    piece->weight[2] = piece->lookups * width * log10(piece->rows + 9);
}

/* One part a device of a table that none can hold: fewer would leave no room for others beside them. */
static uint32_t parts_of(const struct shard_asked *asked, const struct shard_table *table)
{
    const double bytes = (double)table->rows * (double)table->width * asked->bytes_element;
    return bytes <= asked->memory_bytes ? 1 : (uint32_t)fmin(asked->devices, (double)table->rows);
}

static bool cut_tables(struct sharding *sharding, struct arena *arena, struct steptime_error *err)
{
    const struct shard_asked *asked = &sharding->asked;
    uint64_t count = 0;
    for (uint32_t i = 0; i < sharding->table_count; i++)
        count += parts_of(asked, &sharding->tables[i]);
    if (count > SHARD_TABLES)
        return fail(err, STEPTIME_INPUT, "the tables would have to be cut into more than %d parts", SHARD_TABLES);
    struct shard_piece *pieces = arena_array(arena, count, sizeof *pieces);
    sharding->pieces = pieces;
    for (uint32_t i = 0; i < sharding->table_count; i++) {
        const struct shard_table *table = &sharding->tables[i];
        const uint32_t parts = parts_of(asked, table);
        sharding->cut += parts > 1;
        for (uint32_t k = 0; k < parts; k++) {
            struct shard_piece *piece = &pieces[sharding->piece_count++];
            *piece = (struct shard_piece){.table = i, .part = k, .parts = parts};
            piece->rows = (double)table->rows / parts;
            piece->lookups = table->lookups / parts;
            weigh(asked, table, piece);
            if (k) {
                piece->us = piece[-1].us;
                piece->shared = piece[-1].shared;
                piece->own = piece[-1].own;
                piece->family = piece[-1].family;
                piece->watts = piece[-1].watts;
                continue;
            }
            if (!time_piece(asked, table, piece, &sharding->basis, err))
                return false;
        }
    }
    return true;
}

/* ---- what a choice costs ---- */

/* The message of an uneven all-to-all by the largest of any device's two sides (Lin et al. 2024, "max of max"). */
static double message_bytes(const struct sharding *sharding, const double *pair_bytes)
{
    const uint32_t n = sharding->asked.devices;
    double sum = 0, largest = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += pair_bytes[i];
    for (uint32_t i = 0; i < n; i++)
        largest = fmax(largest, fmax(sum - pair_bytes[i], pair_bytes[i] * (n - 1)));
    return largest;
}

/* Bytes over the slowest link, as doubtful as all that was never measured; nothing where no link is known. */
static struct estimate over_the_link(const struct shard_asked *asked, double bytes)
{
    const double rate = hardware_link_rate(asked->hardware, asked->devices);
    struct estimate estimate = {.us = rate > 0 ? bytes / rate * 1e6 : 0, .family = ESTIMATE_NO_FAMILY};
    estimate_prior(&estimate);
    return estimate;
}

/* One all-to-all. */
static struct kernel all_to_all(const struct shard_asked *asked, double bytes)
{
    const int64_t n = asked->devices, server = hardware_server(asked->hardware);
    return (struct kernel){.form = FORM_COLLECTIVE,
                           .dtype = DTYPE_F32,
                           .library = LIBRARY_NCCL,
                           .collective = {COLLECTIVE_ALL_TO_ALL + 1, (int64_t)(bytes * (double)n / (double)(n - 1)), n,
                                          n < server ? n : server}};
}

static struct estimate exchange_once(const struct shard_asked *asked, const struct kernel *kernel, double bytes)
{
    struct estimate estimate;
    const bool known = models_estimate(asked->models, asked->hardware, kernel, &estimate, NULL);
    return known ? estimate : over_the_link(asked, bytes);
}

/* On every device at once. */
static void draw_exchange(const struct shard_asked *asked, const struct kernel *kernel, const struct estimate *once,
                          struct step_energy *energy)
{
    struct estimate watts;
    if (energy->known != ENERGY_KNOWN || !(once->us > 0))
        return;
    if (!models_watts(asked->models, asked->hardware, kernel, once->us, &watts))
        models_unknown_watts(asked->models, asked->hardware, &watts);
    energy_sum_add(&energy->work, once, &watts, 2 * once->us * asked->devices, energy->idle.us);
}

/* There and back. Each device sends, to each, the sums of its pieces for the samples of that one. */
static void add_exchange(const struct sharding *sharding, const uint32_t *device, struct arena *scratch,
                         struct estimate_sum *sum, struct step_energy *energy)
{
    const struct shard_asked *asked = &sharding->asked;
    if (asked->devices < 2)
        return;
    double *pair = arena_array(scratch, asked->devices, sizeof *pair);
    for (uint32_t i = 0; i < sharding->piece_count; i++)
        pair[device[i]] += (double)asked->batch / asked->devices *
                           (double)sharding->tables[sharding->pieces[i].table].width * asked->bytes_element;
    const double bytes = message_bytes(sharding, pair);
    if (!(bytes > 0))
        return;
    const struct kernel kernel = all_to_all(asked, bytes);
    const struct estimate once = exchange_once(asked, &kernel, bytes);
    estimate_sum_add(sum, &once, 2 * once.us);
    draw_exchange(asked, &kernel, &once, energy);
}

/* ---- between which times ---- */

static struct estimate time_of(const struct shard_piece *piece)
{
    return (struct estimate){.us = piece->us, .shared = piece->shared, .own = piece->own, .family = piece->family};
}

static void add_piece(const struct shard_piece *piece, struct estimate_sum *sum)
{
    const struct estimate estimate = time_of(piece);
    estimate_sum_add(sum, &estimate, piece->us);
}

static void draw_pieces(const struct sharding *sharding, struct step_energy *energy)
{
    for (uint32_t i = 0; i < sharding->piece_count && energy->known == ENERGY_KNOWN; i++) {
        const struct shard_piece *piece = &sharding->pieces[i];
        const struct estimate time = time_of(piece);
        energy_sum_add(&energy->work, &time, &piece->watts, piece->us, energy->idle.us);
    }
}

struct estimate_sum *shard_sums(const struct sharding *sharding, const struct shard_choice *choice, struct arena *arena)
{
    struct estimate_sum *sums = arena_array(arena, sharding->asked.devices, sizeof *sums);
    for (uint32_t i = 0; i < sharding->piece_count; i++)
        add_piece(&sharding->pieces[i], &sums[choice->device[i]]);
    return sums;
}

struct shard_range shard_sum_range(const struct sharding *sharding, const struct estimate_sum *sum)
{
    struct shard_range range;
    estimate_sum_interval(sum, sharding->asked.level, &range.low_us, &range.high_us);
    return range;
}

struct shard_range shard_piece_range(const struct sharding *sharding, const struct shard_piece *piece)
{
    struct estimate_sum sum = {0};
    add_piece(piece, &sum);
    return shard_sum_range(sharding, &sum);
}

/* The mean device is as far off as all tables together. */
static void find_ranges(const struct sharding *sharding, struct shard_choice *choice, uint32_t slowest,
                        const struct estimate_sum *exchange, struct arena *scratch)
{
    const uint32_t devices = sharding->asked.devices;
    const struct estimate_sum *sums = shard_sums(sharding, choice, scratch);
    struct estimate_sum step = sums[slowest], all = {0};
    for (uint32_t i = 0; i < devices; i++)
        estimate_sum_join(&all, &sums[i]);
    const struct shard_range together = shard_sum_range(sharding, &all);
    choice->mean = (struct shard_range){together.low_us / devices, together.high_us / devices};
    choice->largest = shard_sum_range(sharding, &step);
    choice->exchange = shard_sum_range(sharding, exchange);
    estimate_sum_join(&step, exchange);
    choice->step = shard_sum_range(sharding, &step);
}

static void judge(const struct sharding *sharding, struct shard_choice *choice, struct arena *arena)
{
    const uint32_t n = sharding->asked.devices;
    double *us = arena_array(arena, n, sizeof *us), *bytes = arena_array(arena, n, sizeof *bytes);
    for (uint32_t i = 0; i < sharding->piece_count; i++) {
        us[choice->device[i]] += sharding->pieces[i].us;
        bytes[choice->device[i]] += sharding->pieces[i].bytes;
    }
    uint32_t slowest = 0;
    for (uint32_t i = 0; i < n; i++) {
        slowest = us[i] > us[slowest] ? i : slowest;
        choice->largest_us = us[slowest];
        choice->largest_bytes = fmax(choice->largest_bytes, bytes[i]);
        choice->mean_us += us[i] / n;
    }
    struct arena scratch = {0};
    struct estimate_sum exchange = {0};
    choice->us = us;
    choice->bytes = bytes;
    choice->fits = choice->largest_bytes <= sharding->asked.memory_bytes * (1 + 1e-9);
    choice->energy = step_energy_on(sharding->asked.models, sharding->asked.hardware);
    choice->energy.boards = n;
    draw_pieces(sharding, &choice->energy);
    add_exchange(sharding, choice->device, &scratch, &exchange, &choice->energy);
    choice->exchange_us = exchange.us;
    choice->step_us = choice->largest_us + choice->exchange_us;
    find_ranges(sharding, choice, slowest, &exchange, &scratch);
    arena_free(&scratch);
}

static bool is_better(const struct shard_choice *a, const struct shard_choice *b)
{
    return a->fits != b->fits ? a->fits : a->step_us < b->step_us;
}

bool shard_run(const struct shard_asked *asked, const struct shard_table *tables, uint32_t count, struct arena *arena,
               struct sharding *sharding, struct steptime_error *err)
{
    *sharding = (struct sharding){.asked = *asked, .tables = tables, .table_count = count};
    if (!cut_tables(sharding, arena, err))
        return false;
    for (int method = 0; method < SHARD_METHODS; method++) {
        struct shard_choice *choice = &sharding->choices[method];
        *choice = (struct shard_choice){.method = (enum shard_method)method};
        bool whole;
        choice->device = shard_choose(sharding, choice->method, arena, &whole);
        choice->unfinished = !whole;
        judge(sharding, choice, arena);
        if (method == 0 || is_better(choice, &sharding->choices[sharding->best]))
            sharding->best = choice->method;
    }
    return true;
}
