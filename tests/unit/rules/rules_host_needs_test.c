/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What looks like an antipattern and is none: values that the host needs, branches
 * that no call asks for, rounds that follow from one another, loaders that nobody
 * trains on. Each beside the case that must be told of.
 */
#include "rules_case.h"

#include <stdio.h>

/* A training script around the lines of a step. */
#define STEP(lines) \
    "import time\n" \
    "import torch\n" \
    "import numpy as np\n" \
    "from torch import nn\n" \
    "from torch.nn.utils.rnn import pack_padded_sequence\n" \
    "device = torch.device('cuda')\n" \
    "def train(loader, memory, args):\n" \
    "    model = nn.Linear(4, 2).to(device)\n" \
    "    criterion = nn.CrossEntropyLoss()\n" \
    "    optimizer = torch.optim.Adam(model.parameters())\n" \
    "    total, best, wait = 0.0, 1e9, 0\n" \
    "    for x, y in loader:\n" \
    "        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)\n" \
    "        optimizer.zero_grad()\n" \
    "        out = model(x)\n" \
    "        loss = criterion(out, y)\n" \
    "        loss.backward()\n" \
    "        optimizer.step()\n" lines "    return total\n" \
    "train(torch.utils.data.DataLoader([1], pin_memory=True, num_workers=2), 1, 2)\n"

static void what_decides_when_to_stop_is_needed(void **state)
{
    (void)state;
    expect("ST4", STEP("        if loss < best:  # ST402 note\n"
                       "            best = loss\n"
                       "        else:\n"
                       "            wait += 1\n"));
    expect("ST4", STEP("        error = out.norm().item()  # ST401 note\n"
                       "        if error <= 1e-6:\n"
                       "            break\n"));
    expect("ST4", STEP("        if (out > 0.5).all() and wait > 3:  # ST402 note\n"
                       "            break\n"));
    expect("ST4", STEP("        if torch.isnan(loss):  # ST402\n"
                       "            break\n"));
    expect("ST4", STEP("        if out.max() > 3:  # ST402\n"
                       "            out = out / 2\n"));
}

static void what_packs_and_what_is_sampled_by_is_needed(void **state)
{
    (void)state;
    expect("ST4", STEP("        lengths = (x > 0).sum(1)\n"
                       "        packed = pack_padded_sequence(x, lengths.cpu())  # ST404 note\n"
                       "        total += model(packed)\n"
                       "        total += np.mean(lengths.cpu().numpy())  # ST404\n"));
    expect("ST4", STEP("        rows, weights = memory.sample(8)\n"
                       "        memory.update(rows, out.detach().cpu().numpy())  # ST404 note\n"));
    expect("ST4", STEP("        memory.update(3, out.detach().cpu().numpy())  # ST404\n"));
}

static void the_type_of_a_tensor_is_text(void **state)
{
    (void)state;
    expect("ST4", STEP("        if out.type() == 'torch.cuda.HalfTensor':\n"
                       "            total += 1\n"));
}

static void a_clock_on_request_may_wait(void **state)
{
    (void)state;
    expect("ST606", STEP("        if args.measure:\n"
                         "            torch.cuda.synchronize()  # ST606 note\n"
                         "            total = time.time()\n"
                         "        torch.cuda.synchronize()  # ST606\n"));
}

static void options_that_nobody_sets_gate(void **state)
{
    (void)state;
    expect("ST4", STEP("        total += mean_of(out, y)\n") "def mean_of(x, longest=None, check=False):\n"
                                                             "    if longest is None:\n"
                                                             "        return x.max().item()  # ST401 note\n"
                                                             "    if check:\n"
                                                             "        return x.min().item()  # ST401 note\n"
                                                             "    return x.mean().item()  # ST401\n");
    expect("ST4", STEP("        total += mean_of(out, None)\n") "def mean_of(x, longest=None):\n"
                                                                "    if longest is None:\n"
                                                                "        return x.max().item()  # ST401\n"
                                                                "    return 0\n");
    expect("ST4", STEP("        total += shown(out)\n") "def shown(x, **options):\n"
                                                        "    picture = options.get('picture', None)\n"
                                                        "    if picture is not None:\n"
                                                        "        return x.max().item()  # ST401 note\n"
                                                        "    return 0\n");
}

