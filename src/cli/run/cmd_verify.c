/* SPDX-License-Identifier: Apache-2.0 */
/* Two training scripts, or two commands that end up in one: is the second the same training, and is it faster? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/program/command.h"
#include "cli/program/output.h"
#include "training.h"
#include "verify/verify.h"
#include "verify/words.h"

enum { MOST_SEEDS = 1000, NS_PER_S = 1000000000 };

static const struct option options[] = {
    {"before", 0, "CMD", NULL, "A command in the place of BEFORE.py; with --after."},
    {"after", 0, "CMD", NULL, "A command in the place of AFTER.py; with --before."},
    {"python", 0, "PATH", NULL, "The interpreter of the scripts. Default: python3."},
    {"seed", 0, "N", NULL, "The seed of random, numpy and torch before the script's own code runs. Default: 0."},
    {"seeds", 0, "N,N...", NULL, "Several seeds, one after the other. {seed} in ARGS stands for each."},
    {"steps", 0, "N", NULL, "End a run after so many steps of its optimizer; 0 lets it run to its end. Default: 50."},
    {"warmup", 0, "N", NULL, "So many steps at the start of a run count for no time. Default: 5."},
    {"repeat", 0, "N", NULL, "Timed runs of each, in turns; 0 compares losses only. Default: 3."},
    {"rtol", 0, "X", NULL,
     "Losses may differ by this part of their value. Default: 0, which is equal to the last bit."},
    {"atol", 0, "X", NULL, "Losses may differ by this, beside --rtol. Default: 0."},
    {"processor-time", 0, NULL, NULL,
     "Time steps by what the process spends on processors, not by the wall clock: steadier on a busy machine, and blind to "
     "waits and to what other processes do, as workers of a loader."},
    {"saved", 0, NULL, NULL, "Compare what the scripts save with torch.save, too."},
    {"timeout", 0, "S", NULL, "A run that takes longer has failed. Default: 600 seconds."},
    {0},
};

/* ---- options ---- */

static bool seeds_of(const struct call *call, struct arena *arena, struct verify_options *to,
                     struct steptime_error *err)
{
    const char *several = call_text(call, "seeds"), *one = call_text(call, "seed");
    const char *text = several ? several : one ? one : "0";
    int64_t *seeds = arena_array(arena, MOST_SEEDS, sizeof *seeds);
    str rest = str_of(text);
    for (str word; str_cut(&rest, ',', &word); to->seed_count++)
        if (to->seed_count == MOST_SEEDS || !str_int(word, &seeds[to->seed_count]) || seeds[to->seed_count] < 0 ||
            seeds[to->seed_count] > UINT32_MAX)
            return fail(err, STEPTIME_USAGE, "--%s takes numbers from 0 to %u, not '%s'", several ? "seeds" : "seed",
                        UINT32_MAX, text);
    to->seeds = seeds;
    return true;
}

static bool numbers_of(const struct call *call, struct verify_options *to, struct steptime_error *err)
{
    int64_t timeout_s;
    if (!call_count(call, "steps", 0, UINT32_MAX, 50, &to->steps, err) ||
        !call_count(call, "warmup", 0, UINT32_MAX, 5, &to->warmup, err) ||
        !call_count(call, "repeat", 0, 1000, 3, &to->repeat, err) ||
        !call_count(call, "timeout", 1, 1000000, 600, &timeout_s, err) ||
        !training_real(call, "rtol", 0, &to->tolerance.relative, err) ||
        !training_real(call, "atol", 0, &to->tolerance.absolute, err))
        return false;
    to->limit_ns = timeout_s * NS_PER_S;
    to->saved = call_flag(call, "saved");
    to->processor = call_flag(call, "processor-time");
    if (to->steps && to->repeat && to->warmup >= to->steps)
        return fail(err, STEPTIME_USAGE, "a warm-up of %lld leaves none of %lld steps", (long long)to->warmup,
                    (long long)to->steps);
    return true;
}

/* ---- scripts ---- */

/* The words, then the arguments of the call from `first` on. */
static const char *const *joined(const struct call *call, const char **words, uint32_t count, uint32_t first,
                                 struct arena *arena)
{
    const uint32_t more = call_argument_count(call) - first;
    const char **all = arena_array(arena, count + more + 1, sizeof *all);
    for (uint32_t i = 0; i < count; i++)
        all[i] = words[i];
    for (uint32_t i = 0; i < more; i++)
        all[count + i] = call_argument(call, first + i);
    return all;
}

