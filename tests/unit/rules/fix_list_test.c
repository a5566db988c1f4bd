/* SPDX-License-Identifier: Apache-2.0 */
#include "fix_case.h"

#define STEP(imports, lines) \
    imports "model = torch.nn.Linear(4, 2).cuda()\n" \
            "optimizer = torch.optim.Adam(model.parameters())\n" \
            "def step(x, rows):\n" lines "    loss = model(x).sum()\n" \
            "    loss.backward()\n" \
            "    optimizer.step()\n" \
            "for x in torch.utils.data.DataLoader([1], pin_memory=True):\n" \
            "    step(x.cuda(non_blocking=True), [[1, 2], [3, 4]])\n"

static void lists_go_through_one_array(void **state)
{
    (void)state;
    becomes("ST201",
            STEP("import numpy as np\nimport torch\n", "    ids = torch.LongTensor([r[-1] for r in rows]).cuda()\n"),
            STEP("import numpy as np\nimport torch\n",
                 "    ids = torch.LongTensor(np.asarray([r[-1] for r in rows], dtype=np.int64)).cuda()\n"));
    becomes("ST201", STEP("import torch\n", "    ids = torch.Tensor([r[-1] for r in rows]).long().cuda()\n"),
            STEP("import numpy as np\nimport torch\n",
                 "    ids = torch.Tensor(np.asarray([r[-1] for r in rows], dtype=np.float32)).long().cuda()\n"));
}

#define AS_INT64(list) "    ids = torch.LongTensor(np.asarray(" list ", dtype=np.int64)).cuda()\n"
#define AS_LIST(list)  "    ids = torch.LongTensor(" list ").cuda()\n"
#define NUMPY          "import numpy as np\nimport torch\n"

/* Through NumPy a list of one takes longer, one of 16 gains a third: of what is short or unknown the list stays. */
static void lists_of_a_handful_stay(void **state)
{
    (void)state;
    stays("ST201", STEP(NUMPY, AS_LIST("[k + 1 for k in range(6)]")));
    stays("ST201", STEP(NUMPY, "    stages = 6\n" AS_LIST("[k + 1 for k in range(stages)]")));
    stays("ST201", STEP(NUMPY, AS_LIST("[k + 1 for k in range(model.stages)]")));
    stays("ST201", STEP(NUMPY, "    part = rows[0:len(x)]\n" AS_LIST("[r[-1] for r in part]")));
    stays("ST201", STEP(NUMPY, AS_LIST("[r[-1] for r in rows[:2]]")));
    becomes("ST201", STEP(NUMPY, AS_LIST("[k + 1 for k in range(len(rows))]")),
            STEP(NUMPY, AS_INT64("[k + 1 for k in range(len(rows))]")));
    becomes("ST201", STEP(NUMPY, "    n = x.shape[0]\n" AS_LIST("[k + 1 for k in range(n)]")),
            STEP(NUMPY, "    n = x.shape[0]\n" AS_INT64("[k + 1 for k in range(n)]")));
    becomes("ST201", STEP(NUMPY, AS_LIST("[r[-1] for r in rows[1:]]")),
            STEP(NUMPY, AS_INT64("[r[-1] for r in rows[1:]]")));
}

static void growing_tensors_become_lists(void **state)
{
    (void)state;
    becomes("ST103",
            STEP("import torch\n", "    out = torch.zeros(0, device='cuda')\n"
                                   "    for row in rows:\n"
                                   "        out = torch.cat([out, model(x)])  # more\n"
                                   "    print(out.shape)\n"),
            STEP("import torch\n", "    out = torch.zeros(0, device='cuda')\n"
                                   "    out_parts = [out]\n"
                                   "    for row in rows:\n"
                                   "        out_parts.append(model(x))  # more\n"
                                   "    out = torch.cat(out_parts)\n"
                                   "    print(out.shape)\n"));
}

static void one_index_takes_all_rows(void **state)
{
    (void)state;
    const char *after =
        STEP("import torch\n", "    index = x.long()\n"
                               "    hidden = model(x)\n"
                               "    out = hidden[torch.arange(len(index), device=hidden.device).reshape(-1, *[1] * "
                               "(index.dim() - 1)), index]\n");
    becomes("ST102",
            STEP("import torch\n", "    index = x.long()\n"
                                   "    hidden = model(x)\n"
                                   "    out = torch.stack([hidden[i][index[i]] for i in range(len(index))])\n"),
            after);
    becomes("ST102",
            STEP("import torch\n", "    index = x.long()\n"
                                   "    hidden = model(x)\n"
                                   "    get = lambda i: hidden[i][index[i]]\n"
                                   "    out = torch.stack([get(i) for i in torch.arange(len(index)).long()])\n"),
            after);
}

static void indices_are_made_where_they_are_used(void **state)
{
    (void)state;
    becomes("ST503",
            STEP("import torch\n", "    out = model(x)\n"
                                   "    last = out[torch.arange(x.shape[0]).long(), x.long().sum(1)]\n"),
            STEP("import torch\n",
                 "    out = model(x)\n"
                 "    last = out[torch.arange(x.shape[0], device=out.device).long(), x.long().sum(1)]\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_go_through_one_array),           cmocka_unit_test(lists_of_a_handful_stay),
        cmocka_unit_test(growing_tensors_become_lists),         cmocka_unit_test(one_index_takes_all_rows),
        cmocka_unit_test(indices_are_made_where_they_are_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
