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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(preparation_in_the_step),
        cmocka_unit_test(loops_over_layers_are_silent),
        cmocka_unit_test(modules_moved_in_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
