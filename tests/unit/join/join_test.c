/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of a source that is here, joined to planted traces: tiers, numbers, what the trace alone shows. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "join/device_against_cpu.h"
#include "join/join.h"
#include "unit/planted.h"
#include "syntax/syntax.h"

enum { US = 1000, STEPS = 5, MOST = 8 };

/* Line numbers matter: `step` begins in line 4, `helper` in line 11, `main` in line 15. */
static const char source[] = "import torch\n"
                             "\n"
                             "\n"
                             "def step(model, batch):\n"
                             "    loss = model(batch)\n"
                             "    first = loss.item()\n"
                             "    second = loss.item()\n"
                             "    return first + second\n"
                             "\n"
                             "\n"
                             "def helper(x):\n"
                             "    return x.cpu()\n"
                             "\n"
                             "\n"
                             "def main(loader):\n"
                             "    for batch in loader:\n"
                             "        batch = prepare(batch)\n"
                             "        value = helper(batch)\n"
                             "        if value.sum() > 0:\n"
                             "            step(None, batch)\n";

struct scene {
    struct planted p;
    struct arena arena;
    struct lint lint;
    struct lint_file file;
    struct match matches[MOST];
    struct lint_finding findings[MOST];
    struct joined joined;
};

static struct scene *scene_new(const char *path)
{
    struct scene *s = test_calloc(1, sizeof *s);
    s->p = planted_new();
    s->file.path = str_of(path);
    s->file.text = str_of(source);
    s->file.tree = syntax_parse(&s->arena, s->file.path, s->file.text);
    s->lint.files = &s->file;
    s->lint.file_count = 1;
    s->lint.findings = s->findings;
    return s;
}

/* The finding of a rule at the n-th place where the text stands. */
static struct lint_finding *find_at(struct scene *s, const char *rule, const char *text, int n, const char *builtin)
{
    const struct syntax *tree = s->file.tree;
    struct match *match = &s->matches[s->lint.finding_count];
    for (const struct rule *const *row = rules; *row; row++)
        if (strcmp((*row)->id, rule) == 0)
            match->rule = *row;
    assert_non_null(match->rule);
    for (uint32_t node = 0; node < tree->count; node++) {
        const str at = syntax_text(tree, node);
        if (tree->kind[node] == SYN_MODULE || !str_eq(at, str_of(text)) || n-- > 0)
            continue;
        match->node = node;
        match->begin = tree->begin[node];
        match->end = tree->end[node];
        break;
    }
    assert_true(match->end > 0);
    match->function = syntax_function(tree, match->node);
    match->builtin = str_of(builtin);
    struct lint_finding *finding = &s->findings[s->lint.finding_count++];
    *finding = (struct lint_finding){.match = match, .host_blocked_ns = -1, .saving_ns = -1, .note = S("")};
    return finding;
}

static void join(struct scene *s)
{
    trace_finish(s->p.trace);
    join_trace(&s->lint, s->p.trace, &s->arena, &s->joined);
}

static void done(struct scene *s)
{
    trace_free(s->p.trace);
    arena_free(&s->arena);
    test_free(s);
}

/* ---- planting ---- */

static void frame(struct scene *s, const char *name, int64_t us, int64_t dur_us)
{
    plant_host(&s->p, EVENT_PYTHON, name, us, dur_us);
}

static void kernel(struct scene *s, int64_t us, int64_t start_us, int64_t dur_us)
{
    plant_work(&s->p, (struct planted_work){.launch_us = us, .launch_dur_us = 10, .us = start_us, .dur_us = dur_us});
}

static void moves(struct scene *s, const char *op, const char *name, int64_t us, int64_t start_us)
{
    plant_host(&s->p, EVENT_OPERATOR, op, us, start_us + 8 - us);
    plant_work(&s->p, (struct planted_work){.launch_us = us + 5,
                                            .launch_dur_us = 5,
                                            .kind = EVENT_COPY,
                                            .call = "cudaMemcpyAsync",
                                            .name = name,
                                            .us = start_us,
                                            .dur_us = 2});
    plant_linked(&s->p, EVENT_RUNTIME, planted_thread(&s->p, PLANTED_MAIN), "cudaStreamSynchronize", us + 11,
                 start_us + 4 - us - 11, s->p.correlation++);
}

