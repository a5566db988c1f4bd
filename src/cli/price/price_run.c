/* SPDX-License-Identifier: Apache-2.0 */
#include "price_run.h"

#include <math.h>

#include "base/search.h"
#include "read/read.h"

/* ---- dry, or with data ---- */

/* What was found out of the script as it is holds for it with other values. */
static bool is_known_to_lack(const struct price_setting *setting)
{
    return setting->base && setting->base->real.taken;
}

/* The run as it is with another batch: nothing runs again. */
static bool take_base(const struct price_setting *setting, struct price_run *run)
{
    const struct price_run *const base = setting->base;
    if (!is_known_to_lack(setting) || setting->precision.len)
        return false;
    run->dry = base->dry;
    run->dry.lives = base->ran;
    run->dry.batch = base->ran_batch;
    run->real = base->real;
    run->shares_files = true;
    if (setting->batch && base->real.has_batch)
        run->real.batches.to = setting->batch;
    return true;
}

static bool run_script(const struct price_asked *asked, const struct price_setting *setting, struct arena *arena,
                       struct price_run *run, struct steptime_error *err)
{
    struct dry_options options = asked->dry;
    options.batch = setting->batch;
    options.loads = options.loads && !setting->base;
    options.precision = setting->precision;
    if (is_known_to_lack(setting)) {
        run->real = (struct price_real){.asked = setting->base->real.asked,
                                        .lacks = setting->base->real.lacks,
                                        .place = setting->base->real.place,
                                        .error = setting->base->real.error};
        return price_real_run(&options, arena, &run->real, &run->dry, err);
    }
    if (asked->fallback == FALLBACK_ALWAYS) {
        run->real = (struct price_real){.asked = true, .lacks = S(""), .place = S(""), .error = S("")};
        return price_real_run(&options, arena, &run->real, &run->dry, err);
    }
    if (dry_run(&options, arena, &run->dry, err))
        return true;
    if (asked->fallback == FALLBACK_NEVER || !run->dry.lacks.len)
        return false;
    run->real = (struct price_real){.lacks = run->dry.lacks, .place = run->dry.died_at, .error = run->dry.died_of};
    return price_real_run(&options, arena, &run->real, &run->dry, err);
}

static bool run_either(const struct price_asked *asked, const struct price_setting *setting, struct arena *arena,
                       struct price_run *run, struct steptime_error *err)
{
    if (!take_base(setting, run) && !run_script(asked, setting, arena, run, err))
        return false;
    run->ran = run->dry.lives;
    run->ran_batch = run->dry.batch;
    run->loaded = run->dry.batch.own > 0 && run->real.taken ? run->dry.batch.own : run->dry.batch.samples;
    if (setting->base) {
        run->dry.load = setting->base->dry.load;
        run->loaded = setting->base->loaded;
    }
    return true;
}

str price_run_basis(const struct price_run *run)
{
    return run->real.taken ? S("with data") : S("run dry");
}

void price_run_close(const struct price_run *run)
{
    if (run->shares_files)
        return;
    dry_close(&run->dry);
    dry_close(&run->real.few);
}

/* ---- calls of modules: marks in the execution trace ---- */

static bool number_of(str name, str mark, int64_t *number)
{
    return str_starts(name, mark) && str_int(str_from(name, mark.len), number);
}

static void take_calls(const struct execution *execution, struct arena *arena, struct price_run *run)
{
    int64_t number;
    for (uint32_t i = 0; i < execution->count; i++) {
        const struct execution_node *const node = &execution->nodes[i];
        if (number_of(node->name, S("steptime::call "), &number)) {
            run->calls = arena_one_more(arena, run->calls, run->call_count, sizeof *run->calls);
            run->calls[run->call_count++] = (struct price_call){number, node->id, INT64_MAX};
        } else if (number_of(node->name, S("steptime::return "), &number)) {
            const struct price_call *const call = price_run_call(run, number);
            if (call)
                run->calls[call - run->calls].end = node->id;
        }
    }
}

