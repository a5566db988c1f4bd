/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Family 6: copies to the device that could have been avoided, made smaller, or
 * been under way while the device computed; and calls that wait on purpose.
 */
#include "rules/rewrite/fix.h"
#include "rules/loaders/few_batches.h"
#include "rules/loaders/loader.h"
#include "rules/waits/measured.h"
#include "rules/uploads/number.h"
#include "rules/waits/tell.h"
#include "rules/uploads/upload.h"
#include "source/known/known_words.h"
#include "words.h"

/* Underlines the argument that says so, where one is written. */
static void point_at(const struct check *check, uint32_t argument, struct match *match)
{
    if (argument == SYNTAX_NONE)
        return;
    const uint32_t keyword = check->tree->parent[argument];
    const uint32_t what = syntax_is(check->tree, keyword, SYN_KEYWORD) ? keyword : argument;
    match->begin = check->tree->begin[what];
    match->end = check->tree->end[what];
}

/* ---- B2 ---- */

/* torch.tensor(0.0, device=d): a copy of four bytes, and a wait for all that was launched before. */
static bool check_number(const struct check *check, uint32_t call, struct match *match)
{
    const uint32_t number = number_uploaded(check, call);
    if (number == SYNTAX_NONE)
        return false;
    number_break_aside(check, call, match);
    match->captures[match->capture_count++] = number;
    match->upload = call;
    match->fix = FIX_NONE;
    const str text = ask_text(check, number), tail = ask_tail(check, call);
    return tell(check, call, match,
                str_printf(check->arena,
                           "`%.*s(%.*s, ...)` makes a number on the CPU and copies it %s, with a wait; "
                           "torch.full((), %.*s, device=...) lets the device fill it in",
                           (int)tail.len, tail.at, (int)text.len, text.at, ask_often(check, call), (int)text.len,
                           text.at));
}

static bool check_create_then_move(const struct check *check, uint32_t call, struct match *match)
{
    const struct upload upload = upload_of(check, call);
    if (!upload.is || !upload_is_creation(check, upload.origin))
        return check_number(check, call, match);
    if (upload_is_empty(check, upload.origin))
        return false;
    const bool random = upload_is_random(check, upload.origin);
    match->captures[match->capture_count++] = upload.origin;
    match->upload = call;
    match->fix = upload.constructor ? FIX_NONE : random ? FIX_UNSAFE : FIX_SAFE;
    const str origin = ask_text(check, syntax_first(check->tree, upload.origin));
    return tell_each_epoch(
        check, call, match,
        str_printf(check->arena, "`%.*s(...)` makes it on the CPU and `%.*s` copies it %s; create it on the device%s",
                   (int)origin.len, origin.at, (int)ask_tail(check, call).len, ask_tail(check, call).at,
                   ask_often(check, call), random ? " (another random stream)" : " with device="));
}

const struct rule rule_create_then_move = {
    .id = "ST601",
    .name = "create-then-move",
    .entry = "B2",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}},
    .check = check_create_then_move,
    .fix = fix_create_then_move,
    .fix_kind = FIX_SAFE,
    .words = &words_create_then_move,
};

/* ---- B5: at the copy, and at the loader ---- */

static void break_aside(const struct check *check, uint32_t call, struct match *match)
{
    if (ask_answers_host(check, call))
        match_break(match, LINK_GAIN, "its function takes data of the host and gives it an answer: both wait anyway",
                    check_site(check, call));
    if (ask_evaluates(check, call))
        match_break(match, LINK_PACE, "its function evaluates: it trains nothing", check_site(check, call));
}

/* What to change, of "`x` ..., each training step". */
static const char *advice_of(const struct check *check, const struct upload *upload, bool made)
{
    if (upload->value->flags & VALUE_PINNED)
        return "`%.*s` is pinned, but the copy waits for the device %s; add non_blocking=True";
    const bool cast = upload_is_cast(check, upload);
    if (made || (cast && !upload->handed && !value_has(upload->value, VALUE_FROM_LOADER)))
        return "`%.*s` is made on the host, and its copy waits for the device %s; make it on the device, or pin it and copy "
               "with non_blocking=True";
    if (cast)
        return "the copy of `%.*s`, which the cast has made in pageable memory, waits for the device %s; cast behind the "
               "copy, pin the batch (pin_memory=True) and copy with non_blocking=True";
    if (upload->handed)
        return "the copy of `%.*s` waits for the device %s; copy with non_blocking=True, from pinned memory";
    return "the copy of `%.*s` waits for the device %s; pin the batch (pin_memory=True) and copy with non_blocking=True";
}

