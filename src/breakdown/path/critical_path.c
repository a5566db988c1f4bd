/* SPDX-License-Identifier: Apache-2.0 */
#include "critical_path.h"

#include <assert.h>

#include "base/map.h"
#include "critical_path_keep.h"
#include "critical_path_top.h"

enum { TOPS = 50 };

struct count {
    const struct trace *trace;
    struct path_judge *judge;
    const struct step *steps; /* the selected ones */
    struct path_step *sums;   /* beside them */
    uint32_t step_count;
    uint32_t until; /* steps from here on begin after the pieces to come */
    struct path_groups groups;
    struct path_kept kept;
    int64_t (*cause_ns)[CAUSES]; /* by class */
};

/* ---- pieces into sums ---- */

/* The part of a piece inside one step. */
static void add_inside(struct count *count, uint32_t step, const struct path_piece *whole)
{
    const struct step *within = &count->steps[step];
    struct path_piece piece = *whole;
    if (piece.start_ns < within->start_ns)
        piece.start_ns = within->start_ns;
    if (piece.end_ns > within->end_ns)
        piece.end_ns = within->end_ns;
    if (piece.start_ns >= piece.end_ns)
        return;
    const int64_t ns = piece.end_ns - piece.start_ns;
    count->sums[step].sums.ns[piece.class] += ns;
    count->cause_ns[piece.class][piece.cause] += ns;
    path_groups_add(&count->groups, count->trace, &piece, ns);
    path_kept_add(&count->kept, &piece);
}

static void add_piece(void *context, const struct path_piece *piece)
{
    struct count *count = context;
    while (count->until && count->steps[count->until - 1].start_ns >= piece->end_ns)
        count->until--;
    for (uint32_t i = count->until; i-- > 0 && count->steps[i].end_ns > piece->start_ns;)
        add_inside(count, i, piece);
}

static void add_part(void *context, const struct path_part *part)
{
    struct count *count = context;
    path_judge(count->judge, part, add_piece, count);
}

/* What of the last step lies behind the end of the path. */
static void add_rest(struct count *count, int64_t path_end_ns)
{
    const int64_t end = count->trace->end_ns;
    const struct path_piece rest = {path_end_ns, end, PATH_UNKNOWN, CAUSE_NONE, ROW_NONE, LANE_NONE};
    if (end > path_end_ns)
        add_piece(count, &rest);
}

/* ---- results ---- */

static void finish_steps(const struct count *count, struct critical_path *result)
{
    for (uint32_t i = 0; i < count->step_count; i++) {
        struct path_step *step = &count->sums[i];
        step->number = count->steps[i].number;
        step->start_ns = count->steps[i].start_ns;
        step->wall_ns = count->steps[i].end_ns - step->start_ns;
        int64_t sum = 0;
        for (int c = 0; c < PATH_CLASSES; c++) {
            sum += step->sums.ns[c];
            result->sums.ns[c] += step->sums.ns[c];
        }
        assert(sum == step->wall_ns);
        result->wall_ns += step->wall_ns;
    }
    result->steps = count->sums;
    result->step_count = count->step_count;
}

/* So that the path names what the verdict names, not all that may stand in its class. */
static struct path_most most_of(const struct count *count, const struct path_sums *sums)
{
    struct path_most most = {.class = path_largest(sums), .cause = CAUSE_NONE};
    const int64_t *of = count->cause_ns[most.class];
    most.ns = sums->ns[most.class];
    for (uint8_t cause = CAUSE_NONE + 1; cause < CAUSES; cause++)
        if (of[cause] > 0 && of[cause] >= sums->ns[most.class] / 2 &&
            (most.cause == CAUSE_NONE || of[cause] > of[most.cause]))
            most.cause = cause;
    if (most.cause != CAUSE_NONE)
        most.ns = of[most.cause];
    return most;
}

/* Texts of the kept stretches, each once. */
struct naming {
    struct map places;
    str *names;
    uint32_t count;
};

static uint32_t named(struct naming *naming, const struct trace *trace, uint32_t row, struct arena *arena)
{
    const uint32_t id = row == ROW_NONE ? 0 : trace->name[row];
    const uint32_t found = map_get(&naming->places, id);
    if (found != MAP_NONE)
        return found;
    map_put(&naming->places, id, naming->count);
    naming->names[naming->count] = str_copy(arena, trace_text(trace, id));
    return naming->count++;
}

static uint32_t distinct_names(const struct path_kept *kept, const struct trace *trace)
{
    struct map seen = {0};
    for (size_t i = 0; i < kept->count; i++)
        map_put(&seen, kept->at[i].row == ROW_NONE ? 0 : trace->name[kept->at[i].row], 0);
    const uint32_t count = (uint32_t)seen.count;
    map_free(&seen);
    return count;
}

