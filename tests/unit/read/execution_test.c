/* SPDX-License-Identifier: Apache-2.0 */
/* Execution traces: every schema becomes the same columns, and what is broken is mended and named. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "ops/words/shape.h"
#include "read/read.h"
#include "unit/shared_data.h"

static struct execution *read_pieces(str text, size_t chunk, struct steptime_error *err)
{
    struct source *source = source_of_bytes("memory", text.at, text.len, chunk);
    struct input input;
    const bool fine = input_read_source(source, INPUT_TRACE | INPUT_EXECUTION, NULL, &input, err);
    source_close(source);
    assert_null(input.trace);
    assert_int_equal(fine, input.execution != NULL);
    return input.execution;
}

static struct execution *read_text(const char *text)
{
    struct steptime_error err = {0};
    struct execution *e = read_pieces(str_of(text), SIZE_MAX, &err);
    if (!e)
        fail_msg("%s", err.message);
    return e;
}

static void assert_text(str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

/* ---- schemas ---- */

#define SCHEMA_OF(NAME) "{\"schema\": \"" NAME "\", \"pid\": 7, \"start_ts\": 12, \"nodes\": ["
#define PROCESS_1_0     "{\"name\": \"[process]\", \"id\": 1, \"rf_id\": 0, \"parent\": 1, \"scope\": 7}"

static const char flat[] = SCHEMA_OF(
    "1.0.1") "{\"name\": \"aten::mm\", \"id\": 9, \"rf_id\": 4, \"parent\": 1, \"fw_parent\": 3, \"seq_id\": 11, \"scope\": 0,"
             "\"tid\": 2, \"fw_tid\": 1, \"op_schema\": \"aten::mm(Tensor self, Tensor mat2) -> Tensor\","
             "\"inputs\": [[5, 6, 0, 12, 4, \"cuda:0\"], [7, 8, 0, 20, 4, \"cuda:0\"], [16, 9], 2.5, true, \"<None>\"],"
             "\"input_shapes\": [[3, 4], [4, 5], [[], []], [], [], []],"
             "\"input_types\": [\"Tensor(float)\", \"Tensor(c10::Half)\", \"GenericList[Int,Int]\", \"Double\", \"Bool\", \"None\"],"
             "\"outputs\": [[10, 11, 0, 15, 4, \"cuda:0\"]], \"output_shapes\": [[3, 5]], \"output_types\": [\"Tensor(float)\"]}"
             ", " PROCESS_1_0 "], \"finish_ts\": 30}";

static const char chakra[] = SCHEMA_OF(
    "1.1.1-chakra.0.0.4") "{\"id\": 9, \"name\": \"aten::mm\", \"ctrl_deps\": 1,"
                          "\"inputs\": {\"values\": [[5, 6, 0, 12, 4, \"cuda:0\"], [7, 8, 0, 20, 4, \"cuda:0\"], [16, 9], 2.5, true, \"<None>\"],"
                          "\"shapes\": [[3, 4], [4, 5], [[], []], [], [], []],"
                          "\"types\": [\"Tensor(float)\", \"Tensor(c10::Half)\", \"GenericList[Int,Int]\", \"Double\", \"Bool\", \"None\"],"
                          "\"strides\": [[4, 1], [1, 4], [], [], [], []]},"
                          "\"outputs\": {\"values\": [[10, 11, 0, 15, 4, \"cuda:0\"]], \"shapes\": [[3, 5]], \"types\": [\"Tensor(float)\"],"
                          "\"strides\": [[5, 1]]}, \"attrs\": [{\"name\": \"rf_id\", \"type\": \"uint64\", \"value\": 4},"
                          "{\"name\": \"fw_parent\", \"type\": \"uint64\", \"value\": 3}, {\"name\": \"seq_id\", \"type\": \"int64\", \"value\": 11},"
                          "{\"name\": \"scope\", \"type\": \"uint64\", \"value\": 0}, {\"name\": \"tid\", \"type\": \"uint64\", \"value\": 2},"
                          "{\"name\": \"fw_tid\", \"type\": \"uint64\", \"value\": 1},"
                          "{\"name\": \"op_schema\", \"type\": \"string\", \"value\": \"aten::mm(Tensor self, Tensor mat2) -> Tensor\"}]},"
                          "{\"id\": 1, \"name\": \"[process]\", \"ctrl_deps\": 1, \"inputs\": {\"values\": [], \"shapes\": [], \"types\": []},"
                          "\"outputs\": {\"values\": [], \"shapes\": [], \"types\": []},"
                          "\"attrs\": [{\"name\": \"scope\", \"type\": \"uint64\", \"value\": 7}]}], \"finish_ts\": 30}";

