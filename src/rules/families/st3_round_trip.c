/* SPDX-License-Identifier: Apache-2.0 */
/* Family 3: data that leaves the device and comes back, and work of the host in the middle of a step. */
#include "rules/rewrite/fix.h"
#include "rules/loops/look_up.h"
#include "rules/loops/made.h"
#include "rules/waits/needed.h"
#include "rules/loops/preparation.h"
#include "rules/waits/read_back.h"
#include "rules/waits/tell.h"
#include "words.h"

/* ---- C1 ---- */

static bool check_round_trip(const struct check *check, uint32_t call, struct match *match)
{
    if (read_back_of(check, call) != READ_TRIP)
        return false;
    const str what = ask_text(check, read_back_what(check, call));
    if (needed_by_host(check, call) || needed_to_unpad(check, call))
        match_break(match, LINK_GAIN, "the host needs the value to go on", check_site(check, call));
    return tell(check, call, match,
                str_printf(check->arena,
                           "`%.*s` is read back, worked on by the host and uploaded again %s, and the device waits "
                           "all the while; do it with torch on the device (.detach() where the gradient is to end)",
                           (int)what.len, what.at, ask_often(check, call)));
}

const struct rule rule_device_round_trip = {
    .id = "ST301",
    .name = "device-round-trip",
    .entry = "C1",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}},
    .check = check_round_trip,
    .fix = fix_device_round_trip,
    .fix_kind = FIX_UNSAFE,
    .words = &words_device_round_trip,
};

/* ---- C2, C3 ---- */

static bool tell_preparation(const struct check *check, uint32_t loop, struct match *match, const char *advice)
{
    if (!project_uses_device(check->project, check->file))
        return false;
    const bool statement = check->tree->kind[loop] == SYN_FOR;
    match->begin = check->tree->begin[loop];
    match->end = check->tree->end[statement ? syntax_child(check->tree, loop, 1) : loop];
    match->message = str_printf(check->arena,
                                "Python prepares data here, sample by sample, %s, on the thread that feeds "
                                "the device; %s",
                                ask_often(check, loop), advice);
    return level_at(check, loop, GPU_SURE, match);
}

/* At the call in the loop of steps: where workers could take it over. */
static bool check_prepared_call(const struct check *check, uint32_t call, struct match *match)
{
    struct hand_off hand_off;
    if (!project_uses_device(check->project, check->file) || !preparation_hand_off(check, call, &hand_off))
        return false;
    const str name = ask_text(check, syntax_first(check->tree, call));
    match->fix = hand_off.safe ? FIX_SAFE : FIX_NONE;
    match->builtin = ask_tail(check, call);
    match->message = str_printf(check->arena,
                                "`%.*s` prepares the batch in Python %s while the device waits; let the workers of a "
                                "DataLoader do it (collate_fn)",
                                (int)name.len, name.at, ask_often(check, call));
    return level_at(check, call, GPU_SURE, match);
}

/* Within a loop that prepares as well: what makes it slow, and what can be done about it. */
static bool tell_look_up(const struct check *check, uint32_t node, const struct look_up *look_up, struct match *match,
                         const char *form)
{
    const struct context context = context_of(check->project, check_site(check, node));
    if ((context.pace != PACE_STEP && context.pace != PACE_EVALUATION) ||
        !project_uses_device(check->project, check->file))
        return false;
    const str items = ask_text(check, look_up->items);
    match->fix = look_up->is_proven ? FIX_SAFE : FIX_UNSAFE;
    match->message = str_printf(check->arena, form, (int)items.len, items.at, ask_often(check, node));
    return level_at(check, node, GPU_SURE, match);
}

static bool check_look_up(const struct check *check, uint32_t comprehension, struct match *match)
{
    struct look_up look_up;
    return look_up_of_all(check, comprehension, &look_up) &&
           tell_look_up(check, comprehension, &look_up, match,
                        "each of `%.*s` is looked up by going over all distinct values, %s; one searchsorted "
                        "finds them all");
}

/* The first of those among the same distinct values speaks for all. */
static bool check_look_up_of_one(const struct check *check, uint32_t subscript, struct match *match)
{
    struct look_up look_up;
    uint32_t beside[LOOK_UPS];
    if (!look_up_of_one(check, subscript, &look_up) || look_ups_beside(check, &look_up, beside) == 0 ||
        beside[0] != subscript)
        return false;
    match->builtin = S("where");
    return tell_look_up(check, subscript, &look_up, match,
                        "one of `%.*s` is looked up by going over all distinct values, %s; searchsorted goes "
                        "over a few");
}

static bool gives_something(const struct check *check, uint32_t node)
{
    const enum syntax_kind kind = check->tree->kind[node];
    return kind == SYN_YIELD ||
           (kind == SYN_RETURN && check->tree->size[node] > 1 && !syntax_is(check->tree, node + 1, SYN_ABSENT) &&
            !syntax_is(check->tree, node + 1, SYN_NONE));
}

