/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of recommendation models: the operators that profilers recorded of them, with the right sizes. */
#include "program_case.h"

#include <unistd.h>

#include "base/buf.h"
#include "program/dlrm.h"
#include "io/source.h"
#include "ops/words/shape.h"
#include "text/csv_reader.h"

static struct dlrm named(const char *name, struct arena *arena)
{
    struct dlrm d;
    struct steptime_error err = {0};
    if (!dlrm_find(str_of(name), arena, &d, &err))
        fail_msg("%s", err.message);
    return d;
}

static str text_of(const char *path, struct arena *arena)
{
    struct buf buf = {0};
    struct source *source = source_open(path, NULL);
    char block[65536];
    assert_non_null(source);
    for (size_t got; (got = source_read(source, block, sizeof block)) > 0;)
        buf_add(&buf, (str){block, got});
    source_close(source);
    const str text = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}

/* ---- descriptions ---- */

static void the_named_models_are_those_of_the_paper(void **state)
{
    struct arena arena = {0};
    const struct dlrm standard = named("default", &arena), mlperf = named("mlperf", &arena), ddp = named("ddp", &arena);
    assert_int_equal(standard.bottom_layers, 2);
    assert_int_equal(standard.top_layers, 4);
    assert_int_equal(standard.table_count, 8);
    assert_int_equal(standard.tables[7], 1000000);
    assert_int_equal(standard.lookups, 100);
    assert_true(!standard.bce && standard.dot && standard.batched);
    assert_int_equal(mlperf.table_count, 26);
    assert_int_equal(mlperf.tables[25], 34);
    assert_true(mlperf.bce);
    assert_int_equal(ddp.bottom[3], 128);
    assert_int_equal(ddp.lookups, 10);
    arena_free(&arena);
}

static const char *file_with(const char *text)
{
    static char path[64];
    snprintf(path, sizeof path, "dlrm-test-%d.toml", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void a_wrong_description_names_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"bottom = \"4-8\"\ntop = \"8-1\"\ntables = \"2 x 9\"\nwidth = 8\nwidth2 = 3\n", "line 5: width2"},
        {"bottom = \"4-8\"\ntop = \"8-1\"\ntables = \"2 x 9\"\nwidth = 0\n", "line 4: width"},
        {"bottom = \"4-x\"\n", "line 1: bottom"},
        {"bottom = \"4\"\n", "line 1: bottom"},
        {"bottom = 4\n", "line 1: bottom"},
        {"bottom = \"4-8\"\ntop = \"8-1\"\ntables = \"0 x 9\"\n", "line 3: tables"},
        {"bottom = \"4-8\"\ntop = \"8-1\"\ntables = \"9-9\"\nwidth = 16\n", "not as wide as the embeddings"},
        {"bottom = \"4-8\"\ntop = \"8-2\"\ntables = \"9\"\nwidth = 8\n", "the last layer of top is not 1"},
        {"bottom = \"4-8\"\ntables = \"9\"\nwidth = 8\n", "is missing"},
        {"bottom = \"4-8\"\ntop = \"1\"\ntables = \"1000000 x 9\"\nwidth = 8\nbatch = 1000000000000\nlookups = 9\n",
         "more than fits"},
        {"loss = \"other\"\n", "line 1: loss"},
        {"loss = \n", "line 1"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlrm d;
        struct steptime_error err = {0};
        const char *path = file_with(cases[i].text);
        assert_false(dlrm_find(str_of(path), &arena, &d, &err));
        assert_int_equal(err.code, STEPTIME_INPUT);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s instead of %s", err.message, cases[i].says);
        unlink(path);
    }
    struct dlrm d;
    struct steptime_error err = {0};
    assert_false(dlrm_find(S("mlpref"), &arena, &d, &err));
    assert_non_null(strstr(err.message, "did you mean mlperf"));
    assert_false(dlrm_find(S("no/such.toml"), &arena, &d, &err));
    arena_free(&arena);
}

/* ---- programs ---- */

static void programs_of_models_keep_their_promises(void **state)
{
    static const char *const names[] = {"default", "mlperf", "ddp"};
    struct arena arena = {0};
    for (size_t i = 0; i < 3; i++)
        for (int kind = 0; kind < 8; kind++) {
            struct dlrm d = named(names[i], &arena);
            d.era = kind & 1 ? DLRM_CURRENT : DLRM_2021;
            d.batched = kind & 2;
            d.dot = kind & 4;
            const struct program p = program_of_dlrm(&d, &arena);
            struct steptime_error err = {0};
            check_program(&p);
            if (!program_check(&p, &err))
                fail_msg("%s", err.message);
            struct shape shape;
            for (uint32_t k = 0; k < p.count; k++) {
                const struct op_arguments *a = &p.ops[k].arguments;
                assert_true(!a->dims.len || shape_parse(a->dims, &arena, &shape));
                assert_true(p.ops[k].forward == OP_NONE || p.ops[p.ops[k].forward].phase == PHASE_FORWARD);
            }
        }
    arena_free(&arena);
}

