/* SPDX-License-Identifier: Apache-2.0 */
/* A batch found and changed: a model made with one batch and scaled is the model made with the other, operator by operator. */
#include "unit/cmocka_first.h"

#include <string.h>

#include "program/dlrm.h"
#include "predict/question/batch.h"

static struct arena arena;

static int end(void **state)
{
    arena_free(&arena);
    return 0;
}

static struct program model(const char *name, int64_t batch)
{
    struct dlrm dlrm;
    struct steptime_error err = {0};
    if (!dlrm_find(str_of(name), &arena, &dlrm, &err))
        fail_msg("%s", err.message);
    dlrm.batch = batch;
    return program_of_dlrm(&dlrm, &arena);
}

static str without_blanks(str text)
{
    char *out = arena_alloc(&arena, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] != ' ')
            out[len++] = text.at[i];
    return (str){out, len};
}

static void scaled_is_made(const char *name, int64_t from, int64_t to)
{
    const struct program original = model(name, from), wanted = model(name, to);
    const struct batch batch = batch_of(&original);
    assert_int_equal(batch.size, from);
    const struct program scaled = batch_scaled(&original, from, to, &arena);
    assert_int_equal(scaled.count, wanted.count);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < scaled.count; i++) {
        const str is = without_blanks(scaled.ops[i].arguments.dims),
                  want = without_blanks(wanted.ops[i].arguments.dims);
        if (str_eq(is, want))
            continue;
        print_message("%s %.*s (%u): %.*s, not %.*s\n", name, (int)scaled.ops[i].name.len, scaled.ops[i].name.at, i,
                      (int)is.len, is.at, (int)want.len, want.at);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void models_of_another_batch_are_models_of_that_batch(void **state)
{
    const char *const names[] = {"default", "mlperf", "ddp"};
    for (int i = 0; i < 3; i++) {
        scaled_is_made(names[i], 2048, 4096);
        scaled_is_made(names[i], 2048, 512);
        scaled_is_made(names[i], 4096, 1000);
    }
}

/* ---- which size ---- */

struct call {
    const char *name, *dims;
};

/* A forward pass of these calls, `times` over. */
static struct batch batch_of_calls(const struct call *calls, uint32_t count, uint32_t times)
{
    struct program_op *ops = arena_array(&arena, (size_t)count * times, sizeof *ops);
    for (uint32_t i = 0; i < count * times; i++) {
        const struct call *call = &calls[i % count];
        ops[i] = (struct program_op){.name = str_of(call->name),
                                     .arguments = {.dims = str_of(call->dims)},
                                     .parent = OP_NONE,
                                     .end = i + 1,
                                     .forward = OP_NONE,
                                     .phase = PHASE_FORWARD,
                                     .family = (uint8_t)operator_family(str_of(call->name))};
    }
    const struct program program = {.ops = ops, .count = count * times};
    return batch_of(&program);
}

#define BATCH_OF(...) \
    batch_of_calls((const struct call[]){__VA_ARGS__}, \
                   sizeof((const struct call[]){__VA_ARGS__}) / sizeof(struct call), 4)

/* Rows of products are batch x sequence, of which there are more than of the tensors that show both. */
static void rows_that_are_tokens_do_not_hide_the_batch(void **state)
{
    const struct batch batch = BATCH_OF({"aten::addmm", "[[768], [1600, 768], [768, 768]]"},
                                        {"aten::addmm", "[[768], [1600, 768], [768, 768]]"},
                                        {"aten::addmm", "[[3072], [1600, 768], [768, 3072]]"},
                                        {"aten::native_layer_norm", "[[16, 100, 768], [], [768], [768], []]"});
    assert_int_equal(batch.size, 16);
    assert_int_equal(batch.doubt, BATCH_TOLD);
}

/* Heads, width and batch are all 16 or a multiple of it. */
static void a_batch_that_equals_other_sizes_is_told_by_its_place(void **state)
{
    const struct batch batch =
        BATCH_OF({"aten::mul", "[[16, 16, 100, 64], [1, 1, 100, 64]]"},
                 {"aten::bmm", "[[256, 100, 64], [256, 64, 100]]"}, {"aten::addmm", "[[16], [1600, 16], [16, 16]]"});
    assert_int_equal(batch.size, 16);
}

static void samples_of_a_plain_network_are_rows(void **state)
{
    assert_int_equal(BATCH_OF({"aten::addmm", "[[512], [2048, 13], [13, 512]]"}, {"aten::relu", "[[2048, 512]]"},
                              {"aten::addmm", "[[1], [2048, 512], [512, 1]]"})
                         .size,
                     2048);
}

static void images_one_by_one_are_a_batch_of_one(void **state)
{
    assert_int_equal(BATCH_OF({"aten::cudnn_convolution", "[[1, 3, 224, 224], [64, 3, 7, 7]]"},
                              {"aten::relu", "[[1, 64, 112, 112]]"}, {"aten::addmm", "[[10], [49, 64], [64, 10]]"})
                         .size,
                     1);
}

/* Sequences of any length, one after the other. */
static void packed_sequences_have_no_batch_to_be_told(void **state)
{
    const struct batch batch = BATCH_OF({"aten::mm", "[[15360, 4096], [4096, 6144]]"},
                                        {"aiter::mha_batch_prefill", "[[15360, 32, 128], [835874, 8, 128]]"},
                                        {"aten::mm", "[[15360, 4096], [4096, 4096]]"});
    assert_int_equal(batch.size, 0);
    assert_int_equal(batch.doubt, BATCH_PACKED);
    assert_int_equal(batch.seen, 15360);
}

/* The attention itself is an operator of nobody's, but positions are turned for one. */
static void rows_beside_attention_may_be_tokens(void **state)
{
    const struct batch batch = BATCH_OF({"aten::addmm", "[[640], [888, 2880], [2880, 640]]"},
                                        {"_C::rotary_embedding", "[[888], [888, 512], [888, 64]]"});
    assert_int_equal(batch.size, 0);
    assert_int_equal(batch.doubt, BATCH_PACKED);
}

static void two_networks_of_different_batches_are_refused(void **state)
{
    const struct batch batch =
        BATCH_OF({"aten::mul", "[[64, 7, 256], [64, 7, 256]]"}, {"aten::mul", "[[64, 7, 256], [64, 7, 256]]"},
                 {"aten::cudnn_convolution", "[[1, 3, 1024, 1024], [1280, 3, 16, 16]]"});
    assert_int_equal(batch.size, 0);
    assert_int_equal(batch.doubt, BATCH_SEVERAL);
    assert_int_equal(batch.seen, 64);
    assert_int_equal(batch.other, 1);
}

/* steps x batch x width: 35 steps, 20 sequences, 2 heads. */
static void steps_in_front_are_not_the_batch(void **state)
{
    const struct batch attended =
        BATCH_OF({"aten::native_layer_norm", "[[35, 20, 200], [], [200], [200], []]"},
                 {"aten::addmm", "[[200], [700, 200], [200, 200]]"}, {"aten::mul", "[[35, 20, 200], []]"},
                 {"aten::bmm", "[[40, 35, 100], [40, 100, 35]]"});
    assert_int_equal(attended.size, 0);
    assert_int_equal(attended.doubt, BATCH_BEHIND);
    assert_int_equal(attended.other, 20);
    const struct batch recurrent =
        BATCH_OF({"aten::_cudnn_rnn", "[[35, 20, 650], [], [], [2, 20, 650], [2, 20, 650]]"},
                 {"aten::mul", "[[35, 20, 650], []]"}, {"aten::addmm", "[[650], [700, 650], [650, 650]]"});
    assert_int_equal(recurrent.doubt, BATCH_BEHIND);
    assert_int_equal(recurrent.other, 20);
}

/* The same with the batch first. */
static void a_batch_in_front_of_steps_is_told(void **state)
{
    assert_int_equal(BATCH_OF({"aten::_cudnn_rnn", "[[20, 35, 650], [], [], [2, 20, 650], [2, 20, 650]]"},
                              {"aten::mul", "[[20, 35, 650], []]"}, {"aten::addmm", "[[650], [700, 650], [650, 650]]"})
                         .size,
                     20);
}

static void nothing_with_sizes_has_no_batch(void **state)
{
    assert_int_equal(BATCH_OF({"aten::relu", "[[]]"}, {"aten::mm", ""}).doubt, BATCH_UNSEEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_another_batch_are_models_of_that_batch),
        cmocka_unit_test(rows_that_are_tokens_do_not_hide_the_batch),
        cmocka_unit_test(a_batch_that_equals_other_sizes_is_told_by_its_place),
        cmocka_unit_test(samples_of_a_plain_network_are_rows),
        cmocka_unit_test(images_one_by_one_are_a_batch_of_one),
        cmocka_unit_test(packed_sequences_have_no_batch_to_be_told),
        cmocka_unit_test(rows_beside_attention_may_be_tokens),
        cmocka_unit_test(two_networks_of_different_batches_are_refused),
        cmocka_unit_test(steps_in_front_are_not_the_batch),
        cmocka_unit_test(a_batch_in_front_of_steps_is_told),
        cmocka_unit_test(nothing_with_sizes_has_no_batch),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
