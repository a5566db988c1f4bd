/* SPDX-License-Identifier: Apache-2.0 */
/* A training script as it is, with a few of its steps recorded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/real.h"
#include "cli/program/command.h"
#include "inputs/step_times.h"
#include "new_folder.h"
#include "record/attach.h"
#include "record/cuda.h"
#include "record/record.h"
#include "training.h"

enum { MOST_STEPS = 100000, LEAST_PAIRED_PERCENT = 90 };

static const struct option options[] = {
    {"out", 'o', "DIR", NULL,
     "Write into this folder. Default: steptime-NAME here, with a number where that is taken."},
    {"wait", 0, "N", NULL, "Leave so many steps bare before recording begins. Default: 10."},
    {"warmup", 0, "N", NULL, "So many steps with the profiler on are thrown away. Default: 2."},
    {"steps", 0, "N", NULL, "Record so many steps. Default: 5."},
    {"no-stacks", 0, NULL, NULL, "One pass, without Python's stacks: no lines of code are known then."},
    {"sync-lines", 0, NULL, NULL,
     "One pass more, in which PyTorch says which lines wait for the GPU: NAME.syncs.json, which lint reads beside a trace."},
    {"et", 0, NULL, NULL,
     "One pass more, with operators, their shapes and data: NAME.et.json.gz, an execution trace, which predict reads."},
    {"memory", 0, NULL, NULL,
     "One pass more, with every allocation: NAME.memory.json.gz, and in a line how much is held at most and from where."},
    {"compile-log", 0, NULL, NULL,
     "Keep what PyTorch's compiler notes of itself (TORCH_TRACE), in DIR/compile-log, for summary --compile-log."},
    {"window", 0, "A:B", NULL,
     "Where no optimizer makes a step in A seconds, record B seconds of whatever runs; 0:0 never. Default: 30:2."},
    {"also-cpu", 0, NULL, NULL,
     "Then run it once more without a GPU until it is recorded, into DIR/cpu: what lint --trace-cpu compares with."},
    {"attach", 0, "PID|JOB", NULL,
     "Record a process that runs already, and what it started, or the processes of a Slurm job on this machine; those "
     "started with KINETO_USE_DAEMON=1, or one whose Python is 3.14 or later. Instead of a command."},
    {"cuda", 0, NULL, NULL,
     "Record all of the program by CUDA itself, whatever it is written in: NAME.cuda. For programs without PyTorch's profiler."},
    {"python", 0, "PATH", NULL, "The interpreter of a script that is named alone. Default: python3."},
    {0},
};

/* ---- options ---- */

static bool window_of(const struct call *call, struct record_options *to, struct steptime_error *err)
{
    const char *const text = call_text(call, "window");
    str rest = str_of(text ? text : "30:2"), word;
    return (str_cut(&rest, ':', &word) && real_read(word, &to->idle_s) && real_read(rest, &to->window_s) &&
            to->idle_s >= 0 && to->window_s >= 0) ||
           fail(err, STEPTIME_USAGE, "--window takes two numbers of seconds, 30:2, not '%s'", text);
}

static bool plan_of(const struct call *call, struct record_options *to, struct steptime_error *err)
{
    to->no_stacks = call_flag(call, "no-stacks");
    to->sync_lines = call_flag(call, "sync-lines");
    to->execution_trace = call_flag(call, "et");
    to->memory = call_flag(call, "memory");
    to->compile_log = call_flag(call, "compile-log");
    return call_count(call, "wait", 1, MOST_STEPS, 10, &to->wait, err) &&
           call_count(call, "warmup", 0, MOST_STEPS, 2, &to->warmup, err) &&
           call_count(call, "steps", 1, MOST_STEPS, 5, &to->steps, err) && window_of(call, to, err);
}

static bool script_of(const struct call *call, struct arena *arena, struct record_options *to,
                      struct steptime_error *err)
{
    to->argv = training_words(call, arena, err);
    if (!to->argv)
        return false;
    to->name = record_name(to->argv, arena);
    const str usual = str_printf(arena, "steptime-%.*s", (int)to->name.len, to->name.at);
    to->to = new_folder(call_text(call, "out"), usual, "--out", FOLDER_MAY_BE_THERE, arena, err);
    return to->to && folder_claim(to->to, "--out", err);
}

/* ---- what came of it ---- */