static void check_mm(const struct execution *e, const char *strides)
{
    assert_int_equal(e->count, 2);
    assert_int_equal(e->process, 7);
    assert_int_equal(e->start_ms, 12);
    assert_int_equal(e->finish_ms, 30);
    assert_int_equal(e->note_count, 0);
    assert_int_equal(e->nodes[0].scope, SCOPE_USER);
    assert_int_equal(e->nodes[0].parent, EXECUTION_NONE);
    const struct execution_node *mm = &e->nodes[1];
    assert_text(mm->name, "aten::mm");
    assert_text(mm->schema, "aten::mm(Tensor self, Tensor mat2) -> Tensor");
    assert_int_equal(mm->parent, 0);
    assert_int_equal(mm->record, 4);
    assert_int_equal(mm->sequence, 11);
    assert_int_equal(mm->thread, 2);
    assert_int_equal(mm->forward_thread, 1);
    assert_int_equal(mm->forward_parent, 3);
    assert_text(mm->inputs.dims, "[[3, 4], [4, 5], [], [], [], []]");
    assert_text(mm->inputs.types, "[\"float\", \"c10::Half\", \"ScalarList\", \"Scalar\", \"Scalar\", \"\"]");
    assert_text(mm->inputs.values, "[\"\", \"\", \"[16, 9]\", \"2.5\", \"True\", \"\"]");
    assert_text(mm->inputs.strides, strides);
    assert_int_equal(mm->inputs.tensors, 2);
    assert_int_equal(e->tensors[mm->inputs.first_tensor + 1].id, 7);
    assert_int_equal(e->tensors[mm->inputs.first_tensor + 1].storage, 8);
    assert_int_equal(mm->outputs.tensors, 1);
    assert_int_equal(e->tensors[mm->outputs.first_tensor].storage, 11);
    assert_int_equal(e->tensors[mm->outputs.first_tensor].bytes, 60);
    assert_int_equal(e->tensors[mm->outputs.first_tensor].place, PLACE_DEVICE);
    assert_text(mm->outputs.dims, "[[3, 5]]");
}

static void all_schemas_become_the_same_columns(void **state)
{
    struct execution *old = read_text(flat), *late = read_text(chakra);
    check_mm(old, "");
    check_mm(late, "[[4, 1], [1, 4], [], [], [], []]");
    assert_text(old->schema, "1.0.1");
    assert_text(late->schema, "1.1.1-chakra.0.0.4");
    execution_free(old);
    execution_free(late);
}

