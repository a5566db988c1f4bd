/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives of a rank: what each is, how much it moves, and on the host which work belongs to which call. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "ops/rows/collective.h"
#include "ops/rows/message.h"
#include "unit/planted.h"

struct scene {
    struct planted p;
    struct arena arena;
    struct collectives table;
};

static void take(struct scene *s)
{
    trace_finish(s->p.trace);
    struct arena scratch = {0};
    s->table = collectives_of(s->p.trace, work_classes_new(s->p.trace, &scratch), &s->arena);
    arena_free(&scratch);
}

static void done(struct scene *s)
{
    trace_free(s->p.trace);
    arena_free(&s->arena);
}

static int64_t text(struct scene *s, const char *z)
{
    return intern_id(trace_names(s->p.trace), str_of(z));
}

/* An event with dims and types. */
static void plant_shaped(struct scene *s, enum event_kind kind, int64_t thread, const char *name, int64_t us,
                         int64_t dur_us, const char *dims, const char *types)
{
    struct event event = planted_event(&s->p, kind, planted_thread(&s->p, thread), name, us, dur_us);
    event_set(&event, ATTR_INPUT_DIMS, text(s, dims));
    event_set(&event, ATTR_INPUT_TYPES, text(s, types));
    trace_add(s->p.trace, &event);
    s->p.rows++;
}

static void plant_kernel(struct scene *s, const char *name, int64_t us, int64_t dur_us)
{
    plant_work(&s->p,
               (struct planted_work){.launch_us = us, .launch_dur_us = 1, .us = us, .dur_us = dur_us, .name = name});
}

/* ---- on the device ---- */

static void set_metadata(struct scene *s, struct event *event)
{
    event_set(event, ATTR_COLLECTIVE, text(s, "_allgather_base"));
    event_set(event, ATTR_IN_ELEMENTS, 1000);
    event_set(event, ATTR_OUT_ELEMENTS, 8000);
    event_set(event, ATTR_DTYPE, text(s, "BFloat16"));
    event_set(event, ATTR_GROUP_NAME, text(s, "3"));
    event_set(event, ATTR_GROUP_RANKS, text(s, "[0, 1, 2, 3, 4, 5, 6, 7]"));
    event_set(event, ATTR_GROUP_SIZE, 8);
    event_set(event, ATTR_COLLECTIVE_SEQ, 17);
}

static void expect_metadata(const struct scene *s)
{
    assert_int_equal(s->table.count, 1);
    const struct collective *c = s->table.at;
    const struct collective_group *group = &s->table.groups[c->group];
    assert_int_equal(c->kind, COLLECTIVE_ALL_GATHER);
    assert_int_equal(c->seq, 17);
    assert_int_equal(c->start_ns, 50 * 1000);
    assert_int_equal(c->dur_ns, 100 * 1000);
    assert_int_equal(collective_bytes(c, group->size), 16000);
    assert_int_equal(group->size, 8);
    assert_true(str_eq(group->name, S("3")));
    assert_false(c->on_host);
}

static void a_kernel_says_what_it_is(void **state)
{
    struct scene s = {.p = planted_new()};
    struct event e = planted_event(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 7), "ncclDevKernel_Generic(x)", 50, 100);
    set_metadata(&s, &e);
    trace_add(s.p.trace, &e);
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", 0, 10);
    take(&s);
    expect_metadata(&s);
    done(&s);
}

static void else_the_operator_around_its_launch_does(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_host(&s.p, EVENT_OPERATOR, "c10d::_allgather_base_", 0, 40);
    struct event e =
        planted_event(&s.p, EVENT_OPERATOR, planted_thread(&s.p, PLANTED_MAIN), "record_param_comms", 5, 30);
    set_metadata(&s, &e);
    trace_add(s.p.trace, &e);
    plant_work(&s.p,
               (struct planted_work){
                   .launch_us = 10, .launch_dur_us = 5, .us = 50, .dur_us = 100, .name = "ncclDevKernel_Generic(x)"});
    take(&s);
    expect_metadata(&s);
    done(&s);
}

