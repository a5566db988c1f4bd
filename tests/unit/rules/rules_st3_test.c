/* SPDX-License-Identifier: Apache-2.0 */
#include "rules_case.h"

#define STEP(lines) \
    "import numpy as np\n" \
    "import torch\n" \
    "def train(loader):\n" \
    "    model = torch.nn.Linear(4, 2).cuda()\n" \
    "    optimizer = torch.optim.Adam(model.parameters())\n" \
    "    for x in loader:\n" \
    "        z = model(x.cuda())\n" lines "        z.sum().backward()\n" \
    "        optimizer.step()\n" \
    "train(torch.utils.data.DataLoader([1]))\n"

static void there_and_back(void **state)
{
    (void)state;
    expect("ST301", STEP("        k = z.detach().argmax(1).cpu().numpy()  # ST301\n"
                         "        k = np.bincount(k)\n"
                         "        w = torch.as_tensor(k).cuda()\n"));
    expect("ST301", STEP("        k = z.detach().argmax(1).cpu().numpy()\n"
                         "        print(np.bincount(k))\n"));
}

static void preparation_in_the_step(void **state)
{
    (void)state;
    expect("ST30", "import numpy as np\n"
                   "import torch\n"
                   "import random\n"
                   "def build(rows, words):\n"
                   "    out = []\n"
                   "    for row in rows:  # ST302\n"
                   "        random.shuffle(row)\n"
                   "        out.append([words[i] for i in row])\n"
                   "    return out\n"
                   "model = torch.nn.Linear(4, 2).cuda()\n"
                   "optimizer = torch.optim.Adam(model.parameters())\n"
                   "def step(data, words):\n"
                   "    features = torch.tensor(build(data, words)).cuda()\n"
                   "    model(features).sum().backward()\n"
                   "    optimizer.step()\n"
                   "for epoch in range(3):\n"
                   "    step([[1, 2], [3, 4]], {1: 2.0})\n");
}

static void loops_over_layers_are_silent(void **state)
{
    (void)state;
    expect("ST30", STEP("        for layer in [model, model]:\n"
                        "            z = z + layer(x.cuda())\n"
                        "        norms = [p.grad for p in model.parameters()]\n"
                        "        sizes = [n for n in range(3)]\n"));
}

static void modules_moved_in_a_loop(void **state)
{
    (void)state;
    expect("ST304", STEP("        model.cpu()  # ST304\n"
                         "        model.cuda()\n"));
}

static void loops_without_data_are_silent(void **state)
{
    (void)state;
    expect("ST302", STEP("        left, right = [], []\n"
                         "        for i in range(len(z)):\n"
                         "            for k in range(i):\n"
                         "                left.append(i), right.append(k)\n"));
    expect("ST302", STEP("        for group in optimizer.param_groups:\n"
                         "            for p in group['params']:\n"
                         "                p.grad.data.clamp_(-1, 1)\n"));
    expect("ST302", STEP("        def move(part):\n"
                         "            return [move(q) for q in part] if isinstance(part, list) else part.to('cuda')\n"
                         "        y = [move(q) for q in rows(x)]\n"));
    expect("ST302", STEP("        for c in columns():\n"
                         "            at = np.array(places[c])\n"
                         "            parts.append(wide[:, at[0]:at[1]].float())\n"));
}

static void a_constructor_may_put_itself_somewhere(void **state)
{
    (void)state;
    expect("ST304", "import torch\n"
                    "class Pool(torch.nn.Module):\n"
                    "    def __init__(self):\n"
                    "        super().__init__()\n"
                    "        self.w = torch.nn.Linear(1, 1).cuda()\n"
                    "        self.to('cpu')\n"
                    "model = torch.nn.Linear(4, 2).cuda()\n"
                    "optimizer = torch.optim.Adam(model.parameters())\n"
                    "for x in torch.utils.data.DataLoader([1]):\n"
                    "    model(x.cuda()).sum().backward()\n"
                    "    Pool()\n"
                    "    optimizer.step()\n");
}

static void a_size_does_not_go_back(void **state)
{
    (void)state;
    expect("ST301", STEP("        n = z.max().item()\n"
                         "        room = torch.cuda.LongTensor(n)\n"));
    expect("ST301", STEP("        n = z.max().item()  # ST301\n"
                         "        room = torch.cuda.LongTensor([n])\n"));
}

#define PREPARED(lines) \
    "import numpy as np\n" \
    "import torch\n" lines "model = torch.nn.Linear(4, 2).cuda()\n" \
    "optimizer = torch.optim.Adam(model.parameters())\n" \
    "for rows in torch.utils.data.DataLoader([1], collate_fn=list):\n" \
    "    model(torch.tensor(build(unpacked(rows))).cuda()).sum().backward()\n" \
    "    optimizer.step()\n"

static void only_host_work_is_preparation(void **state)
{
    (void)state;
    expect("ST302", PREPARED("def build(rows):\n"
                             "    out = []\n"
                             "    for row in rows:  # ST302\n"
                             "        for k in set(row):\n"
                             "            out.append(k)\n"
                             "    return out\n"));
    expect("ST302", PREPARED("def build(rows):\n"
                             "    out = []\n"
                             "    for row in rows:\n"
                             "        for k in row:\n"
                             "            out.append(k)\n" /* of what, nobody knows */
                             "    return out\n"));
    expect("ST302", PREPARED("def whole(parts):\n"
                             "    return joined(list(parts))\n"
                             "def joined(parts):\n"
                             "    return torch.cat(parts)\n"
                             "def build(rows):\n"
                             "    return [whole(row) for row in rows]\n"));
}

static void storing_is_no_preparation(void **state)
{
    (void)state;
    expect("ST302", PREPARED("class Store:\n"
                             "    def feed(self, rows):\n"
                             "        for row in rows:\n"
                             "            for k in sorted(row):\n"
                             "                self.rows.append(np.array(k))\n"
                             "store = Store()\n"
                             "def build(rows):\n"
                             "    store.feed(rows)\n"
                             "    return rows\n"));
}

static void random_numbers_alone_are_no_preparation(void **state)
{
    (void)state;
    expect("ST302", STEP("        noise = np.array([np.random.normal() for _ in range(len(z))])\n"));
    expect("ST302", STEP("        noise = [np.sort(rows[i]) for i in range(len(z))]  # ST302\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(preparation_in_the_step),
        cmocka_unit_test(loops_over_layers_are_silent),
        cmocka_unit_test(modules_moved_in_a_loop),
        cmocka_unit_test(loops_without_data_are_silent),
        cmocka_unit_test(a_constructor_may_put_itself_somewhere),
        cmocka_unit_test(a_size_does_not_go_back),
        cmocka_unit_test(only_host_work_is_preparation),
        cmocka_unit_test(storing_is_no_preparation),
        cmocka_unit_test(random_numbers_alone_are_no_preparation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
