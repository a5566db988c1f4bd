/* SPDX-License-Identifier: Apache-2.0 */
/* What a finding rests on: each link with its places, the lines of the snippet from the origin on. */
#include <stdio.h>

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

/* A step that no loop calls, and one that a loop calls through another function. */
static void a_step_is_shown_by_the_loop_that_calls_it(void **state)
{
    static const char step[] = "import torch\n"
                               "net = torch.nn.Linear(2, 2).cuda()\n"
                               "def update(x, optimizer, seen):\n"
                               "    loss = net(x.cuda(non_blocking=True)).sum()\n"
                               "    seen.append(loss.item())\n"
                               "    loss.backward()\n"
                               "    optimizer.step()\n";
    char source[1024];
    (void)state;
    expect_links("ST409", step, "device holds 2 2 4; pace perhaps 6; gain holds 6");
    snprintf(source, sizeof source, "%s%s", step,
             "def main(loader, optimizer, seen):\n"
             "    for x in loader:\n"
             "        update(x, optimizer, seen)\n");
    expect_links("ST409", source, "device holds 2 2 4; pace holds 9 10 6; gain holds 6");
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

#define TRAINED(model, loss) \
    "def main(loader, rows, optimizer):\n" \
    "    model = " model "\n" \
    "    for x in loader:\n" \
    "        loss = " loss "\n" \
    "        loss.backward()\n" \
    "        optimizer.step()\n" \
    "        rows.append(loss.item())\n"

static void through_what_a_sum_was_before(void **state)
{
    (void)state;
    expect_links("ST401",
                 "import torch\n"
                 "def score(out, count):\n"
                 "    total = 0\n"
                 "    total += out.mean()\n"
                 "    total /= count\n"
                 "    return total\n" TRAINED("torch.nn.Linear(2, 2).cuda()", "score(model(x), 3)"),
                 "device holds 8 8 10 4 5 6 10; pace holds 9; gain holds 10");
}

static void through_the_part_that_is_meant(void **state)
{
    (void)state;
    expect_links("ST401",
                 "import torch\n"
                 "def both(model, x):\n"
                 "    other = torch.ones(3, device='cuda')\n"
                 "    return other, model(x).sum()\n"
                 "def parts(pair):\n"
                 "    first, second = pair\n"
                 "    return {'first': first, 'second': second}\n" TRAINED("torch.nn.Linear(2, 2).cuda()",
                                                                           "parts(both(model, x))['second']"),
                 "device holds 9 9 11 4 11 6 7 11; pace holds 10; gain holds 12");
    expect_links("ST401",
                 "import torch\n"
                 "class Out:\n"
                 "    def __init__(self, other, loss):\n"
                 "        self.other = other\n"
                 "        self.loss = loss\n"
                 "def run(model, x):\n"
                 "    return Out(torch.ones(3, device='cuda'), model(x).sum())\n" TRAINED(
                     "torch.nn.Linear(2, 2).cuda()", "run(model, x).loss"),
                 "device holds 9 9 11 7 5 11; pace holds 10; gain holds 12");
}

static void from_the_call_that_was_gone_into(void **state)
{
    (void)state;
    expect_links(
        "ST401",
        "import torch\n"
        "def half(x):\n"
        "    return x / 2\n"
        "other = half(torch.ones(3, device='cuda'))\n" TRAINED("torch.nn.Linear(2, 2).cuda()", "half(model(x).sum())"),
        "device holds 6 6 8 3 8; pace holds 7; gain holds 8");
}

static void from_the_network_that_has_it(void **state)
{
    (void)state;
    expect_links("ST401",
                 "import torch\n"
                 "class Trainer:\n"
                 "    def __init__(self, name, optimizer):\n"
                 "        self.model = make(name)\n"
                 "        self.optimizer = optimizer\n"
                 "        self.place()\n"
                 "    def place(self):\n"
                 "        self.model.to('cuda')\n"
                 "    def fit(self, loader, rows):\n"
                 "        for x in loader:\n"
                 "            loss = self.model(x).sum()\n"
                 "            loss.backward()\n"
                 "            self.optimizer.step()\n"
                 "            rows.append(loss.item())\n",
                 "device holds 8 11; pace holds 10; gain holds 11");
}

static void from_what_sets_the_default(void **state)
{
    (void)state;
    expect_links("ST401",
                 "import torch\n"
                 "torch.set_default_device('cuda')\n" TRAINED("make()", "torch.rand(3).sum()"),
                 "device holds 2 6 6; pace holds 5; gain holds 6");
}

static void a_network_behind_a_wrapper_is_run_by_the_step(void **state)
{
    (void)state;
    expect_links("ST401",
                 "import torch, parallel\n"
                 "class Net(torch.nn.Module):\n"
                 "    def __init__(self):\n"
                 "        super().__init__()\n"
                 "        self.a = torch.nn.Linear(1, 1)\n"
                 "    def forward(self, x):\n"
                 "        print(x.sum().item())\n"
                 "        return self.a(x)\n"
                 "def train(loader):\n"
                 "    model = parallel.wrap(Net().cuda())\n"
                 "    opt = torch.optim.SGD(model.parameters(), 1)\n"
                 "    for x in loader:\n"
                 "        loss = model(x.cuda()).sum()\n"
                 "        loss.backward()\n"
                 "        opt.step()\n",
                 "device holds 10 6; pace holds 12 13 6; gain holds 8");
}

static void a_loader_is_gone_over_by_the_loop_that_trains(void **state)
{
    (void)state;
    expect_links("ST602",
                 "import torch\n"
                 "def train(data):\n"
                 "    net = torch.nn.Linear(1, 1).cuda()\n"
                 "    opt = torch.optim.SGD(net.parameters(), 1)\n"
                 "    loader = torch.utils.data.DataLoader(data, num_workers=2)\n"
                 "    for x in loader:\n"
                 "        net(x.cuda(non_blocking=True)).sum().backward()\n"
                 "        opt.step()\n",
                 "device holds 7; pace holds 6; gain holds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_behind_a_wrapper_is_run_by_the_step),
        cmocka_unit_test(a_loader_is_gone_over_by_the_loop_that_trains),
        cmocka_unit_test(from_the_move_of_a_network_through_calls),
        cmocka_unit_test(a_step_is_shown_by_the_loop_that_calls_it),
        cmocka_unit_test(what_frameworks_promise_is_an_origin),
        cmocka_unit_test(what_breaks_a_link_is_its_place),
        cmocka_unit_test(of_two_waits_one_is_free),
        cmocka_unit_test(a_wait_that_stays_makes_the_other_free),
        cmocka_unit_test(a_step_that_accumulates_is_a_step),
        cmocka_unit_test(through_what_a_sum_was_before),
        cmocka_unit_test(through_the_part_that_is_meant),
        cmocka_unit_test(from_the_call_that_was_gone_into),
        cmocka_unit_test(from_the_network_that_has_it),
        cmocka_unit_test(from_what_sets_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
