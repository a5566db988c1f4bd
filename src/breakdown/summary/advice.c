/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A size is always "ns of a mean step that would be there to gain at most". The
 * thresholds are shares of the step: 5 % for data loading and 10 % for
 * communication are those of PyTorch's own former TensorBoard plug-in.
 */
#include "advice.h"

#include "advice_causes.h"
#include "advice_host.h"
#include "advice_recording.h"
#include "span_text.h"

#include <stdlib.h>

struct rule {
    const char *id;
    double notable; /* share of the step from which it is a warning */
    double (*size_ns)(const struct facts *facts);
    str (*say)(const struct facts *facts, double ns, struct arena *arena);
    uint64_t parts;   /* bit p: the events are those of enum part p */
    bool slower;      /* the size is time that could be gained; otherwise it only informs */
    enum resource of; /* whose time it is; RESOURCE_NONE */
};

static double share(const struct facts *f, double ns)
{
    return f->wall_ns > 0 ? ns / f->wall_ns : 0;
}

static double percent(const struct facts *f, double ns)
{
    return 100 * share(f, ns);
}

/* ---- the device waits ---- */

/* What the allocator waits for is told of that, see advice_causes.c. */
static double blocked_ns(const struct facts *f)
{
    const str call = f->blocked_call;
    const bool memory = str_has(call, S("Free")) || str_has(call, S("Malloc")) || str_has(call, S("Alloc"));
    return f->device && !memory ? f->part_ns[PART_BLOCKED] : 0;
}

