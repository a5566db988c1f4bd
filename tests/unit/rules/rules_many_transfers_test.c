/* SPDX-License-Identifier: Apache-2.0 */
/* Families 2 and 5: tensors made of lists, repeated and small uploads, indices of the host; and what must stay silent. */
#include "rules_case.h"

#define LOOP \
    "import torch\n" \
    "from torch import nn\n" \
    "import numpy as np\n" \
    "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n" \
    "class Net(nn.Module):\n" \
    "    def __init__(self):\n" \
    "        super().__init__()\n" \
    "        self.linear = nn.Linear(8, 8)\n" \
    "    def forward(self, x):\n" \
    "        return self.linear(x)\n" \
    "def main(loader):\n" \
    "    model = Net()\n" \
    "    train(model, loader, torch.optim.SGD(model.parameters(), lr=0.1), torch.randn(8, 8))\n" \
    "def train(model, loader, optimizer, adjacency):\n" \
    "    model.to(device)\n" \
    "    for step, batch in enumerate(loader):\n" \
    "        out = model(batch.to(device))\n" \
    "        out.sum().backward()\n" \
    "        optimizer.step()\n"

/* ---- ST201 ---- */

static void tensors_from_lists(void **state)
{
    expect("ST201", LOOP "        ids = [len(s) for s in batch]\n"
                         "        a = torch.tensor(ids, device=device)  # ST201\n"
                         "        b = torch.LongTensor([s[-1] for s in batch]).to(device)  # ST201\n"
                         "        c = torch.Tensor(ids).long().cuda()  # ST201\n"
                         "        d = torch.cuda.FloatTensor(ids)  # ST201\n"
                         "        e = out.new_tensor(ids)  # ST201\n"
                         "        f = torch.FloatTensor(ids)  # ST201\n"
                         "        f = f.to(device)\n");
}

static void a_wrapper_hides_the_move(void **state)
{
    expect("ST201", "import torch\n"
                    "from helpers import ship\n"
                    "def forward(model, i, data):\n"
                    "    rows, mask = data.get_slice(i)\n"
                    "    rows = ship(torch.Tensor(rows).long())  # ST201\n"
                    "    mask = ship(torch.Tensor(mask).long())  # ST201\n"
                    "    return model(rows, mask)\n"
                    "class Data:\n"
                    "    def __init__(self, sessions):\n"
                    "        self.sessions = sessions\n"
                    "    def get_slice(self, i):\n"
                    "        rows, mask = [], []\n"
                    "        for s in self.sessions[i]:\n"
                    "            rows.append(s + [0] * 3)\n"
                    "            mask.append([1] * len(s))\n"
                    "        return rows, mask\n"
                    "def train(model, batches, optimizer, sessions):\n"
                    "    data = Data(sessions)\n"
                    "    model = ship(model)\n"
                    "    for i in batches:\n"
                    "        loss = forward(model, i, data).sum()\n"
                    "        loss.backward()\n"
                    "        optimizer.step()\n"
                    "#: helpers.py\n"
                    "import torch\n"
                    "def ship(x):\n"
                    "    if torch.cuda.is_available():\n"
                    "        return x.cuda()\n"
                    "    return x\n");
}

static void lists_that_cost_nothing_here(void **state)
{
    /* From arrays, sizes, for the CPU, behind a gate, in a worker, once. */
    expect("ST201", LOOP "        rows = np.zeros((3, 4))\n"
                         "        a = torch.from_numpy(rows).to(device)\n"
                         "        b = torch.zeros([3, 4], device=device)\n"
                         "        c = torch.tensor([1, 2, 3])\n"
                         "        lengths = torch.tensor([len(s) for s in batch])\n"
                         "        print(lengths.max())\n"
                         "        d = torch.tensor(2.0, device=device)\n"
                         "ids = [i * 2 for i in range(10)]\n"
                         "table = torch.tensor(ids).to(device)\n");
    expect("ST201", LOOP "        if step % 100 == 0:\n"
                         "            ids = [len(s) for s in batch]\n"
                         "            a = torch.tensor(ids, device=device)  # ST201 note\n");
}

/* ---- ST501 ---- */

static void the_same_upload_each_step(void **state)
{
    expect("ST501", LOOP "        h = torch.mm(adjacency.to(device), out)  # ST501\n"
                         "        w = torch.tensor([1.0, 2.0], device=device)  # ST501\n");
    expect("ST501", "import torch\n"
                    "from torch import nn\n"
                    "class Net(nn.Module):\n"
                    "    def __init__(self, adjacency):\n"
                    "        super().__init__()\n"
                    "        self.position = torch.arange(10.0)\n"
                    "        self.linear = nn.Linear(10, 10)\n"
                    "    def forward(self, x):\n"
                    "        p = self.position.to(x.device)  # ST501\n"
                    "        w = torch.tensor([1.0, 2.0]).to(x.device)  # ST501\n"
                    "        v = torch.tensor([1.0, 2.0], device=x.device)  # ST501\n"
                    "        return self.linear(x + p) * w.sum() * v.sum()\n"
                    "net = Net(None).cuda()\n");
}

