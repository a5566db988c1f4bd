/* SPDX-License-Identifier: Apache-2.0 */
#include "advice_causes.h"

#include <math.h>

#include "ops/words/family.h"
#include "runs_on.h"
#include "span_text.h"

/* ---- which rule ---- */

static const struct {
    const char *rule;
    double notable;
} rules[CAUSES] = {
    [CAUSE_LOADING] = {"SM101", 0.05},
    [CAUSE_LOADER_WAIT] = {"SM101", 0.05},
    [CAUSE_LAUNCH] = {"SM103", 0.15},
    [CAUSE_GRAPH] = {"SM103", 0.15},
    [CAUSE_RUNTIME] = {"SM103", 0.15},
    [CAUSE_OPERATOR] = {"SM103", 0.15},
    [CAUSE_PYTHON] = {"SM104", 0.10},
    [CAUSE_COMPILATION] = {"SM109", 0.05},
    [CAUSE_MODULES] = {"SM110", 0.05},
    [CAUSE_START] = {"SM110", 0.05},
    [CAUSE_RUN_TIME_COMPILER] = {"SM110", 0.05},
    [CAUSE_SEARCH] = {"SM111", 0.05},
    [CAUSE_ALLOCATION] = {"SM112", 0.05},
    [CAUSE_RETRY] = {"SM112", 0.05},
    [CAUSE_NO_CACHE] = {"SM112", 0.05},
    [CAUSE_MAPPING] = {"SM112", 0.05},
    [CAUSE_COLLECTION] = {"SM113", 0.05},
    [CAUSE_CHECKPOINT] = {"SM114", 0.05},
    [CAUSE_LOGGING] = {"SM115", 0.05},
    [CAUSE_SLEEP] = {"SM116", 0.05},
    [CAUSE_WAITING] = {"SM116", 0.05},
    [CAUSE_UNKNOWN] = {"SM118", 0.05},
    [CAUSE_PAUSE] = {"SM116", 0.05},
    [CAUSE_NO_LAUNCH] = {"SM119", 0.05},
    [CAUSE_DEVICE] = {"SM203", 0.10},
    [CAUSE_CAPTURE] = {"SM117", 0.05},
};

static bool is_pause(const struct holdup *holdup)
{
    return holdup->is_long && holdup->cause != CAUSE_RUN_TIME_COMPILER && holdup->cause != CAUSE_NO_LAUNCH;
}

/* Without a device operators are the work itself, and Python between them has a rule of its own. */
static bool is_work(const struct holdup *holdup, const struct facts *facts)
{
    return !facts->device && !holdup->is_long && holdup->cause >= CAUSE_SYNC && holdup->cause <= CAUSE_PYTHON;
}

struct cause_advice advice_on(const struct holdup *holdup, const struct facts *facts)
{
    if (is_work(holdup, facts))
        return (struct cause_advice){NULL, 0};
    if (is_pause(holdup))
        return (struct cause_advice){"SM118", 0.05};
    return (struct cause_advice){rules[holdup->cause].rule, rules[holdup->cause].notable};
}

/* ---- when, and where ---- */

static const char *ordinal(uint32_t number, struct arena *arena)
{
    static const char *const words[] = {"second", "third", "fourth", "fifth", "sixth"};
    return number >= 2 && number <= 6 ? words[number - 2] : str_printf(arena, "%uth", number).at;
}

static str when(const struct holdup *holdup, uint32_t steps, struct arena *arena)
{
    switch (holdup->habit) {
    case HABIT_EACH:
        return S(" in every step");
    case HABIT_WARM_UP:
        return steps > 2 ? S(" in the first steps only") : S(" in the first step only");
    case HABIT_PERIODIC:
        return str_printf(arena, " in every %s step", ordinal(holdup->every, arena));
    case HABIT_UNKNOWN:
    case HABIT_ONE: /* the time is told as that of the one step */
        return S("");
    default:
        return str_printf(arena, " in %u of %u steps", holdup->steps, steps);
    }
}