static bool check_blocking_upload(const struct check *check, uint32_t call, struct match *match)
{
    const struct upload upload = upload_of(check, call);
    const bool made = upload.is && !upload_is_batch(check, &upload) && upload_is_made_here(check, &upload);
    if (!upload.is || (!made && !upload_is_batch(check, &upload)))
        return false;
    if (upload.move.non_blocking || upload.move.non_blocking_hidden)
        return false;
    const str what = ask_text(check, upload.what);
    match->captures[match->capture_count++] = upload.what;
    match->upload = call;
    if (upload.constructor || upload.handed || made || upload_is_cast(check, &upload))
        match->fix =
            FIX_NONE; /* it has no non_blocking=; or what could be pinned is not in sight, or is another tensor */
    break_aside(check, call, match);
    return tell(
        check, call, match,
        str_printf(check->arena, advice_of(check, &upload, made), (int)what.len, what.at, ask_often(check, call)));
}

/* A loader of which nothing is known to be trained. */
static void break_untrained(const struct check *check, uint32_t call, struct match *match)
{
    level_of_loader(check, call, match);
    const char *untrained = loader_untrained(check, call);
    if (untrained)
        match_break(match, LINK_PACE, untrained, check_site(check, call));
}

static bool check_pageable_loader(const struct check *check, uint32_t call, struct match *match)
{
    if (!loader_is(check, call) || !loader_feeds_device(check, call) || loader_on_device(check, call) ||
        !loader_gives_tensors(check, call) || loader_of_indices(check, call))
        return false;
    const uint32_t pin = loader_argument(check, call, LOADER_PIN_MEMORY);
    if (syntax_arguments_hidden(check->tree, call) || (pin != SYNTAX_NONE && !syntax_is(check->tree, pin, SYN_FALSE)))
        return false;
    match->captures[match->capture_count++] = pin;
    point_at(check, pin, match);
    match->builtin = ask_tail(check, call);
    break_untrained(check, call, match);
    match->message = S("batches of this loader lie in pageable memory, so their copies to the device cannot run beside "
                       "it; set pin_memory=True and copy with non_blocking=True");
    return true;
}

static bool check_blocking_copy(const struct check *check, uint32_t call, struct match *match)
{
    return check_pageable_loader(check, call, match) || check_blocking_upload(check, call, match);
}

const struct rule rule_blocking_copy = {
    .id = "ST602",
    .name = "blocking-copy",
    .entry = "B5",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}},
    .yields_to = {"ST201", "ST501", "ST502", "ST601"},
    .check = check_blocking_copy,
    .fix = fix_blocking_copy,
    .fix_kind = FIX_SAFE,
    .words = &words_blocking_copy,
};

/* ---- B7 ---- */

static bool is_integer(uint8_t dtype)
{
    return dtype == DTYPE_INT32 || dtype == DTYPE_INT64;
}

static bool is_narrower(uint8_t wide, uint8_t narrow)
{
    return (wide == DTYPE_FLOAT64 && (narrow == DTYPE_FLOAT32 || narrow == DTYPE_FLOAT16)) ||
           (wide == DTYPE_FLOAT32 && narrow == DTYPE_FLOAT16) || (wide == DTYPE_INT64 && narrow == DTYPE_INT32) ||
           (wide == DTYPE_INT64 && narrow == DTYPE_FLOAT32) || (is_integer(wide) && narrow == DTYPE_UINT8) ||
           (wide != DTYPE_UNKNOWN && wide != DTYPE_BOOL && narrow == DTYPE_BOOL);
}