/* Begins at t: a frame of a builtin, in it aten::item, behind a kernel that ends at start_us - 2. */
static void item(struct scene *s, const char *builtin, int64_t us, int64_t start_us)
{
    frame(s, builtin, us, start_us + 10 - us);
    moves(s, "aten::item", "Memcpy DtoH (Device -> Pinned)", us + 1, start_us);
}

static const char *const item_frame = "<built-in method item of Tensor object at 0x7f11>";

/* Steps of 1000 us, of which `step` takes 600: a kernel until 115, then two reads; only the first waits. */
static void plant_steps(struct scene *s, const char *function)
{
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = 1000 * k;
        plant_step(&s->p, k, t, 1000);
        frame(s, function, t, 600);
        kernel(s, t, t + 15, 100);
        item(s, item_frame, t + 20, t + 117);
        item(s, item_frame, t + 200, t + 216);
    }
}

/* ---- tiers ---- */

static void name_and_order_confirm(void **state)
{
    struct scene *s = scene_new("/home/me/job/train.py");
    struct lint_finding *first = find_at(s, "ST401", "loss.item()", 0, "item");
    struct lint_finding *second = find_at(s, "ST401", "loss.item()", 1, "item");
    s->matches[1].order = 1;
    plant_steps(s, "job/train.py(4): step");
    join(s);
    assert_true(s->joined.belongs);
    assert_int_equal(first->tier, TIER_CONFIRMED);
    assert_int_equal(second->tier, TIER_CONFIRMED);
    /* 5 + 102 - 2 in the calls of the first; 5 and 9 - 2 in those of the second */
    assert_int_equal(first->host_blocked_ns, (5 + 117 + 4 - 21 - 11 - 2) * US);
    assert_int_equal(second->host_blocked_ns, (5 + 216 + 4 - 201 - 11 - 2) * US);
    assert_int_equal(first->event_count, STEPS);
    done(s);
}

/*
 * The host bounds the step: a read that goes takes the time of its operator
 * along. Without the first, the second comes early enough to wait 5 us for the
 * kernel: alone the first saves so much less than in the set of both.
 */
static void what_a_read_saves_is_told_alone_and_together(void **state)
{
    struct scene *s = scene_new("/home/me/job/train.py");
    struct lint_finding *first = find_at(s, "ST401", "loss.item()", 0, "item");
    struct lint_finding *second = find_at(s, "ST401", "loss.item()", 1, "item");
    s->matches[1].order = 1;
    plant_steps(s, "job/train.py(4): step");
    join(s);
    assert_int_equal(first->saving_ns, (117 + 8 - 21 - 5) * US);
    assert_int_equal(second->saving_ns, (216 + 8 - 201) * US);
    assert_int_equal(s->joined.saving_ns, (117 + 8 - 21 + 216 + 8 - 201) * US);
    done(s);
}

static void a_read_that_the_trace_does_not_show_stays_static(void **state)
{
    struct scene *s = scene_new("train.py");
    struct lint_finding *other = find_at(s, "ST404", "x.cpu()", 0, "cpu");
    plant_steps(s, "train.py(4): step");
    join(s);
    assert_int_equal(other->tier, TIER_STATIC);
    assert_int_equal(other->saving_ns, -1);
    done(s);
}

static void calls_in_a_loop_agree_by_function_alone(void **state)
{
    struct scene *s = scene_new("train.py");
    struct lint_finding *first = find_at(s, "ST401", "loss.item()", 0, "item");
    plant_step(&s->p, 0, 0, 1000);
    frame(s, "train.py(4): step", 0, 900);
    kernel(s, 0, 15, 50);
    for (int64_t i = 0; i < 5; i++)
        item(s, item_frame, 100 + 50 * i, 120 + 50 * i);
    join(s);
    assert_int_equal(first->tier, TIER_FUNCTION);
    done(s);
}

