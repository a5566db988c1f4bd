/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of operators: what each row says, and what is wrong with those that say nothing. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "program/operator_list.h"
#include "predict/plan/list_kernel.h"

#define HEADER "model,mode,seq,batch,node,name,phase,op,dims,repeat\n"

static struct arena arena;

static struct operator_list *list_of(const char *text, struct steptime_error *err)
{
    char path[] = "/tmp/steptime-list-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    struct operator_list *list = operator_list_open(path, err);
    remove(path);
    return list;
}

static void a_row_is_taken_apart(void **state)
{
    struct operator_list *list = list_of(HEADER "bert,train,512,8,32,query,bwd,linear,4096x1024x512,24\n"
                                                "bert,inf,512,8,33,w,fwd,copy,1x4 2x3x4 1 2x3x4,\n",
                                         NULL);
    assert_non_null(list);
    struct list_row row;
    assert_true(operator_list_next(list, &row));
    assert_null(row.problem);
    assert_true(str_eq(row.model, S("bert")) && str_eq(row.op, S("linear")));
    assert_int_equal(row.phase, LIST_BACKWARD);
    assert_int_equal(row.sizes, 3);
    assert_int_equal(row.size[2], 512);
    assert_int_equal(row.repeat, 24);
    assert_int_equal(row.line, 2);
    assert_true(operator_list_next(list, &row));
    assert_int_equal(row.tensors, 4);
    assert_int_equal(row.elements[1], 24);
    assert_int_equal(row.repeat, 1);
    assert_false(operator_list_next(list, &row));
    assert_true(operator_list_close(list, NULL));
}

static void problem_is(const char *cells, const char *part)
{
    const char *const text = str_z(&arena, str_printf(&arena, HEADER "m,inf,1,1,1,x,%s\n", cells));
    struct operator_list *list = list_of(text, NULL);
    assert_non_null(list);
    struct list_row row;
    assert_true(operator_list_next(list, &row));
    if (!row.problem || !strstr(row.problem, part))
        fail_msg("%s: '%s' does not say '%s'", cells, row.problem ? row.problem : "fine", part);
    operator_list_close(list, NULL);
}

static void what_makes_no_sense_is_named(void **state)
{
    problem_is("fwd,add,0x4,1", "size is 0");
    problem_is("fwd,add,-1x4,1", "negative");
    problem_is("fwd,add,4xfour,1", "whole number");
    problem_is("fwd,add,4x,1", "whole number");
    problem_is("fwd,add,,1", "no sizes");
    problem_is("fwd,add,1x1x1x1x1x1x1x1x1,1", "more than 8");
    problem_is("fwd,copy,1 1 1 1 1 1 1 1 1,1", "more than 8 tensors");
    problem_is("fwd,add,9999999999x9999999999,1", "too large");
    problem_is("sideways,add,4x4,1", "phase");
    problem_is("fwd,add,4x4,0", "repeat");
    problem_is("fwd,add,4x4,often", "repeat");
}

static void a_list_without_its_columns_is_refused(void **state)
{
    struct steptime_error err;
    assert_null(list_of("op,dims\nadd,4x4\n", &err));
    assert_non_null(strstr(err.message, "'model'"));
    assert_null(list_of("", &err));
}

/* ---- kernels ---- */

/* The form of the last of these rows of one node; FORMS: nothing is launched. */
static enum kernel_form form_of(const char *rows, struct kernel *kernel)
{
    struct operator_list *list = list_of(str_z(&arena, str_printf(&arena, HEADER "%s", rows)), NULL);
    assert_non_null(list);
    struct list_node node = {.elements = 0};
    for (struct list_row row; operator_list_next(list, &row);) {
        const char *const problem = row.problem ? row.problem : kernel_of_list_row(&node, &row, kernel);
        if (problem)
            fail_msg("%s", problem);
    }
    operator_list_close(list, NULL);
    return kernel->form;
}