const struct price_call *price_run_call(const struct price_run *run, int64_t number)
{
    const size_t at =
        search_time(run->calls, run->call_count, sizeof *run->calls, offsetof(struct price_call, number), number);
    return at < run->call_count && run->calls[at].number == number ? &run->calls[at] : NULL;
}

/* ---- what the script does ---- */

static str samples_from(const struct dry_batch *batch, struct arena *arena)
{
    static const char *const words[] = {
        [BATCH_OF_LOADER] = "the leading dimension of what the DataLoader hands out in a step",
        [BATCH_OF_MODULE] = "the leading dimension of the first tensor that the outermost module is called with",
    };
    if (batch->basis == BATCH_UNKNOWN)
        return S("");
    return str_printf(arena, "%s, at %.*s", words[batch->basis], (int)batch->place.len, batch->place.at);
}

/* What was timed once goes with the samples of the step. */
static int64_t load_ns(const struct price_run *run, int64_t ns)
{
    const struct batches batches = {.more = run->loaded, .to = run->dry.batch.samples};
    return batches.more > 0 && batches.to > 0 ? size_with_batch(ns, batches) : ns;
}

static struct price_load load_of(const struct price_run *run)
{
    const struct dry_load *const load = &run->dry.load;
    return (struct price_load){.batch_us = (double)load_ns(run, load->batch_ns) / 1e3,
                               .worked = load->batch_ns ? fmin((double)load->worked_ns / (double)load->batch_ns, 1) : 1,
                               .own_us = (double)load_ns(run, load->own_ns) / 1e3,
                               .feed_us = (double)load_ns(run, load->feed_ns) / 1e3,
                               .workers = load->workers,
                               .place = load->place,
                               .why = load->why};
}

static void take_what_it_does(const struct program *program, struct arena *arena, struct price_run *run)
{
    const struct dry_result *const dry = &run->dry;
    run->step = (struct price_step){.flops = program_flops(program, arena),
                                    .samples = dry->batch.samples,
                                    .tokens = dry->batch.tokens,
                                    .samples_from = samples_from(&dry->batch, arena),
                                    .load = load_of(run),
                                    .doubt = price_real_doubt(&run->real),
                                    .lives = &dry->lives,
                                    .peak = allocator_replay(&dry->lives, ALLOCATOR_NO_LIMIT)};
    struct program_flops *const flops = &run->step.flops;
    for (uint32_t i = 0; i < flops->name_count; i++)
        flops->names[i].name = str_copy(arena, flops->names[i].name);
}

static bool take_step(const struct price_asked *asked, struct program_texts *texts, struct arena *arena,
                      struct price_run *run, struct steptime_error *err)
{
    struct input input = {0};
    struct arena scratch = {0};
    if (!input_read(run->dry.execution, INPUT_EXECUTION, NULL, &input, err))
        return false;
    execution_put_on_device(input.execution,
                            run->dry.nothing_there || !asked->on_gpu); /* FLOPs are those of the device */
    execution_take_marks(input.execution);
    take_calls(input.execution, arena, run);
    struct program program = program_of_execution(input.execution, &scratch);
    const bool good =
        program_check(&program, err) && price_real_grow(&run->real, asked->on_gpu, arena, &program, &run->dry, err);
    program.load_ns = load_ns(run, run->dry.load.own_ns);
    program.feed_ns = load_ns(run, run->dry.load.feed_ns);
    run->source = (struct predict_source){
        .steps = arena_alloc(arena, sizeof *run->source.steps), .count = 1, .path = str_of(asked->path)};
    predict_source_set(&run->source, 0, &program, texts, arena);
    take_what_it_does(&program, arena, run);
    input_free(&input);
    arena_free(&scratch);
    return good;
}

bool price_run(const struct price_asked *asked, const struct price_setting *setting, struct program_texts *texts,
               struct arena *arena, struct price_run *run, struct steptime_error *err)
{
    *run = (struct price_run){0};
    return run_either(asked, setting, arena, run, err) && take_step(asked, texts, arena, run, err);
}