static void the_exact_line_confirms_and_rules_out(void **state)
{
    struct scene *s = scene_new("train.py");
    struct lint_finding *first = find_at(s, "ST401", "loss.item()", 0, "item");
    struct lint_finding *second = find_at(s, "ST401", "loss.item()", 1, "item");
    s->matches[1].order = 1;
    plant_step(&s->p, 0, 0, 1000);
    frame(s, "train.py(4): step", 0, 900);
    kernel(s, 0, 15, 50);
    struct event e = planted_event(&s->p, EVENT_PYTHON, planted_thread(&s->p, PLANTED_MAIN), item_frame, 100, 50);
    event_set(&e, ATTR_CALL_FROM, intern_id(trace_names(s->p.trace), S("train.py:7")));
    trace_add(s->p.trace, &e);
    s->p.rows++;
    moves(s, "aten::item", "Memcpy DtoH (Device -> Pinned)", 101, 120);
    join(s);
    assert_int_equal(first->tier, TIER_STATIC);
    assert_int_equal(second->tier, TIER_CONFIRMED);
    done(s);
}

static void a_move_in_a_wrapper_belongs_to_the_finding_where_it_is_called(void **state)
{
    struct scene *s = scene_new("train.py");
    struct lint_finding *call = find_at(s, "ST404", "helper(batch)", 0, "helper");
    plant_step(&s->p, 0, 0, 1000);
    frame(s, "train.py(15): main", 0, 990);
    frame(s, "train.py(11): helper", 50, 200);
    kernel(s, 0, 15, 50);
    frame(s, "<built-in method cpu of Tensor object at 0x7f11>", 60, 180);
    moves(s, "aten::to", "Memcpy DtoH (Device -> Pageable)", 101, 120);
    join(s);
    assert_int_equal(call->tier, TIER_CONFIRMED);
    done(s);
}

static void a_comparison_that_decides_has_no_frame_of_its_own(void **state)
{
    struct scene *s = scene_new("train.py");
    struct lint_finding *branch = find_at(s, "ST402", "value.sum() > 0", 0, "");
    struct lint_finding *item_in_main = find_at(s, "ST404", "helper(batch)", 0, "helper");
    plant_step(&s->p, 0, 0, 1000);
    frame(s, "train.py(15): main", 0, 990);
    kernel(s, 0, 15, 50);
    moves(s, "aten::is_nonzero", "Memcpy DtoH (Device -> Pinned)", 101, 120);
    join(s);
    assert_int_equal(branch->tier, TIER_FUNCTION);
    assert_int_equal(item_in_main->tier, TIER_STATIC);
    done(s);
}

/* Two comparisons of one function, of which Python gives neither a frame: only the line that was seen waits. */
static void the_line_that_was_seen_to_wait_takes_the_moves_of_its_function(void **state)
{
    char folder[] = "/tmp/join-XXXXXX";
    struct scene *s = scene_new("train.py");
    struct lint_finding *unseen = find_at(s, "ST402", "x.cpu()", 0, "");
    struct lint_finding *seen = find_at(s, "ST402", "value.sum() > 0", 0, "");
    struct lint_finding *other = find_at(s, "ST402", "helper(batch)", 0, "");
    assert_non_null(mkdtemp(folder));
    s->p.trace->info.path = str_printf(&s->arena, "%s/t.json.gz", folder);
    const char *beside = str_printf(&s->arena, "%s/t.syncs.json", folder).at;
    FILE *out = fopen(beside, "w");
    fputs("{\"version\": 1, \"steps\": 2, \"lines\": [{\"file\": \"train.py\", \"line\": 19, \"function\": \"main\","
          " \"first_line\": 15, \"count\": 2, \"steps\": 2, \"via\": []}]}",
          out);
    fclose(out);
    plant_step(&s->p, 0, 0, 1000);
    frame(s, "train.py(15): main", 0, 990);
    kernel(s, 0, 15, 50);
    moves(s, "aten::is_nonzero", "Memcpy DtoH (Device -> Pinned)", 101, 120);
    join(s);
    assert_int_equal(seen->tier, TIER_CONFIRMED);
    assert_int_equal(seen->event_count, 1);
    assert_int_equal(seen->judged, JUDGED_SEEN);
    assert_true(str_has(seen->note, S("once a step")));
    assert_int_equal(other->tier, TIER_STATIC);
    assert_int_equal(unseen->tier, TIER_STATIC);
    assert_int_equal(s->joined.lines_seen, 1);
    unlink(beside), rmdir(folder);
    done(s);
}

