/* SPDX-License-Identifier: Apache-2.0 */
/* The text of fitted coefficients: written and read back it is the same, and what does not fit is refused by line. */
#include "unit/cmocka_first.h"

#include "io/writer.h"
#include "model/estimate/built_in.h"
#include "model/estimate/coefficients.h"
#include "model/families/families.h"

static struct arena arena;
static const struct catalogue *catalogue;
static const struct family *gemm;

static int begin(void **state)
{
    catalogue = catalogue_built_in();
    gemm = kernel_family_of_name(S("gemm"));
    return 0;
}

static int end(void **state)
{
    arena_free(&arena);
    return 0;
}

static bool read_text(str text, struct family_model *model, struct steptime_error *err)
{
    *model = (struct family_model){.family = gemm};
    return coefficients_read(text, 1, S("x.txt"), catalogue, &arena, model, err);
}

/* A file with one group of one set, with `more` after it. */
static str small_file(const char *more)
{
    str text = S("family gemm\ngroup bmm\ncarry pooled\nset *\nrows 10\nerror 0.1\n");
    for (uint32_t i = 0; i < gemm->parameter_count; i++)
        text = str_printf(&arena, "%.*s%s %.6g\n", (int)text.len, text.at, gemm->parameters[i].name,
                          gemm->parameters[i].start);
    return str_printf(&arena, "%.*s%s", (int)text.len, text.at, more);
}

static str written(const struct family_model *model)
{
    struct writer *out = writer_to_memory();
    coefficients_write(model, out);
    const str text = str_copy(&arena, writer_text(out));
    writer_abandon(out);
    return text;
}

static void what_is_built_in_reads_and_writes_the_same(void **state)
{
    for (uint32_t i = 0; i < family_count; i++) {
        const str text = {family_rows[i].text, *family_rows[i].text_bytes};
        struct family_model model = {.family = family_rows[i].family}, again = model;
        struct steptime_error err;
        if (!coefficients_read(text, 1, S("built in"), catalogue, &arena, &model, &err))
            fail_msg("%s: %s", family_rows[i].family->name, err.message);
        if (!text.len)
            continue;
        const str once = written(&model);
        assert_true(coefficients_read(once, 1, S("again"), catalogue, &arena, &again, &err));
        assert_true(str_eq(once, written(&again)));
        assert_true(str_eq(once, text));
    }
}

/* The program reads residuals when they are evaluated, this test at once. */
static void what_is_read_when_asked_is_the_same(void **state)
{
    for (uint32_t i = 0; i < family_count; i++) {
        const str text = {family_rows[i].text, *family_rows[i].text_bytes};
        assert_ptr_equal(built_in_family(i)->family, family_rows[i].family);
        assert_ptr_equal(built_in_family(i), built_in_family(i));
        if (text.len)
            assert_true(str_eq(written(built_in_family(i)), text));
    }
}

static void refused(str text, const char *why)
{
    struct family_model model;
    struct steptime_error err;
    assert_false(read_text(text, &model, &err));
    if (!strstr(err.message, why))
        fail_msg("'%s' is not in '%s'", why, err.message);
}

static void a_width_stands_behind_its_coefficient(void **state)
{
    struct family_model model, again;
    const str text = small_file("set NVIDIA T4\nrows 9\nerror 0.1\n");
    str whole = text;
    for (uint32_t i = 0; i < gemm->parameter_count; i++)
        whole = str_printf(&arena, "%.*s%s %.6g %s\n", (int)whole.len, whole.at, gemm->parameters[i].name,
                           gemm->parameters[i].start, i ? "0.25" : "");
    assert_true(read_text(whole, &model, NULL));
    assert_true(model.groups[0].sets[0].width[1] == 0);
    assert_true(model.groups[0].sets[1].width[0] == 0);
    assert_true(model.groups[0].sets[1].width[1] == 0.25);
    assert_true(read_text(written(&model), &again, NULL));
    assert_true(again.groups[0].sets[1].width[1] == 0.25);
}

static void what_does_not_fit_is_refused_by_line(void **state)
{
    struct family_model model;
    refused(small_file("efficiency 0.9 wide\n"), "efficiency");
    assert_true(read_text(small_file(""), &model, NULL));
    assert_int_equal(model.group_count, 1);
    refused(S("family other\n"), "line 1: family");
    refused(S("family gemm\nrows 3\n"), "line 2: rows stands before");
    refused(S("family gemm\ngroup a\nset Tesla T4\n"), "line 3: set *");
    refused(S("family gemm\ngroup a\nset *\nset Tesla T4\n"), "is missing");
    refused(S("family gemm\ngroup a\nset *\n"), "is missing");
    refused(S("family gemm\ngroup a\ncarry somehow\n"), "line 3: carry");
    refused(S("family gemm\nnonsense 1\n"), "line 2: nonsense");
    refused(small_file("floor_us 1e9\n"), "floor_us is no number in the range");
    refused(small_file("floor_us nan\n"), "floor_us is no number in the range");
    refused(small_file("tree 0<1\n"), "tree");
    refused(small_file("speed 1\n"), "speed is no coefficient");
}

/* Cut anywhere and with any byte changed, a file is read or refused, nothing else. */
static void damage_is_survived(void **state)
{
    struct arena scratch = {0};
    const str text = small_file("tree 3<0.4375 -0.02 0<7.5 0.011 0.034\n");
    char *copy = arena_alloc(&scratch, text.len);
    for (size_t i = 0; i < text.len; i++) {
        struct family_model model = {.family = gemm};
        struct arena own = {0};
        memcpy(copy, text.at, text.len);
        copy[i] ^= 1 << i % 8;
        coefficients_read((str){copy, text.len}, 1, S("x"), catalogue, &own, &model, NULL);
        model = (struct family_model){.family = gemm};
        coefficients_read((str){text.at, i}, 1, S("x"), catalogue, &own, &model, NULL);
        arena_free(&own);
    }
    arena_free(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_built_in_reads_and_writes_the_same),
        cmocka_unit_test(what_is_read_when_asked_is_the_same),
        cmocka_unit_test(a_width_stands_behind_its_coefficient),
        cmocka_unit_test(what_does_not_fit_is_refused_by_line),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