static void gradients_are_what_they_launch(void **state)
{
    struct kernel kernel;
    assert_int_equal(form_of("m,t,1,1,1,add_7,fwd,add,64x64,1\nm,t,1,1,1,add_7,bwd,copy,64x64,1\n", &kernel), FORMS);
    assert_int_equal(form_of("m,t,1,1,1,ln_1,fwd,ln,64x32,1\nm,t,1,1,1,ln_1,bwd,mul,64x32,1\n", &kernel),
                     FORM_LAYER_NORM);
    assert_true(kernel.backward && kernel.rows.cols == 32);
    assert_int_equal(form_of("m,t,1,1,1,wte,fwd,copy,8x16 8x16x32,1\nm,t,1,1,1,wte,bwd,copy,5000x32,1\n", &kernel),
                     FORM_FILL);
    assert_int_equal(kernel.moved.bytes, 5000 * 32 * 4);
    assert_int_equal(form_of("m,t,1,1,1,h_0_dropout,fwd,copy,8x16 8x16,1\n", &kernel), FORM_DROPOUT);
    assert_int_equal(form_of("m,t,1,1,1,contiguous_4,fwd,copy,8x16 8x16,1\n", &kernel), FORM_BYTES);
    assert_int_equal(
        form_of("m,t,1,1,1,contiguous_4,fwd,copy,8x16 8x16,1\nm,t,1,1,1,contiguous_4,bwd,copy,8x16,1\n", &kernel),
        FORMS);
    /* The node before says nothing of the next. */
    assert_int_equal(form_of("m,t,1,1,1,add,fwd,add,64x64,1\nm,t,1,1,2,mul,bwd,mul,64x64,1\n", &kernel),
                     FORM_ELEMENTWISE);
}

/* A scalar wants no gradient; of values picked by a mask the gradient is picked once, and goes to one of them. */
static void what_wants_no_gradient_launches_none(void **state)
{
    struct kernel kernel;
    assert_int_equal(form_of("m,train,1,1,5,truediv,fwd,div,64x64,1\n"
                             "m,train,1,1,5,truediv,bwd,div,64x64,1\n",
                             &kernel),
                     FORM_ELEMENTWISE);
    assert_int_equal(form_of("m,train,1,1,5,truediv,fwd,div,64x64,1\n"
                             "m,train,1,1,5,truediv,bwd,div,64x64,1\n"
                             "m,train,1,1,5,truediv,bwd,div,64x64,1\n",
                             &kernel),
                     FORMS);
    assert_int_equal(form_of("m,train,1,1,6,where,fwd,copy,1x64x64 8x64x64 1 8x64x64,1\n"
                             "m,train,1,1,6,where,bwd,copy,1x64x64 8x64x64 1,1\n",
                             &kernel),
                     FORM_BYTES);
    assert_int_equal(kernel.moved.bytes, 8 * 64 * 64 * 4 * 2);
    assert_int_equal(form_of("m,train,1,1,6,where,fwd,copy,1x64x64 8x64x64 1 8x64x64,1\n"
                             "m,train,1,1,6,where,bwd,copy,1x64x64 8x64x64 1,1\n"
                             "m,train,1,1,6,where,bwd,copy,1x64x64 8x64x64 1,1\n",
                             &kernel),
                     FORMS);
}

/* The mask becomes numbers that are scaled, then the gradient is multiplied by them. */
static void the_gradient_of_a_dropout_moves_its_mask_as_numbers(void **state)
{
    struct kernel kernel;
    assert_int_equal(form_of("m,train,1,1,7,h_dropout,fwd,copy,64x64 64x64,1\n"
                             "m,train,1,1,7,h_dropout,bwd,copy,64x64,1\n",
                             &kernel),
                     FORM_BYTES);
    assert_int_equal(kernel.moved.bytes, 64 * 64 * 4 * 3);
}

static void sizes_are_those_of_the_form(void **state)
{
    struct kernel kernel;
    assert_int_equal(form_of("m,i,1,1,1,fc,fwd,linear,4096x1024x512,1\n", &kernel), FORM_LINEAR);
    assert_true(kernel.product.batch == 1 && kernel.product.m == 4096 && kernel.product.reduced == 1024 &&
                kernel.product.n == 512);
    assert_false(kernel.alone);
    form_of("m,i,1,1,1,truediv,fwd,div,64x64,1\n", &kernel);
    assert_int_equal(kernel.elements.accesses, 2); /* by a scalar: one tensor in, one out */
    assert_int_equal(form_of("m,i,1,1,1,x,fwd,swiglu,64x64 64x32,1\n", &kernel), FORM_BYTES);
    assert_int_equal(kernel.moved.bytes, (64 * 64 + 64 * 32) * 4);
    assert_int_equal(form_of("m,i,1,1,1,size,fwd,copy,1 1,1\n", &kernel), FORMS);
}

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_taken_apart),
        cmocka_unit_test(what_makes_no_sense_is_named),
        cmocka_unit_test(a_list_without_its_columns_is_refused),
        cmocka_unit_test(gradients_are_what_they_launch),
        cmocka_unit_test(what_wants_no_gradient_launches_none),
        cmocka_unit_test(the_gradient_of_a_dropout_moves_its_mask_as_numbers),
        cmocka_unit_test(sizes_are_those_of_the_form),
    };
    return cmocka_run_group_tests(tests, NULL, clear);
}