static void options_that_are_off_gate(void **state)
{
    (void)state;
    expect("ST601", "import torch\n"
                    "from torch import nn\n"
                    "class Weighed(nn.Module):\n"
                    "    def __init__(self):\n"
                    "        super().__init__()\n"
                    "        self.v = nn.Parameter(torch.ones(3))\n"
                    "    def forward(self, x, init=False, plain=True):\n"
                    "        if init is True:\n"
                    "            x = x + torch.zeros(3).to(x.device)  # ST601 note\n"
                    "        if plain:\n"
                    "            x = x + torch.ones(3).to(x.device)  # ST601\n"
                    "        return x * self.v\n"
                    "net = Weighed().cuda()\n");
}

static void options_of_an_evaluation_gate(void **state)
{
    (void)state;
    expect("ST401", STEP("        if args.eval_boxes:\n"
                         "            total += loss.item()  # ST401 note\n"
                         "        if args.retrieval:\n"
                         "            total += loss.item()  # ST401\n"));
}

/* ---- what is read, and what for ---- */

static void a_number_for_a_kernel_is_no_upload(void **state)
{
    (void)state;
    expect("ST3", STEP("        out = out.roll(out[0].argmax().item(), dims=0)\n"));
    expect("ST3", STEP("        top = out.argmax(0).cpu().numpy()  # ST301\n"
                       "        total += torch.from_numpy(top).to(device)\n"));
}

static void what_numpy_is_called_on_lies_on_the_host(void **state)
{
    (void)state;
    expect("ST404", STEP("        a, b = args.measure(out)\n"
                         "        memory.extend(a[::10].numpy())\n"
                         "        memory.extend(out[::10].cpu().numpy())  # ST404\n"));
}

static void what_is_changed_goes_on(void **state)
{
    (void)state;
    expect("ST4", STEP("        host = out.sum(0).to('cpu')  # ST404\n"
                       "        host /= 3\n"
                       "        print(host)\n"));
    expect("ST4", STEP("        part = torch.ones(3).to(device)\n"
                       "        torch.distributed.all_reduce(part)\n"
                       "        memory.extend(part.cpu().numpy())  # ST404\n"));
    expect("ST4", STEP("        part = torch.ones(3).to(device)\n"
                       "        memory.extend(part.cpu().numpy())  # ST408\n"));
}

/* ---- indices and uploads ---- */

static void one_number_is_no_index_to_upload(void **state)
{
    (void)state;
    expect("ST503", STEP("        i = np.random.choice(args.names)\n"
                         "        out[i].sum()\n"
                         "        j = np.random.choice(args.names, 4)\n"
                         "        out[j].sum()  # ST503\n"
                         "        k = np.random.randint(9)\n"
                         "        out[k].sum()\n"
                         "        order = np.random.permutation(9)\n"
                         "        out[order].sum()  # ST503\n"
                         "        out[order[wait]].sum()\n"
                         "        for last in order:\n"
                         "            out[last - 1].sum()\n"
                         "        out[order - 1].sum()  # ST503\n"));
}

static void what_moves_on_is_not_the_same_each_time(void **state)
{
    (void)state;
    expect("ST5", STEP("        z = next(memory).to(device)\n"));
    expect("ST5", "import torch\n"
                  "def feed(pairs, start, end):\n"
                  "    return pairs[start:end].to(device)\n"
                  "device = torch.device('cuda')\n"
                  "pairs = torch.LongTensor(open('pairs').read())\n"
                  "net = torch.nn.Linear(4, 4).to(device)\n"
                  "optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
                  "for epoch in range(9):\n"
                  "    s = 0\n"
                  "    while s < 99:\n"
                  "        net(feed(pairs, s, s + 9)).sum().backward()\n"
                  "        optimizer.step()\n"
                  "        s += 9\n");
}

static void constants_and_room_are_created(void **state)
{
    (void)state;
    expect("ST601", STEP("        iden = torch.from_numpy(np.eye(3).flatten().astype(np.float32)).view(1, 9)\n"
                         "        iden = iden.repeat(x.size(0), 1)\n"
                         "        out = out + iden.cuda()  # ST601, ST602 note\n"));
    expect("ST601", STEP("        room = torch.LongTensor(x.size(0), x.size(1)).cuda()  # ST601\n"));
    expect("ST601", STEP("        target = torch.from_numpy(np.array([[1]] * wait + [[0]] * wait)).cuda()  # ST601\n"));
    expect("ST602", STEP("        rows = torch.from_numpy(np.load('rows')).cuda()  # ST602\n"));
}

/* ---- loops ---- */