/* A function that gives nothing and changes nothing prepares nothing: it looks at its arguments, to complain of them. */
static bool only_checks(const struct check *check, uint32_t loop)
{
    enum { KEEPS = EFFECT_ATTRIBUTE | EFFECT_ARGUMENT | EFFECT_GLOBAL };
    const uint32_t function = syntax_function(check->tree, loop);
    const struct summary *summary = ask_summary_around(check, loop);
    return function != SYNTAX_NONE && syntax_is(check->tree, function, SYN_FUNCTION) && summary &&
           !(summary->effects & (KEEPS | EFFECT_UPLOAD | EFFECT_BACKWARD | EFFECT_STEP)) &&
           !ask_any(check, function, gives_something);
}

static bool check_preparation(const struct check *check, uint32_t loop, struct match *match)
{
    if (check->tree->kind[loop] == SYN_SUBSCRIPT)
        return check_look_up_of_one(check, loop, match);
    if (check_look_up(check, loop, match))
        return true;
    if (check->tree->kind[loop] == SYN_CALL)
        return check_prepared_call(check, loop, match);
    if (!preparation_is(check, loop) || preparation_repeats(check, loop) || only_checks(check, loop))
        return false;
    if (made_by_network(check, loop))
        match_break(match, LINK_GAIN,
                    "what it works on is made by the network in this step: no worker could prepare it",
                    check_site(check, loop));
    if (preparation_is_brief(check, loop))
        match_break(match, LINK_GAIN, "a round is a few steps of Python: only a trace shows whether they take long",
                    check_site(check, loop));
    return tell_preparation(check, loop, match,
                            "do it in the loader's workers (collate_fn), or for the whole batch at once");
}

const struct rule rule_preparation_on_training_thread = {
    .id = "ST302",
    .name = "preparation-on-training-thread",
    .entry = "C2",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_FOR, SYN_LIST_COMP, SYN_CALL, SYN_SUBSCRIPT}},
    .check = check_preparation,
    .fix = fix_preparation,
    .words = &words_preparation_on_training_thread,
};

/* copy.deepcopy(data) in a loop: a copy of what has not changed. */
static bool check_deep_copy(const struct check *check, uint32_t call, struct match *match)
{
    const struct context context = context_of(check->project, check_site(check, call));
    if (!ask_named(check, call, "copy.deepcopy") || context.pace == PACE_ONCE || context.pace == PACE_UNKNOWN)
        return false;
    const struct value *what = ask_value(check, syntax_argument(check->tree, call, 0, NULL));
    if (!value_is_container(what) && what->kind != VALUE_DATASET && what->kind != VALUE_LOADER)
        return false;
    match->builtin = S("deepcopy");
    match->message =
        str_printf(check->arena, "all data is copied %s; copy once, or copy what changes", ask_often(check, call));
    return level_at(check, call, GPU_SURE, match);
}

static bool check_repeated_preparation(const struct check *check, uint32_t node, struct match *match)
{
    if (check->tree->kind[node] == SYN_CALL)
        return project_uses_device(check->project, check->file) && check_deep_copy(check, node, match);
    if (!preparation_is(check, node) || !preparation_repeats(check, node))
        return false;
    match->fix = FIX_SAFE;
    return tell_preparation(check, node, match, "what depends on the sample alone can be computed once and kept");
}

const struct rule rule_repeated_preparation = {
    .id = "ST303",
    .name = "repeated-preparation",
    .entry = "C3",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_FOR, SYN_LIST_COMP, SYN_CALL}, .tails = {"deepcopy"}},
    .check = check_repeated_preparation,
    .fix = fix_repeated_preparation,
    .fix_last = true,
    .words = &words_repeated_preparation,
};

/* ---- C4 ---- */

/* In a constructor: what is made is put where it belongs. */
static bool constructs(const struct check *check, uint32_t node)
{
    const uint32_t function = project_function_at(check->project, check_site(check, node));
    return function != SYNTAX_NONE && str_eq(project_function(check->project, function)->name, S("__init__"));
}

static bool check_ping_pong(const struct check *check, uint32_t call, struct match *match)
{
    const struct move_info move = value_move(check->project, check_site(check, call));
    const struct context context = context_of(check->project, check_site(check, call));
    if (!move.is_module || move.move != MOVE_DOWNLOAD || constructs(check, call) ||
        (context.pace != PACE_STEP && context.pace != PACE_EVALUATION && context.pace != PACE_EPOCH))
        return false;
    const str what = ask_text(check, move.what);
    match->builtin = ask_tail(check, call);
    match->message =
        str_printf(check->arena,
                   "all parameters of `%.*s` are copied to the host %s; keep it on the device, or copy what "
                   "is needed (a state_dict) beside the computation",
                   (int)what.len, what.at, ask_often(check, call));
    return level_at(check, call, GPU_SURE, match);
}

const struct rule rule_module_ping_pong = {
    .id = "ST304",
    .name = "module-ping-pong",
    .entry = "C4",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}, .tails = {"cpu", "to"}},
    .check = check_ping_pong,
    .words = &words_module_ping_pong,
};