static str times(const struct holdup *holdup, struct arena *arena)
{
    const char *longest = span_text(arena, (double)holdup->longest_ns);
    if (holdup->times == 1)
        return str_printf(arena, "once, %s", longest);
    return str_printf(arena, "%u times, up to %s", holdup->times, longest);
}

static str where(const struct holdup *holdup, struct arena *arena)
{
    const str title = holdup->cause == CAUSE_DEVICE ? S("") : holdup->title; /* that is the subject */
    const str what = title.len ? title : holdup->inside;
    if (!what.len)
        return S("");
    const bool around = holdup->inside.len && title.len && !str_eq(title, holdup->inside);
    return str_printf(arena, ", %s %.*s%s%.*s", holdup->times == 1 ? "in" : "most in", (int)what.len, what.at,
                      around ? " of " : "", around ? (int)holdup->inside.len : 0, around ? holdup->inside.at : "");
}

/* ---- what to do ---- */

static bool comes_again(const struct holdup *holdup)
{
    return holdup->habit == HABIT_EACH || holdup->habit == HABIT_PERIODIC || holdup->habit == HABIT_SOME ||
           ((holdup->habit == HABIT_UNKNOWN || holdup->habit == HABIT_ONE) && holdup->times > 2);
}

/* What is used already, or is not there, is no advice. */
static str launch_less(const struct facts *facts, struct arena *arena)
{
    return str_printf(
        arena, "%s%s%s%sa larger batch.",
        facts->graphs ? "Part of it is launched as graphs already: put the rest into them; or " : "Launch less: ",
        facts->compiled || !facts->cuda ? "" : "torch.compile, ", facts->graphs || !facts->cuda ? "" : "CUDA graphs, ",
        facts->optimizer_kernels > 0 ? "fused optimizers, or "
        : facts->graphs              ? ""
                                     : "or ");
}

static str pause_advice(const struct holdup *holdup, const struct facts *facts)
{
    const bool again = comes_again(holdup) || holdup->habit == HABIT_ONE;
    if (holdup->cause == CAUSE_OPERATOR && !facts->device && !facts->calls && again)
        return S("On the CPU it is the work itself: less of it, fewer and larger calls, or more threads.");
    if (holdup->cause == CAUSE_OPERATOR && family_is_matrix(family_of_name(holdup->what)))
        return S(
            "A product or convolution that takes the host so long chooses or loads its kernel: run each shape once "
            "before you record.");
    if (holdup->habit == HABIT_ONE && !comes_again(holdup))
        return S("One step does not show whether it comes again: look at the place in the trace.");
    if (comes_again(holdup))
        return S("It is no sum of small pieces: look at what the program does there.");
    if (holdup->habit == HABIT_UNKNOWN)
        return S("Without steps nobody can say whether it comes again: look at the place in the trace.");
    return S("That is no habit of the program: look at the place in the trace.");
}

static str compilation_advice(const struct facts *facts, struct arena *arena)
{
    const struct compilations *c = &facts->compilations;
    const str counted = c->functions ? str_printf(arena, "%u function%s compiled in %u steps%s. ", c->functions,
                                                  c->functions == 1 ? "" : "s", facts->steps,
                                                  c->again ? str_printf(arena, ", %u of them again", c->again).at : "")
                                     : S("");
    const str again = facts->again.ns > 0
                          ? str_printf(arena, "Of it %s a step are functions compiled again, told by CL101. ",
                                       span_text(arena, facts->again.ns))
                          : S("");
    return str_printf(arena, "%.*s%.*s%s", (int)counted.len, counted.at, (int)again.len, again.at,
                      c->again && isnan(facts->again.ns)
                          ? "Sizes that change compile again: mark_dynamic or pad them. Which ones, a log tells: set "
                            "TORCH_TRACE=DIR and give --compile-log DIR."
                          : "Warm up before you record, and keep the compiler's cache between runs.");
}

static str no_launch_advice(const struct holdup *holdup, const struct facts *facts)
{
    if (str_has(holdup->title, S("DistributedDataParallel")) || str_has(holdup->inside, S("DistributedDataParallel")))
        return S("Fewer launches do not help here. Buffers that are sent to all ranks in each "
                 "step do this: broadcast_buffers=False where ranks need not agree on them.");
    return facts->compiled ? S("Fewer launches do not help here: do this work once outside of the step, or "
                               "on fewer, larger tensors.")
                           : S("Fewer launches do not help here: do this work once outside of the step, on "
                               "fewer, larger tensors, or let torch.compile drop it.");
}