static void uploads_that_differ_or_stay(void **state)
{
    expect("ST501", LOOP "        batch = batch.to(device)\n"
                         "        noise = torch.randn(3).to(device)\n"
                         "        adjacency = adjacency.to(device)\n");
    expect("ST501", "import torch\n"
                    "from torch import nn\n"
                    "class Net(nn.Module):\n"
                    "    def __init__(self):\n"
                    "        super().__init__()\n"
                    "        self.register_buffer('position', torch.arange(10.0))\n"
                    "        self.weight = torch.ones(10)\n"
                    "    def set_mask(self, mask):\n"
                    "        self.mask = mask\n"
                    "    def forward(self, x):\n"
                    "        if self.weight.device != x.device:\n"
                    "            self.weight = self.weight.to(x.device)\n"
                    "        p = self.position.to(x.device)\n"
                    "        return x + p * self.weight\n"
                    "net = Net().cuda()\n");
}

/* ---- ST502 ---- */

static void one_by_one(void **state)
{
    expect("ST502", LOOP "        parts = [p.to(device) for p in loader.dataset.parts(batch)]  # ST502\n");
    expect("ST502", "import torch\n"
                    "def train(model, loader, optimizer, device):\n"
                    "    model.to(device)\n"
                    "    for batch in loader:\n"
                    "        batch = {k: v.to(device) for k, v in batch.items()}  # ST502\n"
                    "        model(**batch).sum().backward()\n"
                    "        optimizer.step()\n"
                    "def train_lists(model, loader, optimizer, device):\n"
                    "    model.to(device)\n"
                    "    for inputs, target in loader:\n"
                    "        inputs = [t.cuda() for t in inputs]  # ST502\n"
                    "        moved = []\n"
                    "        for t in target:\n"
                    "            moved.append(t.cuda())  # ST502\n"
                    "        model(inputs, moved).sum().backward()\n"
                    "        optimizer.step()\n");
}

static void copies_that_do_not_wait(void **state)
{
    expect("ST502", "import torch\n"
                    "def train(model, loader, optimizer, device):\n"
                    "    model.to(device)\n"
                    "    for batch in loader:\n"
                    "        batch = {k: v.to(device, non_blocking=True) for k, v in batch.items()}\n"
                    "        x = batch['x']\n"
                    "        more = [t * 2 for t in batch.values()]\n"
                    "        model(x).sum().backward()\n"
                    "        optimizer.step()\n");
}

/* ---- ST503 ---- */

static void indices_of_the_host(void **state)
{
    expect("ST503", LOOP "        rows = torch.arange(len(out))\n"
                         "        a = out[rows]  # ST503\n"
                         "        b = out[torch.arange(out.shape[0]).long(), 0]  # ST503\n"
                         "        c = out[[3, 1, 2]]  # ST503\n"
                         "        d = out[np.arange(3)]  # ST503\n"
                         "        e = out[torch.randperm(out.size(0))]  # ST503\n"
                         "        out[0, :3] = torch.ones(3)  # ST503\n"
                         "        out[1] = np.zeros(4)  # ST503\n");
}

static void indices_that_move_nothing(void **state)
{
    expect("ST503", LOOP "        a = out[torch.arange(3, device=device)]\n"
                         "        b = out[0], out[1:3], out[..., None], out[:, 2]\n"
                         "        c = out[out.argmax(1)]\n"
                         "        i = len(out) - 1\n"
                         "        d = out[i]\n"
                         "        out[0] = 1.0\n"
                         "        host = torch.zeros(4)\n"
                         "        e = host[torch.arange(2)]\n"
                         "        f = [1, 2, 3][i]\n");
}

static void sizes_are_no_data(void **state)
{
    expect("ST201", LOOP "        Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.Tensor\n"
                         "        a = Tensor(batch.shape[0], 1)\n"
                         "        b = Tensor([len(s) for s in batch])  # ST201\n");
}

static void rows_of_a_sampler(void **state)
{
    expect("ST503", LOOP "        from torch.utils.data import BatchSampler, SubsetRandomSampler\n"
                         "        for rows in BatchSampler(SubsetRandomSampler(range(9)), 3, False):\n"
                         "            part = out[rows]  # ST503\n"
                         "            part = step[rows]\n");
}

static void a_few_numbers_are_no_list_to_walk(void **state)
{
    expect("ST201", LOOP "        n = torch.tensor([len(batch)], device=device)  # ST201 note\n"
                         "        m = torch.tensor([step, len(batch)]).to(device)  # ST201 note\n"
                         "        k = torch.tensor([len(s) for s in batch], device=device)  # ST201\n");
}

static void room_for_each_is_no_constant(void **state)
{
    expect("ST501", LOOP "        room = [torch.tensor([0], device=device) for _ in range(4)]\n"
                         "        zero = torch.tensor([0, 1], device=device)  # ST501\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_from_lists),
        cmocka_unit_test(a_wrapper_hides_the_move),
        cmocka_unit_test(lists_that_cost_nothing_here),
        cmocka_unit_test(the_same_upload_each_step),
        cmocka_unit_test(uploads_that_differ_or_stay),
        cmocka_unit_test(one_by_one),
        cmocka_unit_test(copies_that_do_not_wait),
        cmocka_unit_test(indices_of_the_host),
        cmocka_unit_test(indices_that_move_nothing),
        cmocka_unit_test(sizes_are_no_data),
        cmocka_unit_test(rows_of_a_sampler),
        cmocka_unit_test(a_few_numbers_are_no_list_to_walk),
        cmocka_unit_test(room_for_each_is_no_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