static void rounds_that_need_the_one_before(void **state)
{
    (void)state;
    expect("ST101", STEP("        alpha = out[0]\n"
                         "        for t in range(out.size(0)):\n"
                         "            alpha = torch.logsumexp(alpha + out[t], 0)  # ST101 note\n"));
    expect("ST101", STEP("        for t in range(out.size(0)):\n"
                         "            total = total + out[t].sum()  # ST101\n"));
    expect("ST101", STEP("        for i in range(out.size(0)):\n"
                         "            row = out[i]  # ST101 note\n"
                         "            total = total + row[row > 0].sum()\n"));
}

static void keys_of_a_dict(void **state)
{
    (void)state;
    expect("ST101", STEP("        for key in out:\n"
                         "            out[key] = out[key] + 1\n"));
    expect("ST101", STEP("        for row in out:  # ST101\n"
                         "            total = total + row.sum()\n"));
}

/* ---- loaders ---- */

#define LOADED(lines) \
    "import torch\n" \
    "from torch.utils.data import DataLoader\n" \
    "model = torch.nn.Linear(1, 1).cuda()\n" \
    "class Files(torch.utils.data.Dataset):\n" \
    "    def __getitem__(self, i):\n" \
    "        return read(i)\n" lines

static void loaders_that_nobody_trains_on(void **state)
{
    (void)state;
    expect("ST604", LOADED("def both():\n"
                           "    a = DataLoader(Files())  # ST604\n"
                           "    b = DataLoader(Files())  # ST604 note\n"
                           "    return a, b\n"
                           "rows, others = both()\n"
                           "for x in rows:\n"
                           "    model(x.cuda()).sum().backward()\n"
                           "    optimizer.step()\n"
                           "for x in others:\n"
                           "    model(x.cuda())\n"));
    expect("ST604", LOADED("test_loader = DataLoader(Files())  # ST604 note\n"
                           "rows = DataLoader(Files())  # ST604\n"
                           "for x in rows:\n"
                           "    model(x.cuda()).sum().backward()\n"
                           "    optimizer.step()\n"
                           "elsewhere(rows, test_loader)\n"));
    expect("ST604", LOADED("def shown():\n"
                           "    rows = DataLoader(Files())  # ST604 note\n"
                           "    return model(rows.__iter__().__next__().cuda())\n"
                           "shown()\n"));
}

static void modules_under_a_key_run_where_they_are_called(void **state)
{
    (void)state;
    const char *const code = "import torch\n"
                             "from torch import nn\n"
                             "class After(nn.Module):\n"
                             "    def forward(self, x):\n"
                             "        return x.max().item()  # ST401%s\n"
                             "def steps(model, loader, after, optimizer):\n"
                             "    for x in loader:\n"
                             "        out = model(x.cuda())\n"
                             "        out.sum().backward()\n"
                             "        optimizer.step()\n"
                             "        %s\n"
                             "@torch.no_grad()\n"
                             "def evaluate(model, loader, after):\n"
                             "    for x in loader:\n"
                             "        print(after['boxes'](model(x.cuda())))\n"
                             "model = nn.Linear(1, 1).cuda()\n"
                             "after = {'boxes': After().cuda()}\n"
                             "steps(model, torch.utils.data.DataLoader([1]), after, 3)\n"
                             "evaluate(model, torch.utils.data.DataLoader([1]), after)\n";
    char text[2048];
    snprintf(text, sizeof text, code, " note", "pass");
    expect("ST401", text);
    snprintf(text, sizeof text, code, "", "after['boxes'](out)");
    expect("ST401", text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_decides_when_to_stop_is_needed),
        cmocka_unit_test(what_packs_and_what_is_sampled_by_is_needed),
        cmocka_unit_test(the_type_of_a_tensor_is_text),
        cmocka_unit_test(a_clock_on_request_may_wait),
        cmocka_unit_test(options_that_nobody_sets_gate),
        cmocka_unit_test(options_that_are_off_gate),
        cmocka_unit_test(options_of_an_evaluation_gate),
        cmocka_unit_test(a_number_for_a_kernel_is_no_upload),
        cmocka_unit_test(what_numpy_is_called_on_lies_on_the_host),
        cmocka_unit_test(what_is_changed_goes_on),
        cmocka_unit_test(one_number_is_no_index_to_upload),
        cmocka_unit_test(what_moves_on_is_not_the_same_each_time),
        cmocka_unit_test(constants_and_room_are_created),
        cmocka_unit_test(rounds_that_need_the_one_before),
        cmocka_unit_test(keys_of_a_dict),
        cmocka_unit_test(loaders_that_nobody_trains_on),
        cmocka_unit_test(modules_under_a_key_run_where_they_are_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
