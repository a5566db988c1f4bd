/* SPDX-License-Identifier: Apache-2.0 */
/* Family 1: element access, per-sample stacks, growing tensors, one sample at a time; and what must stay silent. */
#include "rules_case.h"

#define TRAINER \
    "import torch\n" \
    "from torch import nn\n" \
    "import numpy as np\n" \
    "class Net(nn.Module):\n" \
    "    def __init__(self):\n" \
    "        super().__init__()\n" \
    "        self.linear = nn.Linear(8, 8)\n" \
    "    def forward(self, x):\n" \
    "        return self.linear(x)\n" \
    "def main(loader):\n" \
    "    model = Net()\n" \
    "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n" \
    "    train(model, loader, optimizer, nn.CrossEntropyLoss(), torch.device('cuda'))\n" \
    "def train(model, loader, optimizer, criterion, device):\n" \
    "    model.to(device)\n" \
    "    for x, y in loader:\n" \
    "        x, y = x.to(device), y.to(device)\n" \
    "        out = model(x)\n" \
    "        loss = criterion(out, y)\n" \
    "        loss.backward()\n" \
    "        optimizer.step()\n"

/* ---- ST101 ---- */

static void elements_by_a_loop_variable(void **state)
{
    expect("ST1", TRAINER "        for i in range(len(x)):\n"
                          "            out[i] = x[i] * 2  # ST101\n");
    expect("ST1", TRAINER "        for i in range(x.size(0)):\n"
                          "            if x[i] > 0:  # ST101\n"
                          "                y[i] = 1\n");
    expect("ST1", TRAINER "        n = x.shape[0]\n"
                          "        for i in range(n):\n"
                          "            for j in range(x.shape[1]):\n"
                          "                out[i, j] = x[i, j] + 1  # ST101\n");
    expect("ST1", TRAINER "        i = 0\n"
                          "        while i < x.numel():\n"
                          "            y[i] = x[i]  # ST101\n"
                          "            i += 1\n");
    expect("ST1", TRAINER "        values = [x[i] * 2 for i in range(len(x))]  # ST101\n");
    expect("ST1", TRAINER "        values = {i: x[i] for i in range(len(x))}  # ST101\n");
}

static void iteration(void **state)
{
    expect("ST1", TRAINER "        for v in x:  # ST101\n"
                          "            print(v)\n");
    expect("ST1", TRAINER "        for i, v in enumerate(out):  # ST101\n"
                          "            y[i] = v.sum()\n");
    expect("ST1", TRAINER "        for a, b in zip(out, y):  # ST101\n"
                          "            a.copy_(b)\n");
    expect("ST1", TRAINER "        values = [float(v) for v in out]  # ST101\n");
}

static void python_functions_that_iterate(void **state)
{
    expect("ST1", TRAINER "        rows = out.sum(1, keepdim=True)\n"
                          "        a = sum(x)  # ST101\n"
                          "        b = list(x)  # ST101\n");
}

static void a_loop_is_told_once(void **state)
{
    expect("ST1", TRAINER "        for i in range(len(x)):\n"
                          "            out[i] = x[i]  # ST101\n"
                          "            out[i] += y[i]\n"
                          "            x[i] = 0\n");
}

static void in_a_function_that_the_step_calls(void **state)
{
    expect("ST1", "import torch\n"
                  "def clip_rows(t, limit):\n"
                  "    for i in range(t.size(0)):\n"
                  "        if t[i].norm() > limit:  # ST101\n"
                  "            t[i] = 0\n"
                  "def train(model, loader, optimizer):\n"
                  "    model.cuda()\n"
                  "    for x in loader:\n"
                  "        out = model(x.cuda())\n"
                  "        clip_rows(out, 3)\n"
                  "        out.sum().backward()\n"
                  "        optimizer.step()\n");
}

static void an_evaluation_is_a_note(void **state)
{
    expect("ST1", "import torch\n"
                  "from torch import nn\n"
                  "def evaluate(loader):\n"
                  "    model = nn.Sequential(nn.Linear(8, 8)).cuda().eval()\n"
                  "    hits = 0\n"
                  "    with torch.no_grad():\n"
                  "        for x, y in loader:\n"
                  "            out = model(x.cuda())\n"
                  "            for row in out:  # ST101 note\n"
                  "                hits += int(row.argmax())\n"
                  "    return hits\n");
}