/* Lower precision is no advice for who has it: told by the kernel's name, else by the types of the whole trace. */
static str kernel_advice(const struct holdup *holdup, const struct facts *facts, struct arena *arena)
{
    const bool single = kernel_is_single(holdup->what), reduced = kernel_is_reduced(holdup->what);
    return str_printf(arena, "The step waits for it: %sa %sfaster version of it, or less work for it.",
                      reduced || (facts->reduced && !single) ? "" : "lower precision, ",
                      facts->compiled ? "" : "fused or ");
}

/* They are told one by one, with their longest and their place. */
static bool is_counted(const struct holdup *holdup)
{
    return holdup->is_long || holdup->cause < CAUSE_SYNC || holdup->cause >= CAUSE_PAUSE;
}

static str advice(const struct holdup *holdup, const struct facts *facts, struct arena *arena)
{
    if (is_pause(holdup))
        return pause_advice(holdup, facts);
    switch (holdup->cause) {
    case CAUSE_LOADING:
        return S("The loader works in the training loop: give it workers (num_workers, prefetch_factor, "
                 "persistent_workers), or prepare less per sample.");
    case CAUSE_LOADER_WAIT:
        return S("Its workers are too slow: decode and prepare less per sample, cache, or more of them where cores are "
                 "free.");
    case CAUSE_COMPILATION:
        return compilation_advice(facts, arena);
    case CAUSE_RUN_TIME_COMPILER:
        return S(
            "The first call of an operator compiles or chooses its kernels: warm up before you record, keep shapes "
            "the same.");
    case CAUSE_MODULES:
        return facts->cuda && !facts->hip ? S("Code of kernels is loaded on first use: warm up before you record; "
                                              "CUDA_MODULE_LOADING=EAGER loads all at the start.")
                                          : S("Code of kernels is loaded on first use: warm up before you record.");
    case CAUSE_START:
        return S("A library is used for the first time: leave the first steps out.");
    case CAUSE_SEARCH:
        return S("Algorithms are tried for each new shape: keep shapes the same, or save what was found.");
    case CAUSE_ALLOCATION:
        return S("The allocator asks the driver for memory: run the largest batch first, so that it holds enough.");
    case CAUSE_RETRY:
        return S(
            "Memory is full: the allocator frees what it can and asks again. Use less (a smaller batch, activation "
            "checkpointing), or expandable_segments:True against fragments.");
    case CAUSE_NO_CACHE:
        return S("Memory is asked and given back for about each tensor: switch caching on (unset "
                 "PYTORCH_NO_CUDA_MEMORY_CACHING, PYTORCH_NO_HIP_MEMORY_CACHING).");
    case CAUSE_MAPPING:
        return S("Expandable segments grow: that ends with the first steps.");
    case CAUSE_COLLECTION:
        return S("gc.freeze() after the start, and gc.collect() at the same step of all ranks.");
    case CAUSE_CHECKPOINT:
        return S("Save asynchronously, or less often.");
    case CAUSE_LOGGING:
        return S("Log less often, and without reading values back.");
    case CAUSE_PAUSE:
        return S("No work takes the same time again and again: look for a sleep, a poll or a time-out there.");
    case CAUSE_NO_LAUNCH:
        return no_launch_advice(holdup, facts);
    case CAUSE_DEVICE:
        return kernel_advice(holdup, facts, arena);
    case CAUSE_WAITING:
        return S("Look at what the other thread or process does meanwhile: a faster host does not shorten it.");
    case CAUSE_SLEEP:
        return S("The program sleeps there.");
    case CAUSE_CAPTURE:
        if (holdup->habit == HABIT_UNKNOWN && holdup->times > 1)
            return str_printf(
                arena, "A graph is recorded %u times: where later calls do it again, keep inputs and sizes static.",
                holdup->times);
        return comes_again(holdup) || holdup->times > 1 ? S("A graph is recorded again: keep inputs and sizes static.")
               : holdup->habit == HABIT_ONE
                   ? S("One step does not show whether a graph is recorded again: record more.")
                   : S("That is once: leave the first steps out.");
    case CAUSE_PYTHON:
        return facts->stacks
                   ? S("Move that work out of the step or vectorise it.")
                   : S("Move that work out of the step or vectorise it; with_stack=True records which lines.");
    default:
        return launch_less(facts, arena);
    }
}