/* What to do about a call that waits depends on the call. */
static const char *unblock(str call)
{
    static const struct {
        const char *part, *advice;
    } rows[] = {
        {"DeviceSynchronize", "Leave out torch.cuda.synchronize() in the training loop."},
        {"EventSynchronize", "Wait for the event later, or let a stream wait for it."},
        {"emcpy", "Read results back less often (.item(), .cpu(), print); copy pinned memory with non_blocking=True."},
        {"StreamSynchronize",
         "Read results back less often (.item(), .cpu(), print); copy pinned memory with non_blocking=True."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_has(call, str_of(rows[i].part)))
            return rows[i].advice;
    return "See `steptime breakdown` for the calls it waits in.";
}

static str say_blocked(const struct facts *f, double ns, struct arena *arena)
{
    const str place = f->blocked_frame.len ? f->blocked_frame : f->blocked_operator;
    const str call = f->blocked_call.len ? f->blocked_call : S("a call");
    return str_printf(arena,
                      "The GPU idles %s a step (%.0f %%) after the host had waited for it, most in %.*s%s%.*s. %s",
                      span_text(arena, ns), percent(f, ns), (int)call.len, call.at, place.len ? " from " : "",
                      (int)place.len, place.len ? place.at : "", unblock(f->blocked_call));
}

static double latency_ns(const struct facts *f)
{
    return f->device ? f->part_ns[PART_LAUNCH_LATENCY] : 0;
}

static str say_latency(const struct facts *f, double ns, struct arena *arena)
{
    const double longest_ns = f->longest_ns[PART_LAUNCH_LATENCY];
    if (f->held)
        return str_printf(arena,
                          "Launched work starts %s a step (%.0f %%) late, and nothing that is recorded holds it back: "
                          "events are missing, or earlier work still ran. Record from before that work, and without "
                          "dropping events.",
                          span_text(arena, ns), percent(f, ns));
    if (longest_ns > ns * f->steps / 2)
        return str_printf(
            arena,
            "Launched work starts %s a step (%.0f %%) late, most of it in one gap of %s. %s look at the place in the trace.",
            span_text(arena, ns), percent(f, ns), span_text(arena, longest_ns),
            f->steps == 1 ? "One step does not show whether it comes again:" : "That is no habit of the program:");
    return str_printf(
        arena,
        "Launched work starts %s a step (%.0f %%) late, each piece a little: the price of %.0f kernel%s a step. "
        "Fewer, longer kernels pay it less often.",
        span_text(arena, ns), percent(f, ns), f->kernels, f->kernels < 1.5 ? "" : "s");
}

/* Who waits for a late rank sends nothing. */
static double beyond_waiting(const struct facts *f, enum part part)
{
    return f->part_ns[part] > f->waited_ns ? f->part_ns[part] - f->waited_ns : 0;
}

static double exposed_communication_ns(const struct facts *f)
{
    return f->device ? beyond_waiting(f, PART_EXPOSED_COMMUNICATION) : 0;
}

static double late_ns(const struct facts *f)
{
    return f->late_ns;
}

static str say_late(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(arena, "%.*s The job gains %s a step (%.0f %%) where it comes with the others.", (int)f->late.len,
                      f->late.at, span_text(arena, ns), percent(f, ns));
}

static str say_communication(const struct facts *f, double ns, struct arena *arena)
{
    const char *todo =
        f->ranks == 1
            ? "One rank alone cannot say whether links or a late rank are the reason: record all ranks and see "
              "`steptime ranks`. Where no rank is late, overlap it (gradient buckets, prefetch)."
        : f->unmet
            ? "Whether links or a late rank are the reason cannot be said: some ranks that meet cannot be compared. "
              "Record all ranks at the same time. Where no rank is late, overlap it (gradient buckets, prefetch)."
            : "Overlap it (gradient buckets, prefetch), send less (bf16, accumulation), or see `steptime "
              "ranks` for who is late.";
    return str_printf(arena, "Communication that no compute hides costs %s a step (%.0f %%). %s", span_text(arena, ns),
                      percent(f, ns), todo);
}

static double dependency_ns(const struct facts *f)
{
    return f->device ? f->part_ns[PART_DEPENDENCY] : 0;
}

static str say_dependency(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(arena,
                      "Launched work is held back %s a step (%.0f %%) by another stream or a collective, with nothing "
                      "else running. Start what is independent of it earlier.",
                      span_text(arena, ns), percent(f, ns));
}

static double copies_ns(const struct facts *f)
{
    return f->bound_ns[BOUND_COPIES] - f->part_ns[PART_MEMSET];
}

static str say_copies(const struct facts *f, double ns, struct arena *arena)
{
    const double pageable = f->part_ns[PART_COPY_H2D_PAGEABLE] + f->part_ns[PART_COPY_D2H_PAGEABLE];
    const char *advice = pageable > ns / 4 ? "Much of it is pageable memory: pin_memory=True and non_blocking=True."
                                           : "Overlap the copies with compute on a stream of their own.";
    return str_printf(arena, "Copies that nothing hides cost %s a step (%.0f %%). %s", span_text(arena, ns),
                      percent(f, ns), advice);
}

/* ---- what the device does ---- */

static double optimizer_ns(const struct facts *f)
{
    const bool many_small = f->optimizer_kernels > 100 && f->optimizer_ns < f->optimizer_kernels * 20e3;
    return many_small ? f->optimizer_ns : 0;
}

static str say_optimizer(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena, "The optimizer runs %.0f kernels a step, %s (%.0f %%). fused=True or foreach=True makes them a few.",
        f->optimizer_kernels, span_text(arena, ns), percent(f, ns));
}

static double pointwise_ns(const struct facts *f)
{
    return f->class_ns[KERNEL_ELEMENTWISE] + f->class_ns[KERNEL_LAYOUT];
}

static str say_pointwise(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(arena,
                      "Element-wise and layout kernels cost %s a step (%.0f %%), bound by memory. %s; channels_last or "
                      "contiguous inputs save transposes.",
                      span_text(arena, ns), percent(f, ns),
                      f->compiled ? "Those outside of what is compiled could be fused too"
                                  : "torch.compile fuses them");
}

/* ---- host-only ---- */

static double host_communication_ns(const struct facts *f)
{
    return f->device ? 0 : beyond_waiting(f, PART_COMMUNICATION);
}

#define PART_BIT(part) ((uint64_t)1 << (part))
#define COPY_BITS      (PART_BIT(PART_LAST_COPY + 1) - PART_BIT(PART_FIRST_COPY))