static bool commands_of(const struct call *call, struct arena *arena, struct verify_options *to,
                        struct steptime_error *err)
{
    static const char *const names[] = {[VERIFY_BEFORE] = "before", [VERIFY_AFTER] = "after"};
    for (int side = 0; side < VERIFY_SIDES; side++) {
        const char *text = call_text(call, names[side]);
        uint32_t count = 0;
        const char **words = text ? words_of(text, arena, &count) : NULL;
        if (!count)
            return fail(err, STEPTIME_USAGE, "--before and --after go together, and each needs a command");
        to->scripts[side] = (struct verify_script){.name = str_of(text), .argv = joined(call, words, count, 0, arena)};
    }
    return true;
}

static bool scripts_of(const struct call *call, struct arena *arena, struct verify_options *to,
                       struct steptime_error *err)
{
    if (call_text(call, "before") || call_text(call, "after"))
        return commands_of(call, arena, to, err);
    if (call_argument_count(call) < VERIFY_SIDES)
        return fail(err, STEPTIME_USAGE, "which two scripts? BEFORE.py AFTER.py, then -- and their arguments");
    for (uint32_t side = 0; side < VERIFY_SIDES; side++) {
        const char *path = call_argument(call, side);
        if (access(path, R_OK))
            return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s", strerror(errno));
        const char *words[] = {training_python(call), path};
        to->scripts[side] =
            (struct verify_script){.name = str_of(path), .argv = joined(call, words, 2, VERIFY_SIDES, arena)};
    }
    return true;
}

/* ---- the command ---- */

static void tell(str what)
{
    fprintf(stderr, "\r\033[Ksteptime: %.*s", (int)what.len, what.at);
    fflush(stderr);
}

static void stop_telling(void)
{
    fputs("\r\033[K", stderr);
}

static bool run_all(const struct call *call, struct arena *arena, bool *good, struct steptime_error *err)
{
    struct verify_options to = {.tell = isatty(STDERR_FILENO) ? tell : NULL};
    struct verify_result result;
    if (!seeds_of(call, arena, &to, err) || !numbers_of(call, &to, err) || !output_check(call, err) ||
        !scripts_of(call, arena, &to, err))
        return false;
    const bool done = verify_run(&to, arena, &result, err);
    if (to.tell)
        stop_telling();
    if (!done) {
        if (result.complaints.len) /* empty it has no address, which fwrite would not take */
            fwrite(result.complaints.at, 1, result.complaints.len, stderr);
        return false;
    }
    struct report *report = report_new(arena, str_of(call->command->name));
    verify_show(&to, &result, report);
    *good = result.good;
    return output_report(call, report, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    bool good = false;
    const bool done = run_all(call, &arena, &good, err);
    return training_end(&arena, !done ? err->code : good ? STEPTIME_OK : STEPTIME_JUDGED);
}

const struct command command_verify = {
    .name = "verify",
    .arguments = "BEFORE.py AFTER.py [-- ARGS...]",
    .brief = "is a changed training script the same training, and how much faster?",
    .about =
        "Runs two training scripts with the same seeds and compares their losses, taken wherever backward() is called "
        "on a scalar: equal to the last bit, or within a tolerance. Then runs them in turns and says how many times as "
        "fast the steps of the second are. The scripts are not changed: a small module that Python loads when it "
        "starts seeds and records, and ends a run after its last step as sys.exit() would.\n\n"
        "A step reaches from the end of one call of the optimizer's step() to the end of the next; on a CUDA or ROCm "
        "device the device's own clock says when, so that the host need not wait for it. Losses are read in other runs "
        "than those that are timed. Workers of loaders, forked children and ranks other than 0 are left out.\n\n"
        "--seeds has no effect on a script that seeds itself: write {seed} where its arguments take one. The exit code "
        "is 1 when losses differ, 3 when a script fails.",
    .examples =
        "steptime verify train.py train_fixed.py|the same losses? how much faster?\n"
        "steptime verify naive/train.py fixed/train.py --seeds 0,1,2 -- --seed {seed}|with three seeds that the "
        "scripts take as an option\n"
        "steptime verify a.py b.py --rtol 1e-5 --steps 20 --repeat 0|losses only, and nearly equal will do\n"
        "steptime verify --before 'python -m shop.train' --after 'python -m shop2.train'|any two commands",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .list = verify_show_tables,
    .options = options,
    .run = run,
};
