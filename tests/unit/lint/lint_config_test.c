/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/cmocka_first.h"

#include "lint/config.h"
#include "rules/families/rules.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

static struct config good(const char *text)
{
    struct config config;
    struct steptime_error err = {0};
    if (!config_read(&arena, S("p/pyproject.toml"), str_of(text), &config, &err))
        fail_msg("%s", err.message);
    return config;
}

static void bad(const char *text, const char *message)
{
    struct config config;
    struct steptime_error err = {0};
    assert_false(config_read(&arena, S("p/pyproject.toml"), str_of(text), &config, &err));
    assert_string_equal(err.message, message);
    assert_string_equal(err.path, "p/pyproject.toml");
}

static void patterns_of_paths(void **state)
{
    assert_true(path_matches(S("a/b/c.py"), S("c.py")));
    assert_true(path_matches(S("a/b/c.py"), S("*.py")));
    assert_true(path_matches(S("a/b/c.py"), S("b")));
    assert_true(path_matches(S("a/b/c.py"), S("b/")));
    assert_true(path_matches(S("a/b/c.py"), S("a/b")));
    assert_true(path_matches(S("a/b/c.py"), S("a/*/c.py")));
    assert_true(path_matches(S("a/b/c/d.py"), S("a/**/d.py")));
    assert_true(path_matches(S("a/d.py"), S("a/**/d.py")));
    assert_true(path_matches(S("a/b/c/d.py"), S("**/c/*.py")));
    assert_true(path_matches(S("./a/b.py"), S("a/b.py")));
    assert_true(path_matches(S("a/test_x.py"), S("test_?.py")));
    assert_false(path_matches(S("a/b/c.py"), S("a/*.py")));
    assert_false(path_matches(S("a/b/c.py"), S("b/c.py")));
    assert_false(path_matches(S("a/b/c.py"), S("c")));
    assert_false(path_matches(S("ab/c.py"), S("a")));
    assert_false(path_matches(S("a/c.py"), S("")));
}

static void hostile_patterns_end(void **state)
{
    char path[4096], pattern[512];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = 0;
    for (size_t i = 0; i + 2 < sizeof pattern; i += 2)
        memcpy(pattern + i, "*a", 2);
    pattern[sizeof pattern - 2] = 'b';
    pattern[sizeof pattern - 1] = 0;
    assert_false(path_matches(str_of(path), str_of(pattern)));
}

static void a_configuration_is_read(void **state)
{
    const struct config config = good("[tool.other]\nx = {y = 1}\n[tool.steptime]\nexclude = ['third/', '*_test.py']\n"
                                      "fail-on = 'error'\nupload = ['to_gpu']\nread-back = 'to_host'\n");
    assert_int_equal(config.fail_on, FAIL_ON_ERROR);
    assert_int_equal(config.exclude.count, 2);
    assert_true(str_eq(config.upload.at[0], S("to_gpu")));
    assert_true(str_eq(config.read_back.at[0], S("to_host")));
}

static void what_it_does_not_know_is_refused_with_its_line(void **state)
{
    bad("[tool.steptime]\nselcet = []\n", "line 2: [tool.steptime] has no 'selcet'; did you mean 'select'?");
    bad("[tool.steptime]\nfail-on = 'loud'\n", "line 2: fail-on is \"note\", \"warning\", \"error\" or \"never\"");
    bad("[tool.steptime]\nignore = ['ST9999']\n", "line 2: there is no rule 'ST9999'");
    bad("[tool.steptime]\nexclude = 3\n", "line 2: exclude takes a list of texts");
    bad("[tool.steptime\n", "line 1: a table's name is not closed by ]");
}

static void rules_are_chosen(void **state)
{
    struct config config = good("[tool.steptime]\nselect = ['ST2', 'element-access']\n"
                                "[tool.steptime.per-file-ignores]\n'old/' = ['ST201']\n");
    const uint64_t here = config_rules(&config, S("new/a.py")), old = config_rules(&config, S("old/a.py"));
    for (uint32_t i = 0; rules[i]; i++) {
        const bool chosen = str_starts(str_of(rules[i]->id), S("ST2")) || !strcmp(rules[i]->id, "ST101");
        assert_int_equal(here >> i & 1, chosen);
        assert_int_equal(old >> i & 1, chosen && strcmp(rules[i]->id, "ST201"));
    }
    config = good("");
    assert_int_equal(config_rules(&config, S("a.py")), (UINT64_C(1) << rule_count()) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(patterns_of_paths, clear),
        cmocka_unit_test_teardown(hostile_patterns_end, clear),
        cmocka_unit_test_teardown(a_configuration_is_read, clear),
        cmocka_unit_test_teardown(what_it_does_not_know_is_refused_with_its_line, clear),
        cmocka_unit_test_teardown(rules_are_chosen, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