static void finish_stretches(const struct count *count, struct arena *arena, struct critical_path *result)
{
    const struct path_kept *kept = &count->kept;
    struct naming naming = {.names = arena_array(arena, distinct_names(kept, count->trace), sizeof *naming.names)};
    result->stretches = arena_array(arena, kept->count, sizeof *result->stretches);
    result->stretch_count = (uint32_t)kept->count;
    result->stretches_found = kept->found;
    result->listed_ns = path_kept_bar_ns(kept, PATH_LISTED);
    for (size_t i = 0; i < kept->count; i++) {
        const struct path_piece *piece = &kept->at[i];
        result->stretches[i] = (struct path_stretch){
            piece->start_ns, piece->end_ns, piece->row, piece->lane, named(&naming, count->trace, piece->row, arena),
            piece->class};
    }
    result->names = naming.names;
    map_free(&naming.places);
}

static void finish_lanes(const struct trace *trace, struct arena *arena, struct critical_path *result)
{
    struct path_lane *lanes = arena_array(arena, trace->lane_count, sizeof *lanes);
    for (uint32_t i = 0; i < trace->lane_count; i++) {
        const struct lane *lane = &trace->lanes[i];
        lanes[i] = (struct path_lane){lane->device, lane->process, lane->id,
                                      str_copy(arena, trace_text(trace, lane->process_text)),
                                      str_copy(arena, trace_text(trace, lane->id_text))};
    }
    result->lanes = lanes;
    result->lane_count = trace->lane_count;
}

static void finish_graph(const struct graph *graph, struct critical_path *result)
{
    result->nodes = graph->net.count;
    result->edges = graph->net.edge_count;
    result->inferred = graph->inferred;
    result->inconsistent = graph->inconsistent;
}

static void finish_head(const struct trace *trace, struct arena *arena, struct critical_path *result)
{
    result->path = str_copy(arena, trace->info.path);
    result->rank = trace->info.rank;
    result->origin_ns = trace->origin_ns;
    result->step_source = trace->step_source;
    result->device = trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET] > 0;
}

void critical_path_run(const struct trace *trace, const struct selection *selection, uint32_t most, struct arena *arena,
                       struct critical_path *result)
{
    struct arena scratch = {0};
    struct judged_rows rows = rows_judge(trace, &scratch);
    struct graph *graph = graph_new_phased(trace, rows.classes, rows.phases);
    const struct step_range range = selection_steps(trace, selection);
    struct count count = {.trace = trace,
                          .judge = path_judge_new(graph, &rows, &scratch),
                          .steps = trace->steps + range.first,
                          .sums = arena_array(arena, range.count, sizeof *count.sums),
                          .step_count = range.count,
                          .until = range.count,
                          .cause_ns = arena_array(&scratch, PATH_CLASSES, sizeof *count.cause_ns),
                          .kept = {.most = most}};
    const uint32_t last = graph_last(graph, NULL);
    add_rest(&count, last == NODE_NONE ? 0 : graph_end_ns(graph, last));
    graph_path(graph, NULL, last, add_part, &count);
    path_kept_finish(&count.kept);
    finish_head(trace, arena, result);
    finish_steps(&count, result);
    result->most = most_of(&count, &result->sums);
    finish_stretches(&count, arena, result);
    finish_lanes(trace, arena, result);
    finish_graph(graph, result);
    rank_run_judged(trace, rows.classes, rows.phases, selection, arena, &result->numbers);
    strip_of(graph, &rows, selection, &result->numbers, arena, &result->strip);
    const struct collective_rows collectives = rank_collectives(&result->numbers);
    rows.collectives = collectives.count ? &collectives : NULL;
    struct lab *lab = lab_open_sampled(trace, graph, &rows, selection, &scratch);
    verdict_run(lab, &result->verdict);
    if (result->numbers.collective_count)
        responses_of_all(lab, graph, &rows, selection, arena, &result->responses);
    if (result->numbers.collective_count)
        result->holdups = holdups_run(lab, rows.phases, verdict_worth(&result->verdict, RESOURCE_DEVICE), arena);
    lab_close(lab);
    result->tops = path_groups_top(&count.groups, trace, TOPS, arena, &result->top_count);
    path_groups_free(&count.groups);
    path_kept_free(&count.kept);
    graph_free(graph);
    arena_free(&scratch);
}

enum path_class path_largest(const struct path_sums *sums)
{
    enum path_class largest = PATH_UNKNOWN;
    for (int c = 0; c < PATH_CLASSES; c++)
        if (sums->ns[c] > sums->ns[largest])
            largest = (enum path_class)c;
    return largest;
}