static void lists_of_tensors_bear_the_type_of_all(void **state)
{
    struct execution *e = read_text(SCHEMA_OF(
        "1.0.0") "{\"name\": \"aten::index\", \"id\": 2, \"parent\": 2, \"inputs\": [[1, 2, 0, 9, 4], "
                 "[\"<None>\", [3, 4, 0, 36, 8], [5, 6, 0, 36, 8]], [[7, 0, 0, 1, 4], [8, 0, 0, 1, 8]], []],"
                 "\"input_shapes\": [[3, 3], [[], [36], [36]], [[1], [1]], []],"
                 "\"input_types\": [\"Tensor(float)\", \"GenericList[None,Tensor(long int),Tensor(long int)]\","
                 "\"GenericList[Tensor(float),Tensor(double)]\", \"GenericList[]\"]}]}");
    const struct execution_node *index = &e->nodes[0];
    assert_text(index->inputs.dims, "[[3, 3], [[], [36], [36]], [[1], [1]], []]");
    assert_text(index->inputs.types, "[\"float\", \"long int\", \"TensorList\", \"ScalarList\"]");
    assert_int_equal(index->inputs.tensors, 5);
    assert_int_equal(e->tensors[index->inputs.first_tensor + 2].id, 5);
    execution_free(e);
    e = read_text(SCHEMA_OF("1.0.2") "{\"id\": 2, \"inputs\": {\"values\": [[[[3, 4, 0, 1, 4], [5, 6, 0, 1, 4]], []]],"
                                     "\"shapes\": [[[[1], [2]], []]], \"types\": "
                                     "[\"GenericList[GenericList[Tensor(float),Tensor(float)],GenericList[]]\"]}}]}");
    assert_text(e->nodes[0].inputs.dims, "[[[1], [2]]]");
    assert_int_equal(e->nodes[0].inputs.tensors, 2);
    execution_free(e);
}

static void collectives_are_read(void **state)
{
    struct execution *e = read_text(SCHEMA_OF(
        "1.1.0-chakra.0.0.4") "{\"id\": 2, \"name\": \"record_param_comms\", \"ctrl_deps\": 1, \"attrs\": ["
                              "{\"name\": \"collective_name\", \"type\": \"string\", \"value\": \"allreduce\"},"
                              "{\"name\": \"in_msg_nelems\", \"type\": \"uint64\", \"value\": 1024},"
                              "{\"name\": \"pg_size\", \"type\": \"uint64\", \"value\": 8},"
                              "{\"name\": \"dtype\", \"type\": \"string\", \"value\": \"Float\"}]}]}");
    assert_int_equal(e->collective_count, 1);
    assert_int_equal(e->nodes[0].collective, 0);
    assert_text(e->collectives[0].kind, "allreduce");
    assert_int_equal(e->collectives[0].in_elements, 1024);
    assert_int_equal(e->collectives[0].out_elements, -1);
    assert_int_equal(e->collectives[0].group_size, 8);
    execution_free(e);
}

/* ---- what is broken ---- */

static bool noted(const struct execution *e, const char *words)
{
    for (uint32_t i = 0; i < e->note_count; i++)
        if (str_has(e->notes[i].text, str_of(words)))
            return true;
    return false;
}

static void a_circle_of_parents_is_cut_and_named(void **state)
{
    struct execution *e = read_text(SCHEMA_OF("1.0.1") "{\"name\": \"a\", \"id\": 2, \"parent\": 3},"
                                                       "{\"name\": \"b\", \"id\": 3, \"parent\": 4},"
                                                       "{\"name\": \"c\", \"id\": 4, \"parent\": 2}]}");
    assert_int_equal(e->count, 3);
    assert_int_equal(e->nodes[0].parent, EXECUTION_NONE);
    assert_int_equal(e->nodes[1].parent, EXECUTION_NONE);
    assert_int_equal(e->nodes[2].parent, 0);
    assert_true(noted(e, "node 2 (a) names as its parent node 3, which began after it (a cycle?)"));
    assert_true(noted(e, "and so do 1 more"));
    execution_free(e);
}

/* Inside the call that calls its like elsewhere: as outermost it would count beside it. */
static void a_node_that_is_its_own_parent_counts_once(void **state)
{
    struct execution *e = read_text(SCHEMA_OF("1.0.1") "{\"name\": \"root\", \"id\": 1, \"parent\": 1},"
                                                       "{\"name\": \"conv2d\", \"id\": 2, \"parent\": 1},"
                                                       "{\"name\": \"convolution\", \"id\": 3, \"parent\": 2},"
                                                       "{\"name\": \"relu\", \"id\": 4, \"parent\": 1},"
                                                       "{\"name\": \"conv2d\", \"id\": 5, \"parent\": 1},"
                                                       "{\"name\": \"convolution\", \"id\": 6, \"parent\": 6},"
                                                       "{\"name\": \"relu\", \"id\": 7, \"parent\": 7},"
                                                       "{\"name\": \"never\", \"id\": 8, \"parent\": 8}]}");
    assert_int_equal(e->count, 8);
    assert_int_equal(e->nodes[0].parent, EXECUTION_NONE);
    assert_int_equal(e->nodes[5].parent, 4);
    assert_int_equal(e->nodes[6].parent, EXECUTION_NONE); /* only the root called a relu, which is no other call */
    assert_int_equal(e->nodes[7].parent, EXECUTION_NONE);
    assert_true(noted(e,
                      "node 6 (convolution) names as its parent node 6, which is itself (and so do 2 more); it counts "
                      "inside node 5, as its like do"));
    execution_free(e);
}