static void arrays_lists_and_what_is_on_the_cpu(void **state)
{
    /* One read-back, then loops over what is on the host. */
    expect("ST1", TRAINER "        scores = out.detach().cpu().numpy()\n"
                          "        for row, target in zip(scores, y.tolist()):\n"
                          "            print(row[target])\n"
                          "        for i in range(len(scores)):\n"
                          "            print(scores[i])\n"
                          "        for v in out.tolist():\n"
                          "            print(v)\n");
    expect("ST1", "import torch\n"
                  "def train(model, loader, optimizer):\n"
                  "    for x in loader:\n"
                  "        for v in x:\n"
                  "            print(v)\n"
                  "        model(x).sum().backward()\n"
                  "        optimizer.step()\n");
}

static void loops_over_batches_layers_and_time(void **state)
{
    /* Batches by slices, layers of a network, time steps of a recurrent cell. */
    expect("ST1", TRAINER "        for i in range(0, len(x), 64):\n"
                          "            part = x[i:i + 64]\n"
                          "            model(part).sum().backward()\n");
    expect("ST1", "import torch\n"
                  "from torch import nn\n"
                  "class Net(nn.Module):\n"
                  "    def __init__(self):\n"
                  "        super().__init__()\n"
                  "        self.cell = nn.GRUCell(8, 8)\n"
                  "        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])\n"
                  "    def forward(self, x):\n"
                  "        h = torch.zeros(x.size(1), 8, device=x.device)\n"
                  "        for t in range(x.size(0)):\n"
                  "            h = self.cell(x[t], h)\n"
                  "        for layer in self.layers:\n"
                  "            h = layer(h)\n"
                  "        return h\n"
                  "net = Net().cuda()\n");
}

static void workers_and_setup(void **state)
{
    expect("ST1", "import torch\n"
                  "from torch.utils.data import Dataset\n"
                  "class Data(Dataset):\n"
                  "    def __init__(self, x):\n"
                  "        self.x = x\n"
                  "    def __getitem__(self, i):\n"
                  "        row = self.x[i]\n"
                  "        return sum(row[k] for k in range(len(row)))\n"
                  "table = torch.randn(10, 3).cuda()\n"
                  "for i in range(len(table)):\n"
                  "    table[i] /= table[i].norm()\n");
}

/* ---- ST102 ---- */

static void rows_that_are_stacked(void **state)
{
    expect("ST1", TRAINER "        seq = torch.stack([out[i][y[i]] for i in range(len(y))])  # ST102\n");
    expect("ST1", TRAINER "        get = lambda i: out[i][y[i]]\n"
                          "        seq = torch.stack([get(i) for i in torch.arange(len(y)).long()])  # ST102\n");
    expect("ST1", TRAINER "        def get(i):\n"
                          "            return out[i][y[i]]\n"
                          "        seq = torch.stack([get(i) for i in range(len(y))])  # ST102\n");
    expect("ST1", TRAINER "        seq = torch.cat([row.unsqueeze(0) * 2 for row in out])  # ST102\n");
}

static void stacks_of_networks(void **state)
{
    expect("ST1", "import torch\n"
                  "from torch import nn\n"
                  "class Net(nn.Module):\n"
                  "    def __init__(self):\n"
                  "        super().__init__()\n"
                  "        self.heads = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])\n"
                  "    def forward(self, x, others):\n"
                  "        a = torch.cat([head(x) for head in self.heads], dim=1)\n"
                  "        b = torch.stack([x, x * 2])\n"
                  "        return torch.cat([a, b.sum(0)])\n"
                  "net = Net().cuda()\n");
}

/* ---- ST103 ---- */

static void growing(void **state)
{
    expect("ST103", TRAINER "        kept = torch.empty(0, device=device)\n"
                            "        for part in out.split(10):\n"
                            "            kept = torch.cat([kept, part.sum(1)])  # ST103\n");
    expect("ST103", "import torch\n"
                    "def collect(model, loader):\n"
                    "    model.cuda().eval()\n"
                    "    outs = torch.zeros(0).cuda()\n"
                    "    with torch.no_grad():\n"
                    "        for x in loader:\n"
                    "            outs = torch.cat((outs, model(x.cuda())), dim=0)  # ST103 note\n"
                    "    return outs\n"
                    "def main(model, loader, optimizer):\n"
                    "    for x in loader:\n"
                    "        model(x.cuda()).sum().backward()\n"
                    "        optimizer.step()\n"
                    "    collect(model, loader)\n");
}

