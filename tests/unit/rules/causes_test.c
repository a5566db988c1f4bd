/* SPDX-License-Identifier: Apache-2.0 */
/* One finding a cause: which matches are places of which, told as "line: line line; " for each finding that has several. */
#include "unit/cmocka_first.h"

#include "rules/families/causes.h"
#include "source/paces/project_new.h"

#define TRAIN(lines) \
    "import torch\n" \
    "model = torch.nn.Linear(4, 2).cuda()\n" \
    "optimizer = torch.optim.Adam(model.parameters())\n" \
    "def train(loader, losses, other):\n" \
    "    for x, y in loader:\n" lines "        optimizer.step()\n" \
    "train(torch.utils.data.DataLoader([1], num_workers=2), [], [])\n"

static str told(struct arena *arena, const struct matches *found, const struct syntax *tree)
{
    str list = S("");
    for (uint32_t i = 0; i < found->count; i++) {
        const struct match *match = &found->at[i];
        if (match->cause || !match->also)
            continue;
        list = str_printf(arena, "%.*s%u:", (int)list.len, list.at, syntax_place(tree, match->begin).line);
        for (const struct match *at = match->also; at; at = at->also) {
            assert_ptr_equal(at->cause, match);
            list = str_printf(arena, "%.*s %u", (int)list.len, list.at, syntax_place(tree, at->begin).line);
        }
        list = str_printf(arena, "%.*s; ", (int)list.len, list.at);
    }
    return list;
}

static void joined(const char *text, const char *wanted, int64_t left_out)
{
    struct arena arena = {0};
    const struct project_source source = {S("case.py"), str_of(text)};
    struct project *project = project_new(&source, 1, NULL);
    const struct check check = {project, 0, project_tree(project, 0), &arena};
    const struct matches found = rules_check(&check, UINT64_MAX);
    bool *out = arena_array(&arena, found.count, sizeof *out);
    for (uint32_t i = 0; i < found.count; i++)
        out[i] = syntax_place(check.tree, found.at[i].begin).line == left_out;
    if (left_out)
        causes_leave_out(found, out);
    assert_string_equal(str_z(&arena, told(&arena, &found, check.tree)), wanted);
    project_free(project);
    arena_free(&arena);
}

static void copies_of_one_batch_are_one(void **state)
{
    (void)state;
    joined(TRAIN("        x = x.cuda()\n"
                 "        y = y.cuda()\n"
                 "        loss = model(x).sum() + y.sum()\n"
                 "        loss.backward()\n"),
           "6: 7; ", 0);
    joined(TRAIN("        loss = model(x.cuda()).sum() + y.cuda().sum()\n"
                 "        loss.backward()\n"),
           "6: 6; ", 0);
    joined(TRAIN("        loss = model(x.cuda()).sum()\n"
                 "        loss.backward()\n"
                 "        y = y.cuda()\n"),
           "", 0);
}

#define READ \
    TRAIN("        loss = model(x.cuda()).sum()\n" \
          "        loss.backward()\n" \
          "        losses.append(loss.item())\n" \
          "        print('a step')\n" \
          "        print('loss', loss)\n" \
          "        with torch.no_grad():\n" \
          "            other.append(loss.item())\n")

static void reads_with_host_code_between_are_one(void **state)
{
    (void)state;
    joined(READ, "8: 10 12; ", 0);
    joined(TRAIN("        loss = model(x.cuda()).sum()\n"
                 "        losses.append(loss.item())\n"
                 "        loss.backward()\n"
                 "        other.append(loss.item())\n"),
           "", 0);
    joined(TRAIN("        loss = model(x.cuda()).sum()\n"
                 "        loss.backward()\n"
                 "        losses.append(loss.item())\n"
                 "        other.append(model(x.cuda()).sum().item())\n"),
           "", 0);
}

static void what_is_silenced_is_no_place(void **state)
{
    (void)state;
    joined(READ, "8: 12; ", 10);
    joined(READ, "10: 12; ", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_one_batch_are_one),
        cmocka_unit_test(reads_with_host_code_between_are_one),
        cmocka_unit_test(what_is_silenced_is_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
