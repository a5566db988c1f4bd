/* SPDX-License-Identifier: Apache-2.0 */
/* For each file the analysis's numbers; for all of them one report. */
#include "analyse.h"

#include <pthread.h>

#include "base/error.h"
#include "call.h"
#include "output.h"
#include "reading.h"
#include "save.h"

struct analysing {
    const struct call *call;
    void *pool; /* NULL: results are kept */
    pthread_mutex_t pool_lock;
    struct save *save; /* NULL: no sketches are written */
};

static void add_to_pool(struct analysing *analysing, void *result)
{
    if (!analysing->pool)
        return;
    pthread_mutex_lock(&analysing->pool_lock);
    analysing->call->command->analysis->pool->add(analysing->pool, result);
    pthread_mutex_unlock(&analysing->pool_lock);
}

/* The analysis of one file. */
static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    struct analysing *analysing = context;
    const struct call *call = analysing->call;
    const struct analysis *analysis = call->command->analysis;
    file->result = arena_alloc(&file->arena, analysis->size);
    if (file->trace)
        analysis->run(call, file->trace, &file->arena, file->result);
    else if (file->execution)
        analysis->run_execution(call, file->execution, &file->arena, file->result);
    else if (!analysis->run_sketch(call, file->sketch, file->rank, &file->arena, file->result, err))
        return false;
    if (analysing->save && file->trace)
        save_sketch(analysing->save, file);
    add_to_pool(analysing, file->result);
    return true;
}

static void sketch_trace(void *context, const struct trace *trace, struct arena *arena, struct sketch *sketch)
{
    const struct analysing *analysing = context;
    const struct analysis *analysis = analysing->call->command->analysis;
    void *result = arena_alloc(arena, analysis->size);
    analysis->run(analysing->call, trace, arena, result);
    analysis->sketch(analysing->call, &(struct sketching){trace, result, false}, arena, sketch);
}

static bool show(const struct call *call, const struct inputs *inputs, struct report *report,
                 struct steptime_error *err)
{
    const void **results = arena_array(report_arena(report), inputs->taken, sizeof *results);
    for (uint32_t i = 0; i < inputs->taken; i++)
        results[i] = inputs->at[i]->result;
    inputs_tell(inputs, report);
    if (!call->command->analysis->show(call, results, inputs->taken, report, err))
        return false;
    inputs_tell_trust(inputs, report);
    return true;
}

static bool check(const struct call *call, struct steptime_error *err)
{
    const struct analysis *analysis = call->command->analysis;
    return output_check(call, err) && (!analysis->check || analysis->check(call, err));
}

static bool needs_none(const struct call *call)
{
    const struct analysis *analysis = call->command->analysis;
    return !call_argument_count(call) && analysis->needs_none && analysis->needs_none(call);
}

static bool show_without(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    struct report *report = report_new(arena, str_of(call->command->name));
    return check(call, err) && call->command->analysis->show(call, NULL, 0, report, err) &&
           output_report(call, report, err);
}

static bool run_all(struct analysing *analysing, struct inputs *inputs, struct arena *arena, struct steptime_error *err)
{
    const struct call *call = analysing->call;
    const struct analysis *analysis = call->command->analysis;
    struct inputs_asked asked = {.context = analysing,
                                 .take = take,
                                 .executions = analysis->run_execution,
                                 .sketches = analysis->run_sketch,
                                 .sketch = analysis->run_sketch && analysis->sketch ? sketch_trace : NULL};
    if (!check(call, err) || !save_open(call, arena, &analysing->save, err) || !call_inputs(call, &asked, inputs, err))
        return false;
    if (inputs->is_share)
        return true;
    struct report *report = report_new(arena, str_of(call->command->name));
    save_tell(analysing->save, report);
    return save_close(analysing->save, err) && show(call, inputs, report, err) && output_report(call, report, err) &&
           inputs_whole(inputs, err);
}

enum steptime_code analyse(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct inputs inputs = {0};
    const struct analysis_pool *pool = call->command->analysis->pool;
    struct analysing analysing = {call, pool ? pool->open() : NULL, PTHREAD_MUTEX_INITIALIZER, NULL};
    const bool good = needs_none(call) ? show_without(call, &arena, err) : run_all(&analysing, &inputs, &arena, err);
    if (pool)
        pool->close(analysing.pool);
    inputs_close(&inputs);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}
