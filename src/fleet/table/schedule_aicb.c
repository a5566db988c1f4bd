/* SPDX-License-Identifier: Apache-2.0 */
/* AICB's logs: a row a collective, "epoch_end" between steps; a first line names the ranks where it was not measured. */
#include <math.h>

#include "base/buf.h"
#include "import_stream.h"
#include "base/real.h"
#include "schedule.h"
#include "text/csv_reader.h"

enum column { TYPE, GROUP, RANKS, BYTES, STAGE, ELAPSED, COUNT, COLUMNS };
static const char *const names[COLUMNS] = {"comm_type",     "comm_group", "comm_group_size", "msg_size", "stage",
                                           "_elapsed_time", "count"};

static const str header = S("comm_type,comm_group,comm_group_size,msg_size,");

bool schedule_is_aicb(str begin)
{
    str first;
    if (str_starts(begin, header))
        return true;
    return str_starts(begin, S("[rank")) && str_cut(&begin, '\n', &first) && str_starts(begin, header);
}

/* "[rank0 ~ rank127]" counts 128. */
static double ranks_of_line(str line)
{
    double last;
    for (size_t i = line.len; i > 4; i--)
        if (!memcmp(line.at + i - 4, "rank", 4)) {
            str number = str_trim(str_from(line, i));
            number.len -= number.len && number.at[number.len - 1] == ']';
            return real_read(number, &last) && last >= 0 ? last + 1 : 0;
        }
    return 0;
}

/* What is before a dot of a word is the name of its class: "CommType.all_reduce". */
static str member(str word)
{
    const char *dot = memchr(word.at, '.', word.len);
    return dot ? str_from(word, (size_t)(dot + 1 - word.at)) : word;
}

static enum schedule_group group_of(str word)
{
    if (str_eq(word, S("tp_group")))
        return GROUP_TENSOR;
    if (str_eq(word, S("pp_group")))
        return GROUP_PIPELINE;
    if (str_eq(word, S("ep_dp_group")))
        return GROUP_DATA_OF_EXPERTS;
    return str_starts(word, S("ep_")) ? GROUP_EXPERT : GROUP_DATA;
}

struct log {
    struct collective_schedule *schedule;
    uint32_t at[COLUMNS];
    double ranks[SCHEDULE_GROUPS]; /* as some row has told: others leave it out */
    uint32_t epochs;               /* ended so far; the first is what comes before all steps */
    double steps_ms;
    uint64_t line; /* of the current row */
};

static double figure(str text, double otherwise)
{
    double value;
    return real_read(text, &value) ? value : otherwise;
}

static void end_epoch(struct log *log, double ms)
{
    if (log->epochs++)
        log->steps_ms += ms;
}

static void note_shape(struct collective_schedule *schedule, enum schedule_group group, str type, str stage)
{
    if (group != GROUP_DATA)
        return;
    schedule->gathers_forward |= str_starts(type, S("all_gather")) && str_starts(stage, S("forward"));
    schedule->scatters |= str_starts(type, S("reduce_scatter"));
}

static void add_row(struct log *log, const struct csv_row *row)
{
    str field[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        field[i] = str_trim(csv_field(row, log->at[i]));
    const str type = member(field[TYPE]);
    const double ms = figure(field[ELAPSED], NAN);
    if (str_eq(type, S("epoch_end"))) {
        end_epoch(log, ms);
        return;
    }
    const enum message_pattern pattern = schedule_pattern(type);
    const double bytes = figure(field[BYTES], -1), count = figure(field[COUNT], 1);
    if (pattern == PATTERN_NONE || bytes < 0 || count < 0) {
        if (!str_eq(type, S("barrier")) && !str_eq(type, S("comm_type")))
            import_drop(&log->schedule->dropped,
                        (struct import_drop){.line = log->line, .why = "no collective with a size and a count"});
        return;
    }
    const enum schedule_group group = group_of(member(field[GROUP]));
    const double ranks = figure(field[RANKS], log->ranks[group]);
    log->ranks[group] = ranks;
    if (str_starts(field[STAGE], S("init")) || !log->epochs)
        return;
    note_shape(log->schedule, group, type, field[STAGE]);
    schedule_add(log->schedule, group, pattern, ranks, bytes, count, ms);
}

static void finish(struct log *log)
{
    struct collective_schedule *schedule = log->schedule;
    schedule->steps = log->epochs > 1 ? log->epochs - 1 : 1;
    schedule->step_ms = log->steps_ms > 0 ? log->steps_ms / schedule->steps : NAN;
    double product = 1;
    for (int group = GROUP_DATA; group <= GROUP_PIPELINE; group++)
        product *= fmax(1, log->ranks[group]);
    if (schedule->ranks <= 0)
        schedule->ranks = product;
}

bool schedule_read_aicb(const char *path, struct collective_schedule *schedule, struct steptime_error *err)
{
    struct buf text = {0};
    struct arena scratch = {0};
    const bool good = import_read_all(path, &text, err);
    str rest = buf_str(&text), first;
    const bool ranked = good && str_starts(rest, S("[")) && str_cut(&rest, '\n', &first);
    if (ranked)
        schedule->ranks = ranks_of_line(first);
    struct csv_reader reader = csv_reader(rest);
    struct csv_row row;
    struct log log = {.schedule = schedule};
    if (good && csv_next(&reader, &scratch, &row))
        for (int i = 0; i < COLUMNS; i++)
            log.at[i] = csv_column(&row, str_of(names[i]));
    while (good && csv_next(&reader, &scratch, &row)) {
        log.line = reader.line + ranked;
        add_row(&log, &row);
    }
    if (good)
        finish(&log);
    arena_free(&scratch);
    buf_free(&text);
    return good;
}