/* Traces of 2023: no metadata, but an annotation with the input's shape. */
static void else_the_annotation_does(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_host(&s.p, EVENT_OPERATOR, "record_param_comms", 5, 30);
    plant_shaped(&s, EVENT_ANNOTATION, PLANTED_MAIN, "nccl:all_to_all", 6, 28, "[[6144]]", "[\"float\"]");
    plant_work(&s.p, (struct planted_work){.launch_us = 10,
                                           .launch_dur_us = 5,
                                           .us = 50,
                                           .dur_us = 100,
                                           .name = "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)"});
    take(&s);
    assert_int_equal(s.table.count, 1);
    assert_int_equal(s.table.at->kind, COLLECTIVE_ALL_TO_ALL);
    assert_int_equal(collective_bytes(s.table.at, 8), 6144 * 4);
    assert_int_equal(s.table.at->seq, -1);
    assert_int_equal(s.table.groups[s.table.at->group].identity, 0);
    done(&s);
}

static void else_its_name_does(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", 0, 1000);
    plant_host(&s.p, EVENT_ANNOTATION, "DistributedDataParallel.forward", 0, 1000);
    plant_kernel(&s, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 100, 10);
    plant_kernel(&s, "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", 200, 10);
    plant_kernel(&s, "sgemm_128x64", 300, 10);
    take(&s);
    assert_int_equal(s.table.count, 2);
    assert_int_equal(s.table.at[0].kind, COLLECTIVE_ALL_REDUCE);
    assert_int_equal(s.table.at[1].kind, COLLECTIVE_OTHER);
    assert_int_equal(collective_bytes(&s.table.at[0], 8), -1);
    done(&s);
}

/* ---- messages between two ---- */

static const char *const send_recv = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";

static void expect_ends(const struct collective *c, int64_t source, int64_t destination, bool sends)
{
    assert_int_equal(c->kind, COLLECTIVE_POINT_TO_POINT);
    assert_int_equal(c->source, source);
    assert_int_equal(c->destination, destination);
    assert_int_equal(c->sends, sends);
}

/* PyTorch 2.13 names the other end by its rank of the job. */
static void plant_message_call(struct scene *s, const char *collective, int64_t other, int64_t us, int64_t seq)
{
    struct event e =
        planted_event(&s->p, EVENT_OPERATOR, planted_thread(&s->p, PLANTED_MAIN), "record_param_comms", us, 8);
    event_set(&e, ATTR_COLLECTIVE, text(s, collective));
    event_set(&e, collective[0] == 's' ? ATTR_DESTINATION_RANK : ATTR_SOURCE_RANK, other);
    event_set(&e, ATTR_GROUP_RANKS, text(s, "[0, 1, 2, 3]"));
    event_set(&e, ATTR_GROUP_SIZE, 4);
    event_set(&e, ATTR_COLLECTIVE_SEQ, seq);
    trace_add(s->p.trace, &e);
    s->p.rows++;
}

static void attributes_say_who_sends(void **state)
{
    struct scene s = {.p = planted_new()};
    s.p.trace->info.rank = 2;
    plant_message_call(&s, "send", 3, 0, 7);
    plant_kernel(&s, send_recv, 2, 1);
    plant_message_call(&s, "recv", 1, 10, 8);
    plant_kernel(&s, send_recv, 12, 1);
    take(&s);
    assert_int_equal(s.table.count, 2);
    expect_ends(&s.table.at[0], 2, 3, true);
    expect_ends(&s.table.at[1], 1, 2, false);
    done(&s);
}

/* Annotations name ranks of the group. */
static void else_annotations_say_who_sends(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_host(&s.p, EVENT_ANNOTATION, "nccl:recv 1<-0", 0, 8);
    plant_kernel(&s, send_recv, 2, 1);
    struct event e =
        planted_event(&s.p, EVENT_OPERATOR, planted_thread(&s.p, PLANTED_MAIN), "record_param_comms", 10, 9);
    event_set(&e, ATTR_GROUP_RANKS, text(&s, "[4, 5]"));
    trace_add(s.p.trace, &e);
    s.p.rows++;
    plant_host(&s.p, EVENT_ANNOTATION, "nccl:send 1->0", 11, 7);
    plant_kernel(&s, send_recv, 12, 1);
    take(&s);
    assert_int_equal(s.table.count, 2);
    expect_ends(&s.table.at[0], 0, 1, false);
    expect_ends(&s.table.at[1], 5, 4, true);
    done(&s);
}