static const struct rule rules[] = {
    {"SM102", 0.05, blocked_ns, say_blocked, PART_BIT(PART_BLOCKED), true, RESOURCE_NONE},
    {"SM105", 0.10, exposed_communication_ns, say_communication, PART_BIT(PART_EXPOSED_COMMUNICATION), true,
     RESOURCE_COMMUNICATION},
    {"SM106", 0.03, copies_ns, say_copies, COPY_BITS, true, RESOURCE_COPIES},
    {"SM107", 0.05, dependency_ns, say_dependency, PART_BIT(PART_DEPENDENCY), true, RESOURCE_NONE},
    {"SM108", 0.10, latency_ns, say_latency, PART_BIT(PART_LAUNCH_LATENCY), true, RESOURCE_NONE},
    {"SM120", 0.05, late_ns, say_late, 0, true, RESOURCE_NONE},
    {"SM201", 0.05, optimizer_ns, say_optimizer, 0, true, RESOURCE_DEVICE},
    {"SM202", 0.25, pointwise_ns, say_pointwise, 0, true, RESOURCE_DEVICE},
    {"SM301", 0.15, host_python_ns, say_host_python, PART_BIT(PART_PYTHON), true, RESOURCE_NONE},
    {"SM302", 0.10, host_communication_ns, say_communication, PART_BIT(PART_COMMUNICATION), true, RESOURCE_NONE},
    {"SM303", 0.15, host_optimizer_ns, say_host_optimizer, PART_BIT(PART_OPTIMIZER), true, RESOURCE_NONE},
    {"SM304", 0.25, host_operators_ns, say_host_operators, PART_BIT(PART_FORWARD) | PART_BIT(PART_BACKWARD), false,
     RESOURCE_NONE},
    {"SM305", 0.10, host_copies_ns, say_host_copies, 0, false, RESOURCE_NONE},
    {"SM401", 0.05, recording_profiler_ns, say_profiler, PART_BIT(PART_PROFILER), false, RESOURCE_NONE},
    {"SM402", 0.25, recording_spread_ns, say_spread, 0, false, RESOURCE_NONE},
    {"SM403", 0.50, recording_unstepped_ns, say_unstepped, 0, false, RESOURCE_NONE},
};

enum { RULES = sizeof rules / sizeof *rules };

uint64_t advice_parts(void)
{
    uint64_t parts = 0;
    for (int i = 0; i < RULES; i++)
        parts |= rules[i].parts;
    return parts;
}

/* A row of the table, or a holdup. */
struct hit {
    const struct rule *rule; /* NULL: of a holdup */
    const struct holdup *holdup;
    struct cause_advice advice;
    double ns;
};

static bool gains(const struct hit *hit)
{
    return !hit->rule || hit->rule->slower;
}

static double notable(const struct hit *hit)
{
    return hit->rule ? hit->rule->notable : hit->advice.notable;
}

/* Time to gain first, the largest first; remarks on the recording after. */
static int by_weight(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    if (gains(x) != gains(y))
        return gains(y) - gains(x);
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return x->rule < y->rule ? -1 : 1;
}

static enum severity severity_of(const struct facts *facts, const struct hit *hit)
{
    return !gains(hit) || share(facts, hit->ns) < notable(hit) ? SEVERITY_NOTE : SEVERITY_WARNING;
}

/* The place of the rule's heaviest part. */
static struct part_place place_of(const struct facts *facts, const struct rule *rule)
{
    struct part_place place = {0};
    double most_ns = 0;
    for (int part = 0; part < PARTS; part++)
        if (rule->parts >> part & 1 && facts->place[part].count && facts->part_ns[part] > most_ns) {
            place = facts->place[part];
            most_ns = facts->part_ns[part];
        }
    return place;
}

/* "train.py(54): step" or "train.py:54" as file and line. */
static void put_line(struct finding *finding, str text)
{
    const char *mark = text.len ? memchr(text.at, '(', text.len) : NULL;
    if (!mark)
        mark = text.len ? memrchr(text.at, ':', text.len) : NULL;
    if (!mark)
        return;
    str number = str_from(text, (size_t)(mark - text.at) + 1);
    for (size_t digits = 0; digits <= number.len; digits++)
        if (digits == number.len || number.at[digits] < '0' || number.at[digits] > '9') {
            number.len = digits;
            break;
        }
    int64_t line;
    if (!str_int(number, &line) || line < 1)
        return;
    finding->file = (str){text.at, (size_t)(mark - text.at)};
    finding->line = line;
}