/* x.to(device).float(): the copy carries the wide type, and the device narrows it at once. */
static bool check_oversized(const struct check *check, uint32_t call, struct match *match)
{
    const uint32_t receiver = ask_receiver(check, call);
    if (receiver == SYNTAX_NONE)
        return false;
    const struct upload upload = upload_of(check, receiver);
    if (!upload.is || upload.value->dtype == ask_value(check, call)->dtype)
        return false;
    const bool known = is_narrower(upload.value->dtype, ask_value(check, call)->dtype);
    const bool perhaps = upload.value->dtype == DTYPE_UNKNOWN && str_eq(ask_tail(check, call), S("float"));
    if (!known && !perhaps)
        return false;
    match->fix = known ? FIX_SAFE : FIX_NONE;
    match->captures[match->capture_count++] = receiver;
    match->captures[match->capture_count++] = upload.what;
    const str what = ask_text(check, upload.what);
    if (perhaps)
        match_break(match, LINK_GAIN, "whether the copy is wider than it need be is not known",
                    check_site(check, upload.what));
    return tell(check, call, match,
                str_printf(check->arena,
                           "`%.*s` is uploaded and converted by `.%.*s()` %s%s; convert it before the upload",
                           (int)what.len, what.at, (int)ask_tail(check, call).len, ask_tail(check, call).at,
                           ask_often(check, call), known ? ", so the copy is wider than it need be" : ""));
}

const struct rule rule_oversized_upload = {
    .id = "ST603",
    .name = "oversized-upload",
    .entry = "B7",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}, .tails = {"float", "half", "int", "bfloat16", "short", "bool", "byte", "type"}},
    .check = check_oversized,
    .fix = fix_oversized_upload,
    .fix_kind = FIX_SAFE,
    .words = &words_oversized_upload,
};

/* ---- D1 ---- */

static bool check_synchronous_loader(const struct check *check, uint32_t call, struct match *match)
{
    if (!loader_is(check, call) || !loader_feeds_device(check, call) || loader_on_device(check, call) ||
        syntax_arguments_hidden(check->tree, call) || loader_of_indices(check, call))
        return false;
    const uint32_t workers = loader_argument(check, call, LOADER_NUM_WORKERS);
    const bool zero = syntax_is(check->tree, workers, SYN_INTEGER) && str_eq(syntax_text(check->tree, workers), S("0"));
    if (workers != SYNTAX_NONE && !zero)
        return false;
    match->captures[match->capture_count++] = workers;
    point_at(check, workers, match);
    match->builtin = ask_tail(check, call);
    break_untrained(check, call, match);
    if (loader_in_memory(check, call))
        match_break(match, LINK_GAIN, "its samples are tensors in memory, so that there is little to prepare",
                    check_site(check, call));
    if (loader_generates(check, call))
        match_break(match, LINK_GAIN, "each step makes data with the network first, beside which loading is nothing",
                    check_site(check, call));
    const uint32_t few = few_batches_said(check, call);
    if (few != SYNTAX_NONE)
        match_break(match, LINK_GAIN, "the run takes a few batches: workers would cost more than they bring",
                    check_site(check, few));
    match->message =
        S("the training thread itself loads and collates each batch while the device waits; set num_workers "
          "(with persistent_workers=True)");
    return true;
}

const struct rule rule_synchronous_loader = {
    .id = "ST604",
    .name = "synchronous-loader",
    .entry = "D1",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}},
    .check = check_synchronous_loader,
    .fix = fix_synchronous_loader,
    .fix_kind = FIX_UNSAFE,
    .words = &words_synchronous_loader,
};

/* ---- D2 ---- */

static bool is_first_upload(const struct check *check, uint32_t call, uint32_t loop)
{
    for (uint32_t node = loop; node < call; node++)
        if (check->tree->kind[node] == SYN_CALL && upload_of(check, node).is)
            return false;
    return true;
}

/* The next thing to do once copies are pinned and do not block: a note, because it takes a second stream. */
static bool check_no_overlap(const struct check *check, uint32_t call, struct match *match)
{
    const struct upload upload = upload_of(check, call);
    if (!upload.is || !upload_is_batch(check, &upload) || !upload.move.non_blocking ||
        !(upload.value->flags & VALUE_PINNED))
        return false;
    const struct context context = context_of(check->project, check_site(check, call));
    if (context.pace != PACE_STEP || context.step_loop == SYNTAX_NONE ||
        !is_first_upload(check, call, context.step_loop))
        return false;
    match->builtin = ask_tail(check, call);
    match->message =
        S("the batch is copied on the stream that computes, right before it is used; copy the next batch on a "
          "stream of its own while this one computes");
    return level_at(check, call, GPU_SURE, match);
}

const struct rule rule_no_overlap = {
    .id = "ST605",
    .name = "no-overlap",
    .entry = "D2",
    .level = LEVEL_NOTE,
    .query = {.kinds = {SYN_CALL}},
    .check = check_no_overlap,
    .words = &words_no_overlap,
};

