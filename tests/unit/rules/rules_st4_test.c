/* SPDX-License-Identifier: Apache-2.0 */
#include "rules_case.h"

/* A training script around the lines of a step. */
#define STEP(lines) \
    "import torch\n" \
    "from torch import nn\n" \
    "import torch.nn.functional as F\n" \
    "device = torch.device('cuda')\n" \
    "def train(loader):\n" \
    "    model = nn.Linear(4, 2).to(device)\n" \
    "    criterion = nn.CrossEntropyLoss()\n" \
    "    optimizer = torch.optim.Adam(model.parameters())\n" \
    "    total, step = 0.0, 0\n" \
    "    for x, y in loader:\n" \
    "        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)\n" \
    "        optimizer.zero_grad()\n" \
    "        out = model(x)\n" \
    "        loss = criterion(out, y)\n" \
    "        loss.backward()\n" \
    "        optimizer.step()\n" lines "    return total\n" \
    "train(torch.utils.data.DataLoader([1], pin_memory=True, num_workers=2))\n"

static void scalar_reads_of_each_step(void **state)
{
    (void)state;
    expect("ST401", STEP("        total += loss.item()  # ST401\n"));
    expect("ST401", STEP("        total += float(loss)  # ST401\n"));
    expect("ST4", STEP("        total += loss.cpu().item()  # ST401\n"));
    expect("ST401", STEP("        total += loss.detach().item() * x.size(0)  # ST401\n"));
    expect("ST401", STEP("        total += loss.data.mean().item()  # ST401\n"));
    expect("ST401", STEP("        correct = (out.argmax(1) == y).sum()\n"
                         "        total += int(correct)  # ST401\n"));
}

static void reads_of_host_values_are_silent(void **state)
{
    (void)state;
    expect("ST4", STEP("        total += torch.ones(3).sum().item()\n"));
    expect("ST4", STEP("        import numpy as np\n"
                       "        total += np.finfo(np.float32).eps.item()\n"));
    expect("ST4", STEP("        total += float('1.5')\n"));
    expect("ST4", STEP("        for key, value in {'a': 1}.items():\n"
                       "            total += value\n"));
    expect("ST4", STEP("        host = loss.detach().cpu()  # ST404\n"
                       "        total += host.item() + float(host)\n"));
    expect("ST4", STEP("        total += loss.detach()\n"));
}

static void gated_reads_are_notes(void **state)
{
    (void)state;
    expect("ST401", STEP("        step += 1\n"
                         "        if step % 100 == 0:\n"
                         "            print(loss.item())  # ST401 note\n"));
}

static void set_up_and_end_are_silent(void **state)
{
    (void)state;
    expect("ST4", "import torch\n"
                  "model = torch.nn.Linear(2, 2).cuda()\n"
                  "print(model.weight.sum().item())\n");
}

static void runs_without_a_device_are_silent(void **state)
{
    (void)state;
    expect("ST4", "import torch\n"
                  "model = torch.nn.Linear(2, 2)\n"
                  "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                  "for x in [torch.ones(2)]:\n"
                  "    loss = model(x).sum()\n"
                  "    loss.backward()\n"
                  "    optimizer.step()\n"
                  "    print(loss.item())\n");
}

static void python_asks_a_tensor(void **state)
{
    (void)state;
    expect("ST402", STEP("        if torch.isnan(loss):  # ST402\n"
                         "            raise RuntimeError('nan')\n"));
    expect("ST402", STEP("        while loss > 3:  # ST402\n"
                         "            break\n"));
    expect("ST402", STEP("        assert torch.isfinite(out).all()  # ST402\n"));
    expect("ST402", STEP("        scale = 1.0 if loss > 1 else 2.0  # ST402\n"));
    expect("ST402", STEP("        if step and loss > 1:  # ST402\n"
                         "            pass\n"));
    expect("ST402", STEP("        if torch.equal(out, x):  # ST402\n"
                         "            pass\n"));
    expect("ST402", STEP("        best = max(loss, out.sum())  # ST402\n"));
    expect("ST402", STEP("        if 3 in y:  # ST402\n"
                         "            pass\n"));
}

static void tests_of_host_values_are_silent(void **state)
{
    (void)state;
    expect("ST402", STEP("        if loss is None or loss is not None:\n"
                         "            pass\n"
                         "        if out.shape[0] > 3 and x.dim() == 2 and len(x) and x.requires_grad:\n"
                         "            pass\n"
                         "        if isinstance(loss, torch.Tensor):\n"
                         "            pass\n"));
}

