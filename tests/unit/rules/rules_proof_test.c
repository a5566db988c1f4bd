/* SPDX-License-Identifier: Apache-2.0 */
/* What a finding rests on: each link with its places, the lines of the snippet from the origin on. */
#include "rules_case.h"

/* "device holds 3 5; pace holds 6 9; gain holds" of the first finding of the rule. */
static str links_of(struct arena *arena, const struct project *project, const char *rule)
{
    static const char *const names[] = {"device", "pace", "gain"}, *const words[] = {"missing", "perhaps", "holds"};
    const struct check check = {project, 0, project_tree(project, 0), arena};
    const struct matches found = rules_check(&check, UINT64_MAX);
    str text = S("");
    for (uint32_t i = 0; i < found.count && !text.len; i++) {
        if (strcmp(found.at[i].rule->id, rule) != 0)
            continue;
        for (int l = 0; l < LINKS; l++) {
            const struct proof_link *link = &found.at[i].proof.link[l];
            assert_true(link->text.len > 0);
            text =
                str_printf(arena, "%.*s%s%s %s", (int)text.len, text.at, l ? "; " : "", names[l], words[link->holds]);
            for (uint32_t p = 0; p < link->count; p++) {
                const struct site site = link->places[p].site;
                const struct syntax *tree = project_tree(project, site.file);
                text = str_printf(arena, "%s %u", text.at, syntax_place(tree, tree->begin[site.node]).line);
            }
        }
    }
    return text;
}

static void expect_links(const char *rule, const char *source, const char *links)
{
    struct arena arena = {0};
    const struct snippet snippet = snippet_of(str_of(source));
    struct project *project = project_new(snippet.files, snippet.count, NULL);
    assert_string_equal(str_z(&arena, links_of(&arena, project, rule)), links);
    project_free(project);
    arena_free(&arena);
}

static void from_the_move_of_a_network_through_calls(void **state)
{
    (void)state;
    expect_links("ST401",
                 "import torch\n"
                 "device = torch.device('cuda')\n"
                 "net = torch.nn.Linear(2, 2).to(device)\n"
                 "def note(loss, rows):\n"
                 "    rows.append(loss.item())\n"
                 "def main(loader, rows, optimizer):\n"
                 "    for x in loader:\n"
                 "        loss = net(x.to(device, non_blocking=True)).sum()\n"
                 "        loss.backward()\n"
                 "        optimizer.step()\n"
                 "        note(loss, rows)\n",
                 "device holds 3 3 8 11; pace holds 7 11; gain holds 8");
}

static void what_frameworks_promise_is_an_origin(void **state)
{
    (void)state;
    expect_links("ST401",
                 "from transformers import Trainer\n"
                 "class Mine(Trainer):\n"
                 "    def compute_loss(self, model, inputs, return_outputs=False):\n"
                 "        loss = model(**inputs).loss\n"
                 "        self.seen = loss.item()\n"
                 "        return loss\n",
                 "device holds 3 4; pace holds 2; gain holds");
    expect_links("ST401",
                 "import torch\n"
                 "import lightning.pytorch as pl\n"
                 "class Net(pl.LightningModule):\n"
                 "    def __init__(self):\n"
                 "        super().__init__()\n"
                 "        self.net = torch.nn.Linear(2, 2)\n"
                 "    def training_step(self, batch, i):\n"
                 "        loss = self.net(batch).sum()\n"
                 "        self.kept = loss.item()\n"
                 "        return loss\n",
                 "device holds 3 6 8; pace holds 3; gain holds");
}

#define LOOP \
    "import torch\n" \
    "net = torch.nn.Linear(2, 2).cuda()\n" \
    "def main(loader, rows, optimizer, verbose=False):\n" \
    "    for i, x in enumerate(loader):\n" \
    "        loss = net(x.cuda(non_blocking=True)).sum()\n" \
    "        optimizer.zero_grad()\n" \
    "        loss.backward()\n" \
    "        optimizer.step()\n"

static void what_breaks_a_link_is_its_place(void **state)
{
    (void)state;
    expect_links("ST401",
                 LOOP "        if i % 10 == 0:\n"
                      "            rows.append(loss.item())\n",
                 "device holds 2 2 5; pace missing 9; gain holds 5");
    expect_links("ST401", /* what follows each tenth step is no launch of each: the next round has it */
                 LOOP "        rows.append(loss.item())\n"
                      "        if i % 10 == 0:\n"
                      "            rows.append(net(x.cuda()).sum())\n",
                 "device holds 2 2 5; pace holds 4; gain holds 5");
    expect_links("ST401",
                 LOOP "        value = loss.item()\n"
                      "        if value < 0.1:\n"
                      "            break\n",
                 "device holds 2 2 5; pace holds 4; gain missing 9");
}

static void of_two_waits_one_is_free(void **state)
{
    (void)state;
    expect("ST4", LOOP "        rows.append(loss.item())  # ST409\n"
                       "        rows.append(3)\n"
                       "        rows.append(loss.detach().item())  # ST409 note\n"
                       "        print(len(rows))\n"
                       "        rows.append(loss.item())  # ST409 note\n");
    expect("ST4", LOOP "        rows.append(loss.item())  # ST409\n"
                       "        size = net(loss.expand(2)).sum()\n"
                       "        rows.append(size.item())  # ST409\n");
    expect("ST4", LOOP "        for row in rows:\n"
                       "            rows.append(loss.item())  # ST401\n"
                       "        rows.append(loss.detach().item())  # ST401\n");
}

static void a_wait_that_stays_makes_the_other_free(void **state)
{
    (void)state;
    expect("ST401", LOOP "        rows.append(loss.item())  # ST401 note\n"
                         "        if loss.item() < 0.1:  # ST401 note\n"
                         "            break\n");
}

static void a_step_that_accumulates_is_a_step(void **state)
{
    (void)state;
    expect("ST401", "import torch\n"
                    "net = torch.nn.Linear(2, 2).cuda()\n"
                    "def main(loader, rows, optimizer, every):\n"
                    "    for i, x in enumerate(loader):\n"
                    "        loss = net(x.cuda()).sum()\n"
                    "        loss.backward()\n"
                    "        if (i + 1) % every == 0:\n"
                    "            optimizer.step()\n"
                    "            optimizer.zero_grad()\n"
                    "            rows.append(loss.item())  # ST401\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_move_of_a_network_through_calls),
        cmocka_unit_test(what_frameworks_promise_is_an_origin),
        cmocka_unit_test(what_breaks_a_link_is_its_place),
        cmocka_unit_test(of_two_waits_one_is_free),
        cmocka_unit_test(a_wait_that_stays_makes_the_other_free),
        cmocka_unit_test(a_step_that_accumulates_is_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