/* ---- D3 ---- */

static bool is_launch_blocking(const struct check *check, uint32_t assign)
{
    const uint32_t target = syntax_first(check->tree, assign);
    if (!syntax_is(check->tree, target, SYN_SUBSCRIPT) ||
        !ask_named(check, syntax_first(check->tree, target), "os.environ"))
        return false;
    const str key = syntax_text(check->tree, syntax_child(check->tree, target, 1));
    const str value = syntax_text(check->tree, syntax_last_child(check->tree, assign));
    return str_has(key, S("CUDA_LAUNCH_BLOCKING")) && str_has(value, S("1"));
}

static bool is_anomaly_mode(const struct check *check, uint32_t call)
{
    const bool set = ask_named(check, call, "torch.autograd.set_detect_anomaly");
    const uint32_t mode = syntax_argument(check->tree, call, 0, "mode");
    return (set && syntax_is(check->tree, mode, SYN_TRUE)) ||
           (ask_named(check, call, "torch.autograd.detect_anomaly") && !syntax_is(check->tree, mode, SYN_FALSE));
}

static bool is_wait(const struct check *check, uint32_t call)
{
    return syntax_is(check->tree, call, SYN_CALL) &&
           known_word(WORDS_WAIT, name_of(check->project, check_site(check, call)));
}

/* A function of the run that waits itself: timing helpers. */
static bool calls_wait(const struct check *check, uint32_t call)
{
    if (!project_uses_device(check->project, check->file))
        return false;
    const uint32_t target = name_target(check->project, check_site(check, call));
    if (target == SYNTAX_NONE)
        return false;
    const struct function *function = project_function(check->project, target);
    const struct check there = {check->project, function->file, project_tree(check->project, function->file),
                                check->arena};
    enum { SHORT = 200 }; /* nodes: a helper that waits, not a program that waits somewhere */
    if (there.tree->size[function->node] > SHORT)
        return false;
    for (uint32_t node = function->node; node < syntax_last(there.tree, function->node); node++)
        if (syntax_calls(there.tree, node, S("synchronize")) && is_wait(&there, node))
            return true;
    return false;
}

static bool asks_for_time(const struct check *check, uint32_t node)
{
    return syntax_is(check->tree, node, SYN_CALL) && (name_under(check->project, check_site(check, node), "time.") ||
                                                      name_under(check->project, check_site(check, node), "timeit."));
}

/* `if args.time_it: synchronize(); start = time.time()`: who asks for a measurement wants the wait. */
static bool measures_on_request(const struct check *check, uint32_t node)
{
    enum { SHORT = 12 };
    const uint32_t block = check->tree->parent[syntax_statement(check->tree, node)];
    return syntax_is(check->tree, block, SYN_BLOCK) && syntax_is(check->tree, check->tree->parent[block], SYN_IF) &&
           syntax_child_count(check->tree, block) <= SHORT && ask_any(check, block, asks_for_time);
}

static bool check_explicit_sync(const struct check *check, uint32_t node, struct match *match)
{
    const bool call = check->tree->kind[node] == SYN_CALL;
    if (call && measures_on_request(check, node))
        match_break(match, LINK_PACE, "it runs only where a measurement is asked for", check_site(check, node));
    const bool waits = call && (is_wait(check, node) || calls_wait(check, node));
    if (waits && measured_aside(check, node))
        match_break(match, LINK_PACE, "it measures, where nothing on the way to it steps an optimizer",
                    check_site(check, node));
    if (waits)
        return tell(check, node, match,
                    str_printf(check->arena,
                               "`%.*s` stops the host until the device has nothing left to do, %s; leave it "
                               "out of the loop, time with events",
                               (int)ask_text(check, node).len, ask_text(check, node).at, ask_often(check, node)));
    if (call ? !is_anomaly_mode(check, node) : !is_launch_blocking(check, node))
        return false;
    match->builtin = call ? ask_tail(check, node) : S("");
    return tell_of_run(check, node, match,
                       S("a debugging mode that makes the host wait for each operator; leave it out of training runs"));
}

const struct rule rule_explicit_sync = {
    .id = "ST606",
    .name = "explicit-sync",
    .entry = "D3",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL, SYN_ASSIGN}},
    .check = check_explicit_sync,
    .words = &words_explicit_sync,
};