static void missing_parents_and_twins_are_named(void **state)
{
    struct execution *e = read_text(SCHEMA_OF("1.0.1") "{\"name\": \"a\", \"id\": 2, \"parent\": 77},"
                                                       "{\"name\": \"b\", \"id\": 2, \"parent\": 2},"
                                                       "{\"name\": \"no id\"}, {\"name\": \"c\", \"id\": \"x\"},"
                                                       "{\"id\": 5, \"parent\": [2], \"inputs\": 3, \"tid\": \"z\"}]}");
    assert_int_equal(e->count, 2);
    assert_int_equal(e->dropped, 3);
    assert_text(e->nodes[0].name, "a");
    assert_text(e->nodes[1].name, "");
    assert_int_equal(e->nodes[1].parent, 0);
    assert_true(noted(e, "node 2 (a) names as its parent node 77, which is not in the file"));
    assert_true(noted(e, "node 2 (b) comes twice"));
    assert_true(noted(e, "has no id"));
    assert_true(noted(e, "its id is no number"));
    execution_free(e);
}

static void bare_words_are_repaired(void **state)
{
    struct execution *e =
        read_text(SCHEMA_OF("1.0.1") "{\"name\": \"aten::fill_\", \"id\": 2, \"parent\": 2, \"inputs\": "
                                     "[-inf, nan], \"input_shapes\": [[], []],"
                                     "\"input_types\": [\"Double\", \"Double\"]}, 17, }, "
                                     "{\"name\": \"b\", \"id\": 3, \"parent\": 2}]}");
    assert_int_equal(e->count, 2);
    assert_int_equal(e->repaired, 1);
    assert_text(e->nodes[0].inputs.types, "[\"Scalar\", \"Scalar\"]");
    assert_true(noted(e, "something else than a node"));
    execution_free(e);
}

static void nothing_of_use_is_an_error(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {SCHEMA_OF("1.0.1") "]}", "without nodes"},
        {SCHEMA_OF("1.0.1"), "without nodes"},
        {"{\"schema\": \"1.0.1\", \"start_ts\": 3}", "without a list of nodes"},
        {"{\"schema\": \"1.0.1\", \"nodes\": 3}", "without a list of nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct steptime_error err;
        assert_null(read_pieces(str_of(cases[i].text), SIZE_MAX, &err));
        assert_int_equal(err.code, STEPTIME_INPUT);
        assert_non_null(strstr(err.message, cases[i].says));
    }
}

/* ---- real ones ---- */

static void check(const struct execution *e)
{
    struct arena scratch = {0};
    for (uint32_t i = 0; i < e->count; i++) {
        const struct execution_node *node = &e->nodes[i];
        assert_true(i == 0 || e->nodes[i - 1].id < node->id);
        assert_true(node->parent == EXECUTION_NONE || node->parent < i);
        assert_true(node->inputs.first_tensor + node->inputs.tensors <= e->tensor_count);
        assert_true(node->outputs.first_tensor + node->outputs.tensors <= e->tensor_count);
        assert_true(node->collective == EXECUTION_NONE || node->collective < e->collective_count);
        struct shape shape;
        struct text_list types, values;
        if (!node->inputs.dims.len)
            continue;
        if (!shape_parse(node->inputs.dims, &scratch, &shape))
            fail_msg("node %lld: %s", (long long)node->id, node->inputs.dims.at);
        assert_true(text_list_parse(node->inputs.types, &scratch, &types));
        assert_true(text_list_parse(node->inputs.values, &scratch, &values));
        assert_int_equal(shape.count, types.count);
        assert_int_equal(shape.count, values.count);
    }
    arena_free(&scratch);
}

