/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions and uses of Python source, where values go, and what a loop leaves as it is. */
#include "unit/cmocka_first.h"

#include "source_say.h"

/* The lines on which the definitions stand that reach a name. */
static void comes_from(const char *code, const char *use, const char *lines)
{
    struct project *project = run_of(code);
    const struct definition *found[8];
    const uint32_t count = flow_definitions(project, find(project, 0, use), found, 8);
    struct buf buf = {0};
    for (uint32_t i = 0; i < count && i < 8; i++)
        buf_printf(&buf, "%s%u", i ? " " : "",
                   syntax_place(project_tree(project, 0), project_tree(project, 0)->begin[found[i]->name]).line);
    const char *said = str_z(&arena, buf_str(&buf));
    buf_free(&buf);
    project_free(project);
    assert_string_equal(said, lines);
}

static void goes_to(const char *code, const char *expression, uint32_t fate)
{
    struct project *project = run_of(code);
    const uint32_t found = flow_fate(project, find(project, 0, expression));
    project_free(project);
    assert_int_equal(found, fate);
}

static void is_invariant(const char *code, const char *expression, const char *loop, bool expected)
{
    struct project *project = run_of(code);
    const struct syntax *tree = project_tree(project, 0);
    uint32_t at = find(project, 0, loop).node;
    while (tree->kind[at] != SYN_FOR)
        at = tree->parent[at];
    const bool found = flow_invariant(project, find(project, 0, expression), at);
    project_free(project);
    assert_int_equal(found, expected);
}

static void ways_meet(void **state)
{
    comes_from("x = 1\nx = 2\nprint(x)\n", "x", "2");
    comes_from("x = 1\nif a:\n    x = 2\nprint(x)\n", "x", "1 3");
    comes_from("if a:\n    x = 1\nelse:\n    x = 2\nprint(x)\n", "x", "2 4");
    comes_from("def f(a):\n    x = 1\n    if a:\n        x = 2\n        return x\n    print(x)\n", "x", "2");
}

static void loops_bring_both(void **state)
{
    comes_from("x = 1\nfor i in a:\n    y = [x]\n    x = i\n    break\nz = (x, 1)\n", "x", "1 4");
    comes_from("y = 0\nfor y in a:\n    pass\nprint(y)\n", "y", "1 2");
}

static void try_blocks_may_stop_anywhere(void **state)
{
    comes_from("x = 1\ntry:\n    x = 2\n    g()\nexcept E:\n    print(x)\n", "x", "1 3");
}

static void comprehensions_keep_their_names(void **state)
{
    comes_from("x = 1\ny = [x for x in a]\nprint(x)\n", "x", "1");
}

static void changes_of_an_object_are_no_new_definition(void **state)
{
    comes_from("x = []\nfor i in a:\n    x.append(i)\nprint(x)\n", "x", "1");
}

static void values_that_nobody_reads_are_dead(void **state)
{
    goes_to("def f(x):\n    y = x.cpu()\n    del y\n", "x.cpu()", FATE_NONE);
    goes_to("def f(x):\n    y = x.cpu()\n    y = 3\n    return y\n", "x.cpu()", FATE_NONE);
    goes_to("def f(x):\n    x.cpu()\n", "x.cpu()", FATE_NONE);
}

static void values_are_followed(void **state)
{
    goes_to("def f(x):\n    if x.item() > 3:\n        pass\n", "x.item()", FATE_CONTROL);
    goes_to("def f(x):\n    y = x.item()\n    print(f'{y:.3f}')\n", "x.item()", FATE_PRINT);
    goes_to("def f(xs):\n    t = 0\n    for x in xs:\n        t += x.item()\n    return t\n", "x.item()",
            FATE_SUM | FATE_RETURN);
    goes_to("def f(x, a):\n    a.append(x.item())\n", "x.item()", FATE_KEPT);
    goes_to("import numpy as np\ndef f(x):\n    np.save('a', x.numpy())\n", "x.numpy()", FATE_NUMPY);
    goes_to("def f(x, h):\n    return h[:x.item()]\n", "x.item()", FATE_INDEX);
    goes_to("def f(x):\n    raise ValueError(x.item())\n", "x.item()", FATE_CALL | FATE_RAISE);
}