/* ---- whose trace it is ---- */

static void a_trace_of_another_program_is_said_not_to_belong(void **state)
{
    struct scene *s = scene_new("/home/me/job/train.py");
    struct lint_finding *first = find_at(s, "ST401", "loss.item()", 0, "item");
    plant_steps(s, "other/run.py(4): step");
    join(s);
    assert_true(s->joined.has_frames);
    assert_false(s->joined.belongs);
    assert_int_equal(first->tier, TIER_STATIC);
    assert_int_equal(s->lint.finding_count, 1);
    done(s);
}

static void a_file_of_the_same_name_in_another_folder_is_another_file(void **state)
{
    struct scene *s = scene_new("/home/me/job/train.py");
    find_at(s, "ST401", "loss.item()", 0, "item");
    plant_steps(s, "other/train.py(4): step");
    join(s);
    assert_false(s->joined.belongs);
    done(s);
}

static void a_function_that_moved_is_known_by_name_where_another_did_not(void **state)
{
    struct scene *s = scene_new("job/train.py");
    struct lint_finding *first = find_at(s, "ST401", "loss.item()", 0, "item");
    frame(s, "job/train.py(15): main", 5100, 10);
    plant_steps(s, "job/train.py(40): step");
    join(s);
    assert_true(s->joined.belongs && s->joined.moved);
    assert_true(first->tier != TIER_STATIC);
    done(s);
}

static void without_frames_findings_stay_static(void **state)
{
    struct scene *s = scene_new("train.py");
    struct lint_finding *first = find_at(s, "ST401", "loss.item()", 0, "item");
    plant_step(&s->p, 0, 0, 1000);
    kernel(s, 0, 15, 50);
    moves(s, "aten::item", "Memcpy DtoH (Device -> Pinned)", 101, 120);
    join(s);
    assert_false(s->joined.has_frames);
    assert_int_equal(first->tier, TIER_STATIC);
    done(s);
}

/* ---- what only the trace shows ---- */

static void a_wait_in_a_library_becomes_a_finding_of_its_own(void **state)
{
    struct scene *s = scene_new("train.py");
    plant_step(&s->p, 0, 0, 1000);
    frame(s, "train.py(15): main", 0, 990);
    frame(s, "metrics/accuracy.py(77): update", 10, 500);
    kernel(s, 20, 35, 300);
    moves(s, "aten::is_nonzero", "Memcpy DtoH (Device -> Pinned)", 101, 340);
    join(s);
    assert_int_equal(s->lint.finding_count, 1);
    const struct lint_finding *found = &s->lint.findings[0];
    assert_int_equal(found->tier, TIER_TRACE);
    assert_true(str_eq(found->rule, S("ST402")));
    assert_true(str_eq(found->file, S("metrics/accuracy.py")));
    assert_int_equal(found->line, 77);
    done(s);
}

/* ---- preparation ---- */

static void preparation_is_found_again_at_its_call(void **state)
{
    struct scene *s = scene_new("train.py");
    struct lint_finding *call = find_at(s, "ST302", "prepare(batch)", 0, "prepare");
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = 4000 * k;
        plant_step(&s->p, k, t, 4000);
        frame(s, "train.py(15): main", t, 4000);
        frame(s, "data.py(3): prepare", t, 3000);
        kernel(s, t + 3000, t + 3015, 500);
        plant_host(&s->p, EVENT_RUNTIME, "cudaDeviceSynchronize", t + 3020, 500);
    }
    join(s);
    assert_int_equal(call->tier, TIER_CONFIRMED);
    assert_int_equal(call->saving_ns, 3000 * US);
    assert_int_equal(call->host_blocked_ns, 0);
    done(s);
}

static void a_loader_that_loads_itself_shows_its_time(void **state)
{
    struct scene *s = scene_new("train.py");
    struct lint_finding *loader = find_at(s, "ST604", "prepare(batch)", 0, "DataLoader");
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = 4000 * k;
        plant_step(&s->p, k, t, 4000);
        frame(s, "train.py(15): main", t, 4000);
        plant_host(&s->p, EVENT_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", t, 1000);
        kernel(s, t + 3000, t + 3015, 500);
        plant_host(&s->p, EVENT_RUNTIME, "cudaDeviceSynchronize", t + 3020, 500);
    }
    join(s);
    assert_int_equal(loader->tier, TIER_FUNCTION);
    assert_int_equal(loader->saving_ns, 1000 * US);
    done(s);
}