static void shown_tensors(void **state)
{
    (void)state;
    expect("ST403", STEP("        print(loss)  # ST403\n"));
    expect("ST403", STEP("        text = f'{loss:.3f}'  # ST403\n"));
    expect("ST403", STEP("        print('loss', loss.shape, x.size(0), step)\n"));
    expect("ST403", STEP("        print('loss %.3f' % loss)  # ST403\n"));
}

static void whole_tensors_read_back(void **state)
{
    (void)state;
    expect("ST404", STEP("        top = out.topk(2)[1].detach().cpu().numpy()  # ST404\n"
                         "        total += sum(row[0] for row in top)\n"));
    expect("ST404", STEP("        top = out.to('cpu')  # ST404\n"
                         "        total += sum(row[0] for row in top.numpy())\n"));
}

static void wrappers_count_where_they_are_called(void **state)
{
    (void)state;
    expect("ST40", "import torch\n"
                   "def to_host(x):\n"
                   "    return x.detach().cpu()\n"
                   "model = torch.nn.Linear(2, 2).cuda()\n"
                   "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                   "kept = []\n"
                   "for x in torch.utils.data.DataLoader([1], pin_memory=True):\n"
                   "    out = model(x.cuda())\n"
                   "    out.sum().backward()\n"
                   "    optimizer.step()\n"
                   "    kept.append(to_host(out))  # ST404\n");
}

static void dead_reads(void **state)
{
    (void)state;
    expect("ST40", STEP("        host = out.detach().cpu().numpy()  # ST405\n"
                        "        del host\n"));
    expect("ST40", STEP("        loss.item()  # ST405\n"));
    expect("ST405", STEP("        host = out.detach().cpu()\n"
                         "        torch.save(host, 'out.pt')\n"
                         "        part = out.detach().cpu()\n"
                         "        torch.distributed.all_reduce(part)\n"
                         "        held = out.detach().cpu()\n"
                         "        unknown(held)\n"));
}

static void sizes_that_the_device_knows(void **state)
{
    (void)state;
    expect("ST406", STEP("        rows = out.nonzero()  # ST406\n"));
    expect("ST406", STEP("        mask = y > 0\n"
                         "        picked = out[mask]  # ST406\n"));
    expect("ST406", STEP("        rows = torch.where(y > 0)  # ST406\n"));
    expect("ST406", STEP("        rows = torch.where(y > 0, y, y)\n"
                         "        rows = torch.unique(y)  # ST406\n"));
    expect("ST406", STEP("        r = torch.repeat_interleave(out, y, dim=0)  # ST406\n"
                         "        r = torch.repeat_interleave(out, y, dim=0, output_size=8)\n"));
    expect("ST406", STEP("        out[y > 0] = 0.0\n"
                         "        part = out[1:3]\n"
                         "        part = out[y]\n"));
}

static void device_numbers_as_sizes(void **state)
{
    (void)state;
    expect("ST407", STEP("        n = y.max()\n"
                         "        part = out[:, :n]  # ST407\n"));
    expect("ST407", STEP("        for i in range(y.max()):  # ST407\n"
                         "            pass\n"));
    expect("ST407", STEP("        n = len(y)\n"
                         "        part = out[:n]\n"
                         "        for i in range(y.shape[0]):\n"
                         "            pass\n"));
}

static void reads_between_forward_and_backward(void **state)
{
    (void)state;
    expect("ST40", "import torch\n"
                   "model = torch.nn.Linear(2, 2).cuda()\n"
                   "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                   "for x in torch.utils.data.DataLoader([1], pin_memory=True):\n"
                   "    out = model(x.cuda())\n"
                   "    loss = out.mean()\n"
                   "    d_x = out.mean().item()  # ST409\n"
                   "    loss.backward()\n"
                   "    optimizer.step()\n"
                   "    g_x = out.max().item()  # ST409\n"
                   "    print(d_x, g_x)\n");
}

static void echoes(void **state)
{
    (void)state;
    expect("ST40", "import torch\n"
                   "model = torch.nn.Linear(2, 2).cuda()\n"
                   "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                   "seen = []\n"
                   "for user, item in torch.utils.data.DataLoader([1], pin_memory=True):\n"
                   "    item = item.cuda()\n"
                   "    loss = model(item).sum()\n"
                   "    loss.backward()\n"
                   "    optimizer.step()\n"
                   "    seen.append(item[0].item())  # ST408\n");
}

