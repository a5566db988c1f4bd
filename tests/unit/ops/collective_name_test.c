/* SPDX-License-Identifier: Apache-2.0 */
/* What names and shapes alone say of a collective: its kind, and how much it moves. */
#include "unit/cmocka_first.h"

#include "ops/rows/collective.h"
#include "ops/rows/message.h"

/* ---- names ---- */

static void names_say_the_kind(void **state)
{
    static const struct {
        const char *name;
        enum collective_kind kind;
    } names[] = {
        {"allreduce", COLLECTIVE_ALL_REDUCE},
        {"allreduce_coalesced", COLLECTIVE_ALL_REDUCE},
        {"nccl:all_reduce", COLLECTIVE_ALL_REDUCE},
        {"gloo:all_reduce", COLLECTIVE_ALL_REDUCE},
        {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)", COLLECTIVE_ALL_REDUCE},
        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", COLLECTIVE_ALL_REDUCE},
        {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(...)", COLLECTIVE_ALL_REDUCE},
        {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(...)", COLLECTIVE_ALL_REDUCE},
        {"_allgather_base", COLLECTIVE_ALL_GATHER},
        {"c10d::_allgather_base_", COLLECTIVE_ALL_GATHER},
        {"all_gather_into_tensor_coalesced", COLLECTIVE_ALL_GATHER},
        {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", COLLECTIVE_ALL_GATHER},
        {"_reduce_scatter_base", COLLECTIVE_REDUCE_SCATTER},
        {"reduce_scatter_tensor", COLLECTIVE_REDUCE_SCATTER},
        {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(...)", COLLECTIVE_REDUCE_SCATTER},
        {"all_to_allv", COLLECTIVE_ALL_TO_ALL},
        {"c10d::alltoall_base_", COLLECTIVE_ALL_TO_ALL},
        {"broadcast", COLLECTIVE_BROADCAST},
        {"ncclKernel_Broadcast_RING_LL_Sum_int8_t(...)", COLLECTIVE_BROADCAST},
        {"ncclDevKernel_Reduce_Sum_f32_RING_LL(...)", COLLECTIVE_REDUCE},
        {"c10d::reduce_", COLLECTIVE_REDUCE},
        {"gloo:barrier", COLLECTIVE_BARRIER},
        {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", COLLECTIVE_POINT_TO_POINT},
        {"nccl:recv 1<-0", COLLECTIVE_POINT_TO_POINT},
        {"gloo:gather", COLLECTIVE_GATHER},
        {"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", COLLECTIVE_OTHER},
        {"", COLLECTIVE_OTHER},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const enum collective_kind kind = collective_kind_of_name(str_of(names[i].name));
        if (kind != names[i].kind)
            print_error("%s\n", names[i].name);
        assert_int_equal(kind, names[i].kind);
    }
}

static void every_kind_has_a_word(void **state)
{
    for (int kind = 0; kind < COLLECTIVE_KINDS; kind++)
        assert_true(collective_kind_word((enum collective_kind)kind).len > 0);
}

/* ---- messages ---- */

static void expect_message(const char *dims, const char *types, int argument, int64_t elements, int bytes)
{
    const struct message message = message_of_shapes(str_of(dims), str_of(types), argument);
    assert_int_equal(message.elements, elements);
    assert_int_equal(message.element_bytes, bytes);
}

static void shapes_say_how_much(void **state)
{
    expect_message("[[263169]]", "[\"float\"]", ALL_ARGUMENTS, 263169, 4);
    expect_message("[[64, 3], [2, 2]]", "[\"c10::Half\", \"c10::Half\"]", ALL_ARGUMENTS, 196, 2);
    expect_message("[[64, 3], [2, 2]]", "[\"float\", \"double\"]", 1, 4, 8);
    expect_message("[[]]", "[\"float\"]", ALL_ARGUMENTS, 1, 4);
    expect_message("[[[5], [7]], [], []]", "[\"TensorList\", \"\", \"Scalar\"]", 0, 12, 0);
    expect_message("[[], [[8]], []]", "[\"\", \"TensorList\", \"\"]", 1, 8, 0);
    expect_message("[[0, 5]]", "[\"float\"]", 0, 0, 4);
}

static void what_shapes_do_not_say_is_not_known(void **state)
{
    expect_message("", "", 0, -1, 0);
    expect_message("[[], [], []]", "[\"TensorList\", \"Scalar\", \"\"]", 0, -1, 0);
    expect_message("[[3]]", "[\"float\"]", 1, -1, 0);
    expect_message("[[3", "[\"float\"]", 0, -1, 0);
    expect_message("[[4294967296, 4294967296, 4294967296]]", "[\"float\"]", 0, -1, 4);
    expect_message("[[9223372036854775807], [9223372036854775807]]", "[\"float\", \"float\"]", ALL_ARGUMENTS, -1, 4);
}

static void the_full_message_is_the_larger_side(void **state)
{
    struct collective c = {.kind = COLLECTIVE_ALL_GATHER, .in_elements = 10, .out_elements = -1, .element_bytes = 4};
    assert_int_equal(collective_bytes(&c, 8), 320);
    c.out_elements = 75;
    assert_int_equal(collective_bytes(&c, 8), 300);
    c = (struct collective){
        .kind = COLLECTIVE_REDUCE_SCATTER, .in_elements = -1, .out_elements = 10, .element_bytes = 2};
    assert_int_equal(collective_bytes(&c, 8), 160);
    c.in_elements = 77;
    assert_int_equal(collective_bytes(&c, 8), 154);
    c = (struct collective){.kind = COLLECTIVE_ALL_REDUCE, .in_elements = 5, .out_elements = 5};
    assert_int_equal(collective_bytes(&c, 8), -1);
    c.element_bytes = 8;
    assert_int_equal(collective_bytes(&c, 8), 40);
    c.in_elements = INT64_MAX;
    assert_int_equal(collective_bytes(&c, 8), -1);
}

static void bus_factors_are_those_of_nccl_tests(void **state)
{
    assert_float_equal(collective_bus_factor(COLLECTIVE_ALL_REDUCE, 4), 1.5, 1e-6);
    assert_float_equal(collective_bus_factor(COLLECTIVE_ALL_GATHER, 4), 0.75, 1e-6);
    assert_float_equal(collective_bus_factor(COLLECTIVE_REDUCE_SCATTER, 4), 0.75, 1e-6);
    assert_float_equal(collective_bus_factor(COLLECTIVE_ALL_TO_ALL, 4), 0.75, 1e-6);
    assert_float_equal(collective_bus_factor(COLLECTIVE_BROADCAST, 4), 1, 1e-6);
    assert_float_equal(collective_bus_factor(COLLECTIVE_REDUCE, 4), 1, 1e-6);
    assert_float_equal(collective_bus_factor(COLLECTIVE_POINT_TO_POINT, 2), 1, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_the_kind),
        cmocka_unit_test(every_kind_has_a_word),
        cmocka_unit_test(shapes_say_how_much),
        cmocka_unit_test(what_shapes_do_not_say_is_not_known),
        cmocka_unit_test(the_full_message_is_the_larger_side),
        cmocka_unit_test(bus_factors_are_those_of_nccl_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