/* ---- loops over elements ---- */

/* Twenty rounds of 40 us each, the loop's own Python between operators counted, of which one operator over all leaves a tenth. */
static void a_loop_over_elements_saves_nine_tenths_of_it(void **state)
{
    struct scene *s = scene_new("train.py");
    struct lint_finding *loop = find_at(s, "ST102", "model(batch)", 0, "stack");
    for (int64_t k = 0; k < STEPS; k++) {
        const int64_t t = 1000 * k;
        plant_step(&s->p, k, t, 1000);
        frame(s, "train.py(4): step", t, 900);
        for (int64_t i = 0; i < 20; i++) {
            frame(s, "<built-in method index of Tensor object at 0x7f11>", t + 40 * i, 32);
            plant_host(&s->p, EVENT_OPERATOR, "aten::select", t + 40 * i, 30);
            kernel(s, t + 40 * i + 5, t + 40 * i + 20, 5);
        }
    }
    join(s);
    assert_int_equal(loop->tier, TIER_FUNCTION);
    assert_int_equal(loop->saving_ns, 9 * (19 * 40 + 30) / 10 * US);
    assert_int_equal(loop->host_blocked_ns, 0);
    done(s);
}

/* ---- the same on the CPU ---- */

static struct planted run_of(int64_t prepare_us, int64_t forward_us)
{
    struct planted p = planted_new();
    for (int64_t k = 0; k < 2; k++) {
        plant_step(&p, k, 10000 * k, 10000);
        plant_host(&p, EVENT_PYTHON, "/a/train.py(12): prepare", 10000 * k, prepare_us);
        plant_host(&p, EVENT_PYTHON, "/a/train.py(30): forward", 10000 * k + 5000, forward_us);
    }
    trace_finish(p.trace);
    return p;
}

static void what_is_slower_with_the_device_is_marked(void **state)
{
    struct planted device = run_of(3000, 100), cpu = run_of(1000, 4000);
    struct arena arena = {0};
    struct device_against_cpu against;
    device_against_cpu(device.trace, cpu.trace, &arena, &against);
    assert_int_equal(against.by, COMPARED_FUNCTIONS);
    assert_int_equal(against.count, 2);
    assert_int_equal(against.slower_count, 1);
    assert_true(str_eq(against.at[0].name, S("train.py(12): prepare")));
    assert_true(against.at[0].slower && !against.at[1].slower);
    assert_int_equal(against.at[0].device_ns, 3000 * US);
    assert_int_equal(against.at[1].cpu_ns, 4000 * US);
    trace_free(device.trace);
    trace_free(cpu.trace);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_and_order_confirm),
        cmocka_unit_test(what_a_read_saves_is_told_alone_and_together),
        cmocka_unit_test(a_read_that_the_trace_does_not_show_stays_static),
        cmocka_unit_test(calls_in_a_loop_agree_by_function_alone),
        cmocka_unit_test(the_exact_line_confirms_and_rules_out),
        cmocka_unit_test(a_move_in_a_wrapper_belongs_to_the_finding_where_it_is_called),
        cmocka_unit_test(a_comparison_that_decides_has_no_frame_of_its_own),
        cmocka_unit_test(the_line_that_was_seen_to_wait_takes_the_moves_of_its_function),
        cmocka_unit_test(a_trace_of_another_program_is_said_not_to_belong),
        cmocka_unit_test(a_file_of_the_same_name_in_another_folder_is_another_file),
        cmocka_unit_test(a_function_that_moved_is_known_by_name_where_another_did_not),
        cmocka_unit_test(without_frames_findings_stay_static),
        cmocka_unit_test(a_wait_in_a_library_becomes_a_finding_of_its_own),
        cmocka_unit_test(preparation_is_found_again_at_its_call),
        cmocka_unit_test(a_loader_that_loads_itself_shows_its_time),
        cmocka_unit_test(a_loop_over_elements_saves_nine_tenths_of_it),
        cmocka_unit_test(what_is_slower_with_the_device_is_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