/* Method file, 4.1: what looks like a read and is none, or none to speak of. */
static void traps_are_silent(void **state)
{
    (void)state;
    expect("ST4", STEP("        host = y.new_tensor(3)\n"
                       "        total += loss\n"));
    expect("ST40", "import torch\n"
                   "import torch.nn.functional as F\n"
                   "device = torch.device('cuda')\n"
                   "def scores(x):\n"
                   "    return x.numpy().mean()\n"
                   "if not torch.cuda.is_available():\n"
                   "    for i in range(9):\n"
                   "        print(torch.ones(3).sum().item())\n"
                   "for row in torch.utils.data.DataLoader([1]):\n"
                   "    print(scores(row))\n");
    expect("ST4", STEP("        # total += loss.item()\n"
                       "        text = 'loss.item()'\n"));
}

static void a_loop_over_what_was_read_back_is_host_work(void **state)
{
    (void)state;
    expect("ST", "import torch\n"
                 "model = torch.nn.Linear(2, 2).cuda()\n"
                 "def test(loader):\n"
                 "    model.eval()\n"
                 "    hits = []\n"
                 "    with torch.no_grad():\n"
                 "        for x, y in loader:\n"
                 "            top = model(x.cuda(non_blocking=True)).topk(2)[1].cpu().numpy()  # ST404 note\n"
                 "            for row, target in zip(top, y.numpy()):\n"
                 "                hits.append(target in row)\n"
                 "    return hits\n"
                 "test(torch.utils.data.DataLoader([1], pin_memory=True, num_workers=2))\n");
}

static void answers_to_an_environment_are_notes(void **state)
{
    (void)state;
    expect("ST4", "import torch\n"
                  "model = torch.nn.Linear(2, 2).cuda()\n"
                  "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                  "def act(state):\n"
                  "    state = torch.FloatTensor(state).cuda()\n"
                  "    return model(state).cpu().data.numpy()  # ST404 note\n"
                  "def run(env, state):\n"
                  "    for step in range(9):\n"
                  "        state, reward = env.step(act(state))\n"
                  "        model(reward).sum().backward()\n"
                  "        optimizer.step()\n"
                  "run(None, [1.0, 2.0])\n");
}

static void framework_settings(void **state)
{
    (void)state;
    expect("ST410", STEP("        nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)  # ST410\n"
                         "        nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"));
}

static void reads_of_one_statement_are_told_of_once(void **state)
{
    (void)state;
    expect("ST409", STEP("        print(loss.item(),  # ST409\n"
                         "              out.max().item(),  # ST409 note\n"
                         "              out.min().item())  # ST409 note\n"));
    expect("ST409", STEP("        a = loss.item()  # ST409\n"
                         "        b = out.max().item()  # ST409 note\n"
                         "        print(a, b)\n"));
    expect("ST409", STEP("        a = loss.item()  # ST409\n"
                         "        b = model(out).max().item()  # ST409\n"
                         "        print(a, b)\n"));
}

static void filling_by_a_mask_needs_no_size(void **state)
{
    (void)state;
    expect("ST406", STEP("        out[y == 3] = left_out\n"
                         "        out[y == 3] = 0.5\n"));
    expect("ST406", STEP("        some = out[y == 3]  # ST406\n"
                         "        out[y == 3] = some * 2  # ST406 note\n"));
    expect("ST406", STEP("        some = out[y == 3]  # ST406\n"
                         "        out[y == 3] = model(some)  # ST406\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_reads_of_each_step),
        cmocka_unit_test(reads_of_host_values_are_silent),
        cmocka_unit_test(gated_reads_are_notes),
        cmocka_unit_test(set_up_and_end_are_silent),
        cmocka_unit_test(runs_without_a_device_are_silent),
        cmocka_unit_test(python_asks_a_tensor),
        cmocka_unit_test(tests_of_host_values_are_silent),
        cmocka_unit_test(shown_tensors),
        cmocka_unit_test(whole_tensors_read_back),
        cmocka_unit_test(wrappers_count_where_they_are_called),
        cmocka_unit_test(dead_reads),
        cmocka_unit_test(sizes_that_the_device_knows),
        cmocka_unit_test(device_numbers_as_sizes),
        cmocka_unit_test(reads_between_forward_and_backward),
        cmocka_unit_test(echoes),
        cmocka_unit_test(traps_are_silent),
        cmocka_unit_test(a_loop_over_what_was_read_back_is_host_work),
        cmocka_unit_test(answers_to_an_environment_are_notes),
        cmocka_unit_test(framework_settings),
        cmocka_unit_test(reads_of_one_statement_are_told_of_once),
        cmocka_unit_test(filling_by_a_mask_needs_no_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