static void what_grows_for_a_reason(void **state)
{
    /* Decoding reads the growing tensor; a skip connection is no growth; on the CPU nothing is said. */
    expect("ST103", TRAINER "        tokens = x[:, :1]\n"
                            "        for _ in range(20):\n"
                            "            step = model(tokens)\n"
                            "            tokens = torch.cat([tokens, step[:, -1:]], dim=1)\n"
                            "        for part in out.split(10):\n"
                            "            part = part * 2\n"
                            "            part = torch.cat([part, part], dim=1)\n"
                            "        names = torch.zeros(0)\n"
                            "        for k in range(20):\n"
                            "            names = torch.cat([names, torch.ones(1)])\n");
}

/* ---- ST104 ---- */

static void one_sample_at_a_time(void **state)
{
    expect("ST104", "import torch\n"
                    "from torch import nn\n"
                    "def evaluate(users, device):\n"
                    "    model = nn.Linear(8, 8).to(device).eval()\n"
                    "    scores = []\n"
                    "    with torch.no_grad():\n"
                    "        for user in users:\n"
                    "            scores.append(model(user.unsqueeze(0).to(device)))  # ST104 note\n"
                    "    return scores\n");
}

static void batches_and_steps_of_time_are_fine(void **state)
{
    expect("ST104", "import torch\n"
                    "from torch import nn\n"
                    "class Net(nn.Module):\n"
                    "    def __init__(self):\n"
                    "        super().__init__()\n"
                    "        self.gru = nn.GRU(8, 8)\n"
                    "    def forward(self, x):\n"
                    "        h = None\n"
                    "        for _ in range(3):\n"
                    "            m = torch.relu(x)\n"
                    "            x, h = self.gru(m.unsqueeze(0), h)\n"
                    "        return x\n"
                    "net = Net().cuda()\n");
    expect("ST104", "import torch\n"
                    "def evaluate(model, loader, mask, device):\n"
                    "    model.to(device).eval()\n"
                    "    with torch.no_grad():\n"
                    "        for x in loader:\n"
                    "            model(x.to(device), mask.unsqueeze(0))\n");
}

static void rows_that_are_only_stored(void **state)
{
    expect("ST1", TRAINER "        for i in range(len(x)):\n"
                          "            out[i] = make(i)  # ST101 note\n");
    expect("ST1", TRAINER "        take = lambda i: x[y[i]]\n"
                          "        for i in range(len(x)):\n"
                          "            out[i] = take(i)  # ST101\n");
}

static void a_recurrent_network_goes_from_step_to_step(void **state)
{
    expect("ST104", TRAINER "        cell = nn.LSTM(8, 8).cuda()\n"
                            "        for h, d in zip(hidden, done):\n"
                            "            h, memory = cell(h.unsqueeze(0), (d * memory[0], d * memory[1]))\n");
    expect("ST104", TRAINER "        for h, d in zip(hidden, done):\n"
                            "            kept.append(model(h.unsqueeze(0)))  # ST104\n");
}

static void values_of_a_dict_are_no_elements(void **state)
{
    expect("ST101", TRAINER "        parts = given(model, out)\n"
                            "        loss = sum(part for part in parts.values())\n");
    expect("ST101", TRAINER "        loss = sum(part for part in out.values())\n"); /* then out is none itself */
    expect("ST101", TRAINER "        loss = sum(part for part in out)  # ST101\n");
}

static void layers_that_a_loop_hands_out(void **state)
{
    expect("ST101", TRAINER "        for i, (conv, noise) in enumerate(zip(convs[::2], noises)):\n"
                            "            out = conv(out, x[:, i], noise)\n");
    expect("ST101", TRAINER "        for i, noise in enumerate(noises):\n"
                            "            out = added(out, x[:, i], noise)  # ST101 note\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_by_a_loop_variable),
        cmocka_unit_test(iteration),
        cmocka_unit_test(python_functions_that_iterate),
        cmocka_unit_test(a_loop_is_told_once),
        cmocka_unit_test(in_a_function_that_the_step_calls),
        cmocka_unit_test(an_evaluation_is_a_note),
        cmocka_unit_test(arrays_lists_and_what_is_on_the_cpu),
        cmocka_unit_test(loops_over_batches_layers_and_time),
        cmocka_unit_test(workers_and_setup),
        cmocka_unit_test(rows_that_are_stacked),
        cmocka_unit_test(stacks_of_networks),
        cmocka_unit_test(growing),
        cmocka_unit_test(what_grows_for_a_reason),
        cmocka_unit_test(one_sample_at_a_time),
        cmocka_unit_test(batches_and_steps_of_time_are_fine),
        cmocka_unit_test(rows_that_are_only_stored),
        cmocka_unit_test(a_recurrent_network_goes_from_step_to_step),
        cmocka_unit_test(values_of_a_dict_are_no_elements),
        cmocka_unit_test(layers_that_a_loop_hands_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