static struct finding of_rule(const struct facts *facts, const struct hit *hit, struct arena *arena)
{
    const struct part_place place = place_of(facts, hit->rule);
    struct finding finding = {
        .rule = str_of(hit->rule->id), /* a rule applies once to a mean step */
        .id = str_of(hit->rule->id),
        .message = hit->rule->say(facts, hit->ns, arena),
        .per_step_host_blocked_ns = hit->rule->size_ns == blocked_ns ? (int64_t)hit->ns : -1,
        .per_step_saving_ns = hit->rule->slower ? (int64_t)hit->ns : -1,
        .events = place.count ? place.rows : NULL,
        .event_count = place.count,
    };
    put_line(&finding, place.line);
    return finding;
}

enum { MOST_NAME = 40 };

/* What an id may be made of; the rest becomes '_'. */
static str id_name(str text, struct arena *arena)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    char *name = arena_array(arena, MOST_NAME + 1, 1);
    const size_t len = text.len < MOST_NAME ? text.len : MOST_NAME;
    for (size_t i = 0; i < len; i++)
        name[i] = memchr(plain, text.at[i], sizeof plain - 1) ? text.at[i] : '_';
    return (str){name, len};
}

static str holdup_id(const struct hit *hit, struct arena *arena)
{
    const struct holdup *holdup = hit->holdup;
    const char *cause = cause_id(holdup->cause);
    if ((!holdup->is_long && holdup->cause != CAUSE_DEVICE) || !holdup->what.len)
        return str_printf(arena, "%s-%s", hit->advice.rule, cause);
    return str_printf(arena, "%s-%s-%s", hit->advice.rule, cause, id_name(holdup->what, arena).at);
}

static struct finding of_holdup(const struct advice *advice, const struct hit *hit, struct arena *arena)
{
    const struct holdup *holdup = hit->holdup;
    const bool placed = advice->facts->ranks == 1;
    const str rule = str_of(hit->advice.rule);
    struct finding finding = {
        .rule = rule,
        .id = holdup_id(hit, arena),
        .message = advice_text(holdup, advice->holdups, advice->facts, arena),
        .per_step_host_blocked_ns = -1,
        .per_step_saving_ns = (int64_t)hit->ns,
        .events = placed ? &holdup->row : NULL,
        .event_count = placed,
    };
    put_line(&finding, holdup->line);
    return finding;
}

static void put(const struct advice *advice, const struct hit *hit, struct report *report)
{
    struct arena *arena = report_arena(report);
    struct finding finding = hit->rule ? of_rule(advice->facts, hit, arena) : of_holdup(advice, hit, arena);
    finding.severity = severity_of(advice->facts, hit);
    finding.tier = S("trace");
    finding.fix = S("none");
    report_finding(report, &finding);
}

/* Half of what makes a rule a warning makes it a note. */
static bool applies(const struct facts *facts, const struct hit *hit)
{
    return hit->ns > 0 && share(facts, hit->ns) >= notable(hit) / (gains(hit) ? 2 : 1);
}

/* Short stretches of operators, launches and other calls are one habit: the largest of them speaks for all. */
static bool is_said(const struct hit *hits, uint32_t count, const struct hit *hit)
{
    for (uint32_t i = 0; i < count; i++)
        if (hits[i].holdup && !hit->holdup->is_long && str_eq(str_of(hits[i].advice.rule), str_of(hit->advice.rule)) &&
            str_eq(str_of(hit->advice.rule), S("SM103")))
            return true;
    return false;
}

/* Whatever has a cause of its own, and long pauses, have findings of their own. */
static double short_python_ns(const struct facts *facts, const struct holdups *holdups)
{
    double sum = 0;
    for (uint32_t i = 0; i < holdups->count; i++)
        if (!holdups->at[i].is_long && holdups->at[i].cause == CAUSE_PYTHON)
            sum += (double)holdups->at[i].saved_ns / (holdups->steps ? holdups->steps : 1);
    const double all_ns = host_python_ns(facts);
    return holdups->count && sum < all_ns ? sum : all_ns;
}