static str subject(const struct holdup *holdup, const struct facts *facts, struct arena *arena)
{
    if (holdup->cause == CAUSE_DEVICE)
        return str_printf(arena, "the kernel %.*s", (int)holdup->title.len, holdup->title.at);
    if (is_counted(holdup))
        return holdup->cause == CAUSE_NO_LAUNCH
                   ? S("a run of operators that launch nothing")
                   : str_of(holdup->is_long ? cause_long_title(holdup->cause) : cause_title(holdup->cause));
    if (holdup->cause == CAUSE_PYTHON)
        return facts->cuda || !facts->device ? S("Python between operators") : S("host code between calls");
    const double mean_us = facts->kernels > 0 ? facts->kernel_ns / facts->kernels / 1e3 : 0;
    return facts->device ? str_printf(arena, "launching %.0f kernel%s%s of %.1f us%s", facts->kernels,
                                      facts->kernels < 1.5 ? "" : "s",
                                      holdup->habit == HABIT_ONE || holdup->habit == HABIT_UNKNOWN ? "" : " a step",
                                      mean_us, facts->kernels < 1.5 ? "" : " each")
                         : S("operators beside their work");
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* A mean of one step is no mean; without steps all is one. */
static const char *of_step(const struct holdup *holdup)
{
    return holdup->habit == HABIT_ONE       ? "of the one step"
           : holdup->habit == HABIT_UNKNOWN ? "of the recording"
                                            : "a step";
}

str advice_text(const struct holdup *holdup, const struct holdups *holdups, const struct facts *facts,
                struct arena *arena)
{
    const double step_ns = (double)holdup->saved_ns / (holdups->steps ? holdups->steps : 1);
    const double percent = holdups->step_ns > 0 ? 100 * (double)holdup->saved_ns / (double)holdups->step_ns : 0;
    const str of = subject(holdup, facts, arena), at = is_counted(holdup) ? when(holdup, holdups->steps, arena) : S("");
    const bool counted = is_counted(holdup);
    const str often = counted ? times(holdup, arena) : S("in short pieces");
    const str place = counted ? where(holdup, arena) : S("");
    const str todo = advice(holdup, facts, arena);
    return str_printf(arena, "%c%.*s%.*s costs %s %s (%.0f %%)%s %.*s%.*s. %.*s", upper(of.at[0]), (int)of.len - 1,
                      of.at + 1, (int)at.len, at.at, span_text(arena, step_ns), of_step(holdup), percent,
                      counted ? ":" : ",", (int)often.len, often.at, (int)place.len, place.at, (int)todo.len, todo.at);
}

str advice_short(const struct holdup *holdup, const struct holdups *holdups, const struct facts *facts,
                 struct arena *arena)
{
    const double step_ns = (double)holdup->saved_ns / (holdups->steps ? holdups->steps : 1);
    const double percent = holdups->step_ns > 0 ? 100 * (double)holdup->saved_ns / (double)holdups->step_ns : 0;
    const str of = subject(holdup, facts, arena), at = is_counted(holdup) ? when(holdup, holdups->steps, arena) : S("");
    const str todo = advice(holdup, facts, arena), place = holdup->is_long ? where(holdup, arena) : S("");
    return str_printf(arena, "%c%.*s%.*s costs %s %s (%.0f %%)%.*s. %.*s", upper(of.at[0]), (int)of.len - 1, of.at + 1,
                      (int)at.len, at.at, span_text(arena, step_ns), of_step(holdup), percent, (int)place.len, place.at,
                      (int)todo.len, todo.at);
}