static void tell_process(const struct recorded *process, struct arena *arena)
{
    const struct step_times times = step_times_beside(process->path, arena);
    const double factor = step_times_factor(&times);
    str line = str_printf(arena, "%.*s: %lld steps, %s stacks", (int)process->path.len, process->path.at,
                          (long long)process->steps, process->has_stacks ? "with" : "without");
    if (process->steps < process->of)
        line = str_printf(arena, "%s; the script ended before the %lldth", line.at, (long long)process->of);
    if (factor >= 1)
        line = str_printf(arena, "%s; a step takes %.3g ms bare and %.2f times that while it is recorded", line.at,
                          times.bare_ns / 1e6, factor);
    else if (factor > 0)
        line = str_printf(arena, "%s; steps vary too much to tell what recording costs", line.at);
    training_say(line);
    if (process->has_stacks && process->paired > 0 && process->paired * 100 < LEAST_PAIRED_PERCENT)
        training_say(str_printf(arena,
                                "its steps differ: only %.0f %% of the operators have a stack at their own place",
                                process->paired * 100));
    if (process->has_stacks && process->note_ns > 0)
        training_say(str_printf(arena, "noting frames took %.0f ns twice a frame: taken off the times of its frames",
                                process->note_ns));
    for (uint32_t i = 0; i < process->found_count; i++)
        training_say(process->found[i]);
}

static str nothing_because(const struct record_result *result)
{
    if (result->why_none.len)
        return result->why_none;
    if (!result->loaded)
        return S("nothing was recorded: no python heeded PYTHONPATH (a wrapper, or -I, -E or -S)");
    if (!result->torch)
        return S("nothing was recorded: the script ended without importing PyTorch");
    return S("nothing was recorded");
}

/* What to do with it, to be copied into a shell. */
static void tell_next(const struct record_result *result, str folder, struct arena *arena)
{
    training_say(str_printf(arena, "next, what a step costs and what to change first: steptime %.*s", (int)folder.len,
                            folder.at));
    if (result->at[0].has_stacks)
        training_say(str_printf(arena, "and in which lines of the source: steptime lint --trace %.*s SOURCE",
                                (int)folder.len, folder.at));
}

static void tell_result(const struct record_options *to, const struct record_result *result, struct arena *arena)
{
    enum { SHOWN = 4 };
    for (uint32_t i = 0; i < result->count && i < SHOWN; i++)
        tell_process(&result->at[i], arena);
    if (result->count > SHOWN)
        training_say(str_printf(arena, "and %u more", result->count - SHOWN));
    if (result->count)
        tell_next(result, training_in_shell(to->to, arena), arena);
    else
        training_say(nothing_because(result));
    if (!result->count)
        rmdir(to->to);
}

/* ---- the same on the CPU ---- */

static void tell_on_cpu(const struct record_options *to, const struct record_result *first,
                        const struct record_result *second, struct arena *arena)
{
    if (second->count) {
        tell_process(&second->at[0], arena);
        training_say(str_printf(arena, "what is slower on the GPU: steptime lint --trace %s --trace-cpu %s SOURCE",
                                first->at[0].path.at, second->at[0].path.at));
        return;
    }
    const str why = second->end.code
                        ? str_printf(arena, "the script ended with %d; does it need a GPU?", second->end.code)
                        : nothing_because(second);
    training_say(str_printf(arena, "no profile of the CPU: %.*s", (int)why.len, why.at));
    rmdir(to->to);
}

/* Into a folder within: what reads DIR leaves it aside. The first recording stays as it is whatever happens here. */
static void record_on_cpu(const struct record_options *first, const struct record_result *recorded, struct arena *arena)
{
    struct record_options to = *first;
    struct record_result result;
    struct steptime_error err = {.offset = -1};
    if (!recorded->count || recorded->end.signal || recorded->end.code) {
        training_say(S("no profile of the CPU: the script has to be recorded and to end well first"));
        return;
    }
    to.to = str_printf(arena, "%s/cpu", first->to).at;
    to.sync_lines = to.memory = to.execution_trace = to.compile_log = false;
    to.on_cpu = to.quiet = true;
    training_say(S("once more, without a GPU"));
    if ((mkdir(to.to, 0777) && errno != EEXIST) || !record_run(&to, arena, &result, &err)) {
        const str why = err.message[0] ? error_line(arena, &err) : str_of(strerror(errno));
        training_say(str_printf(arena, "no profile of the CPU: %.*s", (int)why.len, why.at));
        return;
    }
    tell_on_cpu(&to, recorded, &result, arena);
}

/* ---- the command ---- */

/* *code is what this program ends with. */
static bool record(const struct call *call, struct arena *arena, int *code, struct steptime_error *err)
{
    struct record_options to = {.tell = training_say};
    struct record_result result;
    if (getenv("STEPTIME_RECORD_TO"))
        return fail(err, STEPTIME_USAGE, "this command is being recorded already, into %s",
                    getenv("STEPTIME_RECORD_TO"));
    if (!plan_of(call, &to, err) || !script_of(call, arena, &to, err))
        return false;
    if (!record_run(&to, arena, &result, err)) {
        rmdir(to.to);
        return false;
    }
    tell_result(&to, &result, arena);
    if (call_flag(call, "also-cpu"))
        record_on_cpu(&to, &result, arena);
    *code = foreground_die_alike(result.end);
    return true;
}