/* What the replay says of the whole resource is the most that a part of it can gain, where the replay can be trusted. */
static double size_of(const struct advice *advice, const struct rule *rule)
{
    const struct verdict *verdict = advice->verdict;
    const double ns = rule->size_ns == host_python_ns ? short_python_ns(advice->facts, advice->holdups)
                                                      : rule->size_ns(advice->facts);
    if (rule->of == RESOURCE_NONE || verdict_doubt(verdict) != DOUBT_NONE || verdict->step_ns <= 0)
        return ns;
    const double most = advice->facts->wall_ns * (double)verdict->removed_ns[rule->of] / (double)verdict->step_ns;
    return ns < most ? ns : most;
}

/* What a log says is compiled again has findings of its own, with the reason. */
static double told_elsewhere_ns(const struct facts *facts, const struct holdup *holdup)
{
    return holdup->cause == CAUSE_COMPILATION && facts->again.ns > 0 ? facts->again.ns : 0;
}

/*
 * Without a device the largest need not be about what bounds the steps: then the largest that is; a note, of what is the
 * work itself, where nothing else is about it. Hits come by weight, notes last.
 */
static const struct hit *first_of(const struct facts *facts, const struct hit *hits, uint32_t count)
{
    if (facts->device)
        return count && severity_of(facts, hits) == SEVERITY_WARNING ? hits : NULL;
    for (uint32_t i = 0; i < count && facts->ranks == 1 && facts->bound != BOUND_UNKNOWN; i++)
        if (share(facts, hits[i].ns) >= notable(&hits[i]) &&
            host_bound_of(hits[i].rule ? hits[i].rule->id : "", hits[i].holdup) == facts->bound)
            return &hits[i];
    return NULL;
}

/* What is compiled again is the host's; it has its findings beside the hits. */
static bool is_again_first(const struct facts *facts, const struct hit *hit)
{
    const bool of_bound = facts->device || (facts->ranks == 1 && facts->bound == BOUND_HOST);
    return of_bound && share(facts, facts->again.ns) >= 0.05 && (!hit || facts->again.ns > hit->ns);
}

static str say_first(const struct advice *advice, const struct hit *hit, struct arena *arena)
{
    if (is_again_first(advice->facts, hit))
        return str_printf(arena, "To change first (CL101): %.*s", (int)advice->facts->again.said.len,
                          advice->facts->again.said.at);
    if (!hit)
        return S("");
    const char *rule = hit->rule ? hit->rule->id : hit->advice.rule;
    const str said = hit->rule ? hit->rule->say(advice->facts, hit->ns, arena)
                               : advice_short(hit->holdup, advice->holdups, advice->facts, arena);
    return str_printf(arena, "To change first (%s): %.*s", rule, (int)said.len, said.at);
}

uint32_t advise(const struct advice *advice, uint32_t most, struct report *report, str *first)
{
    struct hit hits[RULES + HOLDUPS_MOST];
    uint32_t count = 0;
    for (size_t i = 0; i < RULES; i++) {
        const struct hit hit = {.rule = &rules[i], .ns = size_of(advice, &rules[i])};
        if (applies(advice->facts, &hit))
            hits[count++] = hit;
    }
    const uint32_t steps = advice->holdups->steps ? advice->holdups->steps : 1;
    for (uint32_t i = 0; i < advice->holdups->count; i++) {
        const struct holdup *holdup = &advice->holdups->at[i];
        const struct hit hit = {.holdup = holdup,
                                .advice = advice_on(holdup, advice->facts),
                                .ns = (double)holdup->saved_ns / steps - told_elsewhere_ns(advice->facts, holdup)};
        if (hit.advice.rule && applies(advice->facts, &hit) && !is_said(hits, count, &hit))
            hits[count++] = hit;
    }
    qsort(hits, count, sizeof *hits, by_weight);
    const struct hit *told = first_of(advice->facts, hits, count);
    const bool once = told && !gains(told); /* a note is not said twice */
    *first = say_first(advice, told, report_arena(report));
    for (uint32_t i = 0; i < count && i < most; i++)
        if (!once || &hits[i] != told)
            put(advice, &hits[i], report);
    report_words(report, advice_words);
    return count - once;
}