static bool launches_nothing(str name)
{
    static const char *const names[] = {"aten::transpose", "aten::slice", "aten::view",        "CatBackward",
                                        "TBackward",       "aten::t",     "TransposeBackward0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

/* The operators that launched something, in the order of a recorded iteration. */
static uint32_t recorded_operators(const char *path, const char *iteration, struct arena *arena, str *names,
                                   uint32_t room)
{
    struct csv_reader reader = csv_reader(text_of(path, arena));
    struct csv_row header, row;
    assert_true(csv_next(&reader, arena, &header));
    const uint32_t at = csv_column(&header, S("iteration")), node = csv_column(&header, S("node_index")),
                   op = csv_column(&header, S("op"));
    uint32_t count = 0;
    str last = S("");
    while (csv_next(&reader, arena, &row)) {
        if (!str_eq(csv_field(&row, at), str_of(iteration)) || str_eq(csv_field(&row, node), last))
            continue;
        assert_true(count < room);
        last = csv_field(&row, node);
        names[count++] = csv_field(&row, op);
    }
    return count;
}

static void operators_are_those_that_were_recorded(void **state)
{
    static const struct {
        const char *path, *model;
    } cases[] = {
        {"prediction/dlrm-hipc22/V100_DLRM_MLPerf_b2048_2021-05-14_device_kernels.csv", "mlperf"},
        {"prediction/dlrm-hipc22/V100_DLRM_default_b2048_2021-05-04_device_kernels.csv", "default"},
    };
    enum { ROOM = 256 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        str names[ROOM];
        const uint32_t count = recorded_operators(shared_path(cases[i].path), "1", &arena, names, ROOM);
        const struct dlrm d = named(cases[i].model, &arena);
        const struct program p = program_of_dlrm(&d, &arena);
        uint32_t n = 0;
        for (uint32_t k = 0; k < p.count; k++) {
            if (!program_is_top(&p, k) || launches_nothing(p.ops[k].name))
                continue;
            if (n >= count || !str_eq(p.ops[k].name, names[n]))
                fail_msg("%s: operator %u is %.*s, recorded is %.*s", cases[i].model, n, (int)p.ops[k].name.len,
                         p.ops[k].name.at, n < count ? (int)names[n].len : 0, n < count ? names[n].at : "");
            n++;
        }
        assert_int_equal(n, count);
        arena_free(&arena);
    }
}

/* The graph that PyTorch recorded of the model, a year later with another lookup: the sizes of all products agree. */
static void products_are_those_of_the_recorded_graph(void **state)
{
    struct input input = shared_input("prediction/dlrm-hipc22/dlrm_default_1024_eg_schema1.0.0.json.gz");
    static const char *const products[] = {"aten::addmm",  "aten::mm",    "aten::bmm",
                                           "aten::linear", "aten::index", "aten::threshold_backward"};
    struct arena arena = {0};
    struct dlrm d = named("default", &arena);
    d.batch = 1024;
    const struct program recorded = program_of_execution(input.execution, &arena), made = program_of_dlrm(&d, &arena);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        uint32_t a = 0, b = 0;
        for (;; a++, b++) {
            while (a < recorded.count && !str_eq(recorded.ops[a].name, str_of(products[i])))
                a++;
            while (b < made.count && !str_eq(made.ops[b].name, str_of(products[i])))
                b++;
            if (a == recorded.count || b == made.count)
                break;
            struct shape x, y;
            assert_true(shape_parse(recorded.ops[a].arguments.dims, &arena, &x));
            assert_true(shape_parse(made.ops[b].arguments.dims, &arena, &y));
            assert_int_equal(x.count, y.count);
            for (uint32_t k = 0; k < x.count; k++)
                for (uint32_t t = 0; t < x.arguments[k].count; t++)
                    assert_int_equal(dims_elements(x.arguments[k].tensors[t]),
                                     dims_elements(y.arguments[k].tensors[t]));
        }
        assert_int_equal(a - recorded.count, b - made.count);
    }
    execution_free(input.execution);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_named_models_are_those_of_the_paper),
        cmocka_unit_test(a_wrong_description_names_its_line),
        cmocka_unit_test(programs_of_models_keep_their_promises),
        cmocka_unit_test(operators_are_those_that_were_recorded),
        cmocka_unit_test(products_are_those_of_the_recorded_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
