/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of lists of operators: blocks repeat as a whole, and what makes no sense is named by its line. */
#include "program_case.h"

#include <unistd.h>

#include "program/list.h"

static const char *file_with(const char *rows)
{
    static char path[64];
    snprintf(path, sizeof path, "list-test-%d.csv", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "model,mode,seq,batch,node,name,phase,op,dims,repeat\n%s", rows);
    fclose(file);
    return path;
}

static void assert_op(const struct program *p, uint32_t i, const char *name, const char *dims, int64_t line)
{
    assert_true(str_eq(p->ops[i].name, str_of(name)));
    if (!str_eq(p->ops[i].arguments.dims, str_of(dims)))
        fail_msg("%s has %s, not %s", name, p->ops[i].arguments.dims.at, dims);
    assert_int_equal(p->ops[i].id, line);
}

static void blocks_are_repeated_as_a_whole(void **state)
{
    struct arena arena = {0};
    struct program p;
    struct steptime_error err = {0};
    const char *path = file_with("gpt,inf,8,2,1,emb,fwd,copy,2x8 2x8x4,1\n"
                                 "gpt,inf,8,2,2,q,fwd,linear,16x4x12,2\n"
                                 "gpt,inf,8,2,3,s,fwd,bmm,2x8x4x8,2\n"
                                 "gpt,inf,8,2,4,d,bwd,addu,16x4,2\n"
                                 "gpt,inf,8,2,5,x,bwd,custom,16x4,1\n");
    if (!program_of_list(path, &(struct list_choice){0}, &arena, &p, &err))
        fail_msg("%s", err.message);
    check_program(&p);
    assert_int_equal(p.count, 8);
    assert_int_equal(p.source, PROGRAM_LIST);
    assert_op(&p, 0, "aten::copy_", "[[64], [64]]", 2);
    assert_op(&p, 1, "aten::linear", "[[16, 4], [12, 4]]", 3);
    assert_op(&p, 2, "aten::bmm", "[[2, 8, 4], [2, 4, 8]]", 4);
    assert_op(&p, 3, "aten::linear", "[[16, 4], [12, 4]]", 3);
    assert_op(&p, 5, "aten::add", "[[16, 4], []]", 5);
    assert_op(&p, 7, "custom", "[[64]]", 6);
    assert_int_equal(p.ops[4].phase, PHASE_FORWARD);
    assert_int_equal(p.ops[5].phase, PHASE_BACKWARD);
    unlink(path);
    arena_free(&arena);
}

static void a_step_is_chosen_by_its_columns(void **state)
{
    struct arena arena = {0};
    struct program p;
    const char *path = file_with("gpt,inf,8,2,1,a,fwd,add,1x1,1\ngpt,train,8,2,1,a,fwd,add,1x1,1\n"
                                 "gpt,train,8,2,2,b,bwd,mul,1x1,1\nbert,inf,8,4,1,a,fwd,add,1x1,1\n");
    assert_true(program_of_list(path, &(struct list_choice){.mode = S("train")}, &arena, &p, NULL));
    assert_int_equal(p.count, 2);
    assert_true(program_of_list(path, &(struct list_choice){.batch = S("4")}, &arena, &p, NULL));
    assert_int_equal(p.ops[0].id, 5);
    struct steptime_error err = {0};
    assert_false(program_of_list(path, &(struct list_choice){.model = S("t5")}, &arena, &p, &err));
    assert_non_null(strstr(err.message, "no such step (model 't5'"));
    unlink(path);
    arena_free(&arena);
}

static void what_makes_no_sense_is_named_by_its_line(void **state)
{
    static const struct {
        const char *rows, *says;
    } cases[] = {
        {"g,i,8,2,1,a,fwd,linear,16x4,1\n", "line 2: linear has 2 sizes; 3 are wanted"},
        {"g,i,8,2,1,a,fwd,add,16x0,1\n", "line 2"},
        {"g,i,8,2,1,a,fwd,add,16x4,1\ng,i,8,2,1,b,fwd,add,16x4,9000000000000000000\n",
         "line 3: with 9000000000000000000"},
        {"g,i,8,2,1,a,fwd,add,4611686018427387904x4,1\n", "line 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct program p;
        struct steptime_error err = {0};
        const char *path = file_with(cases[i].rows);
        assert_false(program_of_list(path, &(struct list_choice){0}, &arena, &p, &err));
        assert_int_equal(err.code, STEPTIME_INPUT);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s", err.message);
        unlink(path);
        arena_free(&arena);
    }
}

static void real_lists_make_programs(void **state)
{
    struct arena arena = {0};
    struct program p;
    const char *path = shared_path("prediction/models/graphs.csv.gz");
    assert_true(program_of_list(path, &(struct list_choice){0}, &arena, &p, NULL));
    check_program(&p);
    assert_true(program_check(&p, NULL));
    assert_int_equal(p.without_shapes, 0);
    assert_true(p.count > 24 * 20); /* the layers of BERT */
    assert_true(
        program_of_list(path, &(struct list_choice){.model = S("gpt3_27"), .mode = S("train")}, &arena, &p, NULL));
    uint32_t backward = 0;
    for (uint32_t i = 0; i < p.count; i++)
        backward += p.ops[i].phase == PHASE_BACKWARD;
    assert_true(backward > p.count / 2 && backward < p.count);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_repeated_as_a_whole),
        cmocka_unit_test(a_step_is_chosen_by_its_columns),
        cmocka_unit_test(what_makes_no_sense_is_named_by_its_line),
        cmocka_unit_test(real_lists_make_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