static void what_reaches_a_call_is_used(void **state)
{
    static const char *const calls[] = {"torch.save(y, 'y.pt')",
                                        "torch.distributed.all_reduce(y)",
                                        "torch.nn.init.zeros_(y)",
                                        "torch.testing.assert_close(y, y)",
                                        "torch.utils.dlpack.to_dlpack(y)",
                                        "unknown(y)",
                                        "torch.add(a, a, out=y)",
                                        "torch.save({'y': [y]}, 'y.pt')",
                                        "y.tofile('y')",
                                        "y.add_(1)",
                                        "torch.distributed.all_to_all_single(a, a, y)",
                                        "y.unheard_of()",
                                        "helper(y)"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        goes_to(text("import torch\ndef helper(x):\n    pass\ndef f(x, a):\n    y = x.cpu()\n    %s\n", calls[i]),
                "x.cpu()", FATE_CALL);
    goes_to("import torch\ndef f(x, q):\n    y = x.cpu()\n    q.put(y)\n", "x.cpu()", FATE_KEPT);
    goes_to("import torch\ndef f(x):\n    y = torch.exp(x.cpu())\n", "x.cpu()", FATE_NONE);
    goes_to("import torch\ny = x.cpu()\ndef g():\n    return y\n", "x.cpu()", FATE_OTHER);
}

/* The one use that counts stands behind more than are listed: what is not looked at counts as a use. */
static void the_last_of_many_uses_counts(void **state)
{
    struct buf code = {0};
    buf_add(&code, S("def f(x, a):\n    y = x.cpu()\n"));
    for (int i = 0; i < 2 * FLOW_MOST_USES; i++)
        buf_add(&code, S("    y\n"));
    buf_add(&code, S("    a.append(y)\n"));
    goes_to(str_z(&arena, buf_str(&code)), "x.cpu()", FATE_OTHER);
    buf_free(&code);
}

static void what_a_loop_does_not_change_is_invariant(void **state)
{
    const char *const code = "import torch\n"
                             "def f(xs, c, d, model):\n"
                             "    for x in xs:\n"
                             "        a = c.to(d)\n"
                             "        b = torch.rand(3)\n"
                             "        m = x + c\n"
                             "        d[0] = 1\n"
                             "        e = torch.tensor([1, 2])\n"
                             "        k = model(e)\n";
    is_invariant(code, "torch.tensor([1, 2])", "model(e)", true);
    is_invariant(code, "c", "model(e)", true);
    is_invariant(code, "torch.rand(3)", "model(e)", false);
    is_invariant(code, "x + c", "model(e)", false);
    is_invariant(code, "d[0]", "model(e)", false);
}

static void wrappers_and_effects_are_summed_up(void **state)
{
    struct project *project = run_of("def up(x):\n    return x.cuda()\n"
                                     "def up_all(xs):\n    return [up(x) for x in xs]\n"
                                     "def loud(x):\n    print(x)\n    return x\n"
                                     "def louder(x):\n    return loud(x)\n"
                                     "def plain(x):\n    return x + 1\n"
                                     "def puts(xs, x):\n    xs.append(x)\n");
    assert_true(summary_of(project, 1)->upload_wrapper);
    assert_true(summary_of(project, 2)->upload_wrapper);
    assert_true(summary_of(project, 4)->effects & EFFECT_IO);
    assert_true(summary_pure(summary_of(project, 5)));
    assert_int_equal(summary_of(project, 6)->mutated, 1);
    project_free(project);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(ways_meet, clear),
        cmocka_unit_test_teardown(loops_bring_both, clear),
        cmocka_unit_test_teardown(try_blocks_may_stop_anywhere, clear),
        cmocka_unit_test_teardown(comprehensions_keep_their_names, clear),
        cmocka_unit_test_teardown(changes_of_an_object_are_no_new_definition, clear),
        cmocka_unit_test_teardown(values_that_nobody_reads_are_dead, clear),
        cmocka_unit_test_teardown(values_are_followed, clear),
        cmocka_unit_test_teardown(what_reaches_a_call_is_used, clear),
        cmocka_unit_test_teardown(the_last_of_many_uses_counts, clear),
        cmocka_unit_test_teardown(what_a_loop_does_not_change_is_invariant, clear),
        cmocka_unit_test_teardown(wrappers_and_effects_are_summed_up, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