static void on_the_host_arguments_do(void **state)
{
    struct scene s = {.p = planted_new()};
    s.p.trace->info.rank = 1;
    struct event e = planted_event(&s.p, EVENT_OPERATOR, planted_thread(&s.p, PLANTED_MAIN), "c10d::recv_", 10, 9);
    event_set(&e, ATTR_CONCRETE_INPUTS, text(&s, "[\"\", \"\", \"0\", \"0\"]"));
    trace_add(s.p.trace, &e);
    s.p.rows++;
    plant_host(&s.p, EVENT_ANNOTATION, "gloo:recv", 15, 100);
    take(&s);
    assert_int_equal(s.table.count, 1);
    expect_ends(&s.table.at[0], 0, 1, false);
    assert_int_equal(s.table.at[0].dur_ns, 100 * 1000);
    done(&s);
}

/* ncclGroupEnd: one kernel for the calls since the kernel before. */
static void a_group_is_split_by_its_calls(void **state)
{
    struct scene s = {.p = planted_new()};
    s.p.trace->info.rank = 2;
    for (int64_t group = 0; group < 2; group++) {
        const int64_t us = 100 * group;
        plant_message_call(&s, "send", 3, us, 2 * group);
        plant_message_call(&s, "recv", 1, us + 10, 2 * group + 1);
        plant_host(&s.p, EVENT_ANNOTATION, "nccl:coalesced", us + 20, 9);
        plant_kernel(&s, send_recv, us + 22, 30);
    }
    take(&s);
    assert_int_equal(s.table.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct collective *c = &s.table.at[i];
        expect_ends(c, c->sends ? 2 : 1, c->sends ? 3 : 2, c->sends);
        assert_int_equal(c->start_ns, i < 2 ? 22000 : 122000);
        assert_int_equal(c->seq / 2, i / 2);
    }
    done(&s);
}

static void kernels_of_a_graph_are_told_apart_by_place(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", 0, 2);
    plant_work(&s.p, (struct planted_work){.launch_us = 10,
                                           .launch_dur_us = 5,
                                           .us = 50,
                                           .dur_us = 10,
                                           .call = "cudaGraphLaunch",
                                           .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"});
    take(&s);
    assert_int_equal(s.table.count, 1);
    assert_int_equal(s.table.at[0].of_graph, 1);
    done(&s);
}

/* What runs as the recording begins was launched before it, and is of no step. */
static void kernels_queued_before_the_recording_are_told(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_step(&s.p, 4, 0, 1000);
    plant(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 7), "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 50, 10);
    plant_kernel(&s, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 100, 10);
    plant(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 7), "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 150, 10);
    take(&s);
    assert_int_equal(s.table.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s.table.at[i].queued_before, i == 0);
        assert_int_equal(s.table.at[i].step, i == 0 ? STEP_NONE : 0);
    }
    done(&s);
}

static void groups_of_one_name_are_told_apart_by_their_ranks(void **state)
{
    static const char *const ranks[] = {"[0, 1]", "[2, 3]", "[0, 1]"};
    struct scene s = {.p = planted_new()};
    for (int i = 0; i < 3; i++) {
        struct event e =
            planted_event(&s.p, EVENT_KERNEL, planted_stream(&s.p, 0, 7), "ncclDevKernel_AllGather(x)", 50 * i, 9);
        event_set(&e, ATTR_GROUP_NAME, text(&s, "tp"));
        event_set(&e, ATTR_GROUP_RANKS, text(&s, ranks[i]));
        event_set(&e, ATTR_GROUP_SIZE, 2);
        trace_add(s.p.trace, &e);
    }
    take(&s);
    assert_int_equal(s.table.group_count, 3); /* and the one that is not recorded */
    assert_int_equal(s.table.at[0].group, s.table.at[2].group);
    assert_true(s.table.groups[s.table.at[0].group].identity != s.table.groups[s.table.at[1].group].identity);
    done(&s);
}

/* ---- on the host ---- */

static void plant_call(struct scene *s, int64_t us, const char *dims)
{
    char list[64];
    snprintf(list, sizeof list, "[[%s], [], []]", dims);
    plant_shaped(s, EVENT_OPERATOR, PLANTED_MAIN, "c10d::allreduce_", us, 5, list,
                 "[\"TensorList\", \"\", \"Scalar\"]");
}

static void plant_gloo(struct scene *s, int64_t us, int64_t dur_us, const char *dims)
{
    char list[64];
    snprintf(list, sizeof list, "[%s]", dims);
    plant_shaped(s, EVENT_ANNOTATION, PLANTED_GLOO, "gloo:all_reduce", us, dur_us, list, "[\"float\"]");
}

static void a_call_takes_its_work_by_size_and_order(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_call(&s, 0, "[100]");
    plant_call(&s, 10, "[7]");
    plant_call(&s, 20, "[100]");
    plant_gloo(&s, 30, 400, "[100]");
    plant_gloo(&s, 31, 5, "[7]");
    plant_gloo(&s, 500, 600, "[100]");
    take(&s);
    static const struct {
        int64_t call_us, start_us, dur_us, bytes;
    } expected[] = {{0, 30, 400, 400}, {10, 31, 5, 28}, {20, 500, 600, 400}};
    assert_int_equal(s.table.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s.table.at[i].call_ns, expected[i].call_us * 1000);
        assert_int_equal(s.table.at[i].start_ns, expected[i].start_us * 1000);
        assert_int_equal(s.table.at[i].dur_ns, expected[i].dur_us * 1000);
        assert_int_equal(collective_bytes(&s.table.at[i], 2), expected[i].bytes);
        assert_true(s.table.at[i].on_host);
    }
    done(&s);
}