static void real_execution_traces_are_whole(void **state)
{
    static const struct {
        const char *path, *schema;
        uint32_t nodes;
    } cases[] = {
        {"traces/et/chakra_pytorch_et_1.0.2-chakra.json.gz", "1.0.2-chakra.0.0.4", 263},
        {"traces/et/hta_simple_add_et.json.gz", "1.0.1", 38},
        {"traces/et/param_resnet_et_1.0.1.json.gz", "1.0.1", 1313},
        {"traces/et/param_resnet_et_1.0.3-chakra.json.gz", "1.0.3-chakra.0.0.4", 14391},
        {"traces/et/param_resnet_2gpu_et_1.1.0-chakra.json.gz", "1.1.0-chakra.0.0.4", 14392},
        {"traces/producers/dlrm-113-eg.json.gz", "1.0.1", 4405},
        {"traces/producers/dlrm-26-eg.json.gz", "1.1.1-chakra.0.0.4", 4334},
        {"traces/producers/dlrm-214-eg.json.gz", "1.1.1-chakra.0.0.4", 4301},
        {"traces/multirank/param_dlrm_v100_w8/et_rank7.json.gz", "1.0.1", 1675},
        {"prediction/dlrm-hipc22/dlrm_default_1024_eg_schema1.0.0.json.gz", "1.0.0", 528},
        {"prediction/dlrm-hipc22/alex_net_eg_schema1.0.0.json.gz", "1.0.0", 400},
        {"prediction/dlrm-hipc22/alex_net_eg_lofe_b128_schema1.0.0.json.gz", "1.0.0", 901},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf text = shared_bytes(cases[i].path);
        struct steptime_error err = {0};
        struct execution *e = read_pieces(buf_str(&text), SIZE_MAX, &err);
        if (!e)
            fail_msg("%s: %s", cases[i].path, err.message);
        assert_text(e->schema, cases[i].schema);
        assert_int_equal(e->count, cases[i].nodes);
        assert_true(e->repaired + e->dropped == 0 && e->note_count <= 1); /* one was stopped inside an operator */
        check(e);
        execution_free(e);
        buf_free(&text);
    }
}

/* Every node that is whole in the prefix is read, whatever pieces it comes in. */
static void a_cut_execution_trace_keeps_its_whole_nodes(void **state)
{
    enum { CUTS = 300 };
    struct buf text = shared_bytes("traces/et/chakra_pytorch_et_1.0.2-chakra.json.gz");
    uint32_t before = 0;
    for (size_t cut = 1; cut <= CUTS; cut++) {
        const size_t length = text.len * cut / (CUTS + 1);
        struct steptime_error err;
        struct execution *e = read_pieces((str){text.at, length}, 1 + cut * 37, &err);
        if (!e)
            continue;
        assert_true(e->count >= before && e->note_count > 0);
        assert_int_equal(e->repaired, 0);
        before = e->count;
        check(e);
        execution_free(e);
    }
    assert_true(before > 250);
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_schemas_become_the_same_columns),
        cmocka_unit_test(lists_of_tensors_bear_the_type_of_all),
        cmocka_unit_test(collectives_are_read),
        cmocka_unit_test(a_circle_of_parents_is_cut_and_named),
        cmocka_unit_test(a_node_that_is_its_own_parent_counts_once),
        cmocka_unit_test(missing_parents_and_twins_are_named),
        cmocka_unit_test(bare_words_are_repaired),
        cmocka_unit_test(nothing_of_use_is_an_error),
        cmocka_unit_test(real_execution_traces_are_whole),
        cmocka_unit_test(a_cut_execution_trace_keeps_its_whole_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