/* What runs already is recorded by its own PyTorch, which knows no other passes than the profiler's. */
static bool attach_takes(const struct call *call, struct steptime_error *err)
{
    static const char *const not_taken[] = {"sync-lines", "memory", "et", "compile-log", "also-cpu"};
    for (size_t i = 0; i < sizeof not_taken / sizeof *not_taken; i++)
        if (call_flag(call, not_taken[i]))
            return fail(err, STEPTIME_USAGE,
                        "--attach cannot have --%s: that needs a script that is started by this command", not_taken[i]);
    return !call_argument_count(call) ||
           fail(err, STEPTIME_USAGE, "--attach records what runs already: it takes no command");
}

static bool attach(const struct call *call, struct arena *arena, int *code, struct steptime_error *err)
{
    struct record_options plan = {.tell = training_say};
    struct attach_options to = {.tell = training_say};
    struct record_result result;
    if (!attach_takes(call, err) || !call_count(call, "attach", 1, INT32_MAX, 0, &to.number, err) ||
        !plan_of(call, &plan, err))
        return false;
    const str name = attach_name(to.number, arena);
    const str usual = str_printf(arena, "steptime-%.*s", (int)name.len, name.at);
    to.warmup = plan.warmup;
    to.steps = plan.steps;
    to.no_stacks = plan.no_stacks;
    plan.to = to.to = new_folder(call_text(call, "out"), usual, "--out", FOLDER_MAY_BE_THERE, arena, err);
    if (!to.to || !folder_claim(to.to, "--out", err))
        return false;
    if (!attach_run(&to, arena, &result, err)) {
        rmdir(to.to);
        return false;
    }
    tell_result(&plan, &result, arena);
    *code = foreground_die_alike(result.end);
    return true;
}

/* CUDA's own recorder knows no steps and no passes: options about these would be without effect. */
static bool takes_no_plan(const struct call *call, struct steptime_error *err)
{
    static const char *const texts[] = {"wait", "warmup", "steps", "window", "attach"};
    static const char *const flags[] = {"no-stacks", "sync-lines", "et", "compile-log", "also-cpu"};
    const char *given = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        given = call_text(call, texts[i]) ? texts[i] : given;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        given = call_flag(call, flags[i]) ? flags[i] : given;
    return !given || fail(err, STEPTIME_USAGE, "--cuda records all of the program: --%s has no place there", given);
}

static bool by_cuda(const struct call *call, struct arena *arena, int *code, struct steptime_error *err)
{
    struct record_options plan = {.tell = training_say};
    struct foreground_end end;
    uint32_t files;
    if (!takes_no_plan(call, err) || !script_of(call, arena, &plan, err))
        return false;
    const struct cuda_options to = {plan.argv, plan.to, plan.name, training_say};
    if (!cuda_record(&to, arena, &files, &end, err)) {
        rmdir(plan.to);
        return false;
    }
    training_say(files ? str_printf(arena, "next: steptime %s", plan.to)
                       : S("nothing was recorded: the program did not come to CUDA, or the recorder said why not"));
    if (!files)
        rmdir(plan.to);
    *code = foreground_die_alike(end);
    return true;
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    int code = 0;
    const bool done = call_flag(call, "cuda")     ? by_cuda(call, &arena, &code, err)
                      : call_text(call, "attach") ? attach(call, &arena, &code, err)
                                                  : record(call, &arena, &code, err);
    arena_free(&arena);
    return done ? (enum steptime_code)code : err->code;
}

const struct command command_record = {
    .name = "record",
    .arguments = "[--] COMMAND...",
    .brief = "a training script as it is, with a few of its steps recorded",
    .about =
        "Runs a training script, unchanged, and records some of its steps with PyTorch's profiler. Some steps are left "
        "bare first; they say what a step really takes. Then the profiler is warmed up and records a few steps twice: "
        "with times and shapes, and with Python's stacks. Stacks slow a step, so they never enter the times: both "
        "recordings are joined by the order of their operators. Behind that the script runs on, bare, to its end.\n\n"
        "A step ends with the step() of an optimizer, the first that makes one. It works under torchrun, srun and mpirun "
        "(a file a rank), with python -m, Lightning, Accelerate and transformers; the workers of a DataLoader are left "
        "out. A script that profiles itself is left alone, which is said. What the script prints, how it is interrupted "
        "and its exit code are its own.\n\n"
        "With --cuda no Python is needed: the CUDA driver loads a recorder into the program (doc/recorder-format.md), which writes "
        "NAME.cuda from its first call of CUDA to its end.\n\n"
        "Beside NAME.json.gz lies NAME.steps.json with the ends of bare and recorded steps. All commands read it and say "
        "how much longer a recorded step is.",
    .examples = "steptime record --cuda -- ./train|a program without PyTorch, by CUDA's own recorder\n"
                "steptime record -- python train.py --epochs 1|into steptime-train/\n"
                "steptime record -o here --steps 10 -- torchrun --nproc-per-node 8 train.py|eight ranks\n"
                "steptime record --attach 4711|five steps of a process started with KINETO_USE_DAEMON=1\n"
                "steptime record -- train.py && steptime steptime-train|record, then look",
    .options = options,
    .run = run,
};