/* Only one of gloo's threads is recorded: its work belongs to the calls just before, the others have none. */
static void calls_without_work_stay_calls(void **state)
{
    struct scene s = {.p = planted_new()};
    for (int step = 0; step < 4; step++) {
        plant_call(&s, 1000 * step, "[100]");
        plant_call(&s, 1000 * step + 10, "[7]");
    }
    plant_gloo(&s, 1005, 300, "[100]");
    plant_gloo(&s, 2015, 300, "[7]");
    plant_gloo(&s, 3005, 300, "[100]");
    take(&s);
    static const int64_t durations_us[] = {-1, -1, 300, -1, -1, 300, 300, -1};
    assert_int_equal(s.table.count, 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(s.table.at[i].dur_ns, durations_us[i] < 0 ? -1 : durations_us[i] * 1000);
    done(&s);
}

static void work_without_a_call_stands_for_itself(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_host(&s.p, EVENT_OPERATOR, "aten::mm", 0, 10);
    plant_gloo(&s, 100, 50, "[100]");
    take(&s);
    assert_int_equal(s.table.count, 1);
    assert_int_equal(s.table.at->call_ns, 100 * 1000);
    assert_int_equal(s.table.at->dur_ns, 50 * 1000);
    done(&s);
}

/* c10d::allreduce_ over record_param_comms is NCCL's: the kernel is the collective, not the call. */
static void a_call_that_the_device_carries_out_is_no_host_collective(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_call(&s, 0, "[100]");
    plant_host(&s.p, EVENT_OPERATOR, "record_param_comms", 1, 3);
    plant_call(&s, 100, "[100]");
    take(&s);
    assert_int_equal(s.table.count, 1);
    assert_int_equal(s.table.at->call_ns, 100 * 1000);
    done(&s);
}

/* Of 2022: no record_param_comms, but the kernel was launched inside the call. */
static void nor_is_a_call_that_launched_the_kernel(void **state)
{
    struct scene s = {.p = planted_new()};
    plant_host(&s.p, EVENT_OPERATOR, "c10d::recv_", 0, 20);
    plant_host(&s.p, EVENT_ANNOTATION, "nccl:recv 1<-0", 5, 10);
    plant_kernel(&s, send_recv, 8, 1);
    take(&s);
    assert_int_equal(s.table.count, 1);
    assert_false(s.table.at->on_host);
    expect_ends(s.table.at, 0, 1, false);
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_says_what_it_is),
        cmocka_unit_test(else_the_operator_around_its_launch_does),
        cmocka_unit_test(else_the_annotation_does),
        cmocka_unit_test(else_its_name_does),
        cmocka_unit_test(attributes_say_who_sends),
        cmocka_unit_test(else_annotations_say_who_sends),
        cmocka_unit_test(on_the_host_arguments_do),
        cmocka_unit_test(a_group_is_split_by_its_calls),
        cmocka_unit_test(kernels_of_a_graph_are_told_apart_by_place),
        cmocka_unit_test(kernels_queued_before_the_recording_are_told),
        cmocka_unit_test(groups_of_one_name_are_told_apart_by_their_ranks),
        cmocka_unit_test(a_call_takes_its_work_by_size_and_order),
        cmocka_unit_test(calls_without_work_stay_calls),
        cmocka_unit_test(work_without_a_call_stands_for_itself),
        cmocka_unit_test(a_call_that_the_device_carries_out_is_no_host_collective),
        cmocka_unit_test(nor_is_a_call_that_launched_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
