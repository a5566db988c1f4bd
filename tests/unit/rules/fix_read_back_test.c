/* SPDX-License-Identifier: Apache-2.0 */
#include "fix_case.h"

#define HEAD \
    "import torch\n" \
    "model = torch.nn.Linear(4, 2).cuda()\n" \
    "criterion = torch.nn.CrossEntropyLoss()\n" \
    "optimizer = torch.optim.Adam(model.parameters())\n"
#define LOOP \
    "    for i, (x, y) in enumerate(loader):\n" \
    "        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)\n" \
    "        out = model(x)\n" \
    "        loss = criterion(out, y)\n" \
    "        loss.backward()\n" \
    "        optimizer.step()\n"
#define CALL "train(torch.utils.data.DataLoader([1], pin_memory=True, num_workers=2))\n"

static void a_sum_is_read_where_it_is_used(void **state)
{
    (void)state;
    becomes("ST401",
            HEAD "def train(loader):\n"
                 "    total = 0.0  # of an epoch\n" LOOP "        total += loss.item()  # keep me\n"
                 "    print(total / len(loader))\n" CALL,
            HEAD "def train(loader):\n"
                 "    total = 0.0  # of an epoch\n" LOOP "        total += loss.detach().double()  # keep me\n"
                 "    total = float(total)\n"
                 "    print(total / len(loader))\n" CALL);
}

static void a_gated_use_reads_there(void **state)
{
    (void)state;
    becomes("ST401",
            HEAD "def train(loader):\n"
                 "    running = 0.0\n" LOOP "        running += float(loss) * x.size(0)\n"
                 "        if i % 100 == 99:\n"
                 "            print(running / 100)\n"
                 "            running = 0.0\n" CALL,
            HEAD "def train(loader):\n"
                 "    running = 0.0\n" LOOP "        running += loss.detach().double() * x.size(0)\n"
                 "        if i % 100 == 99:\n"
                 "            print(float(running) / 100)\n"
                 "            running = 0.0\n" CALL);
}

static void counts_stay_whole(void **state)
{
    (void)state;
    becomes("ST401",
            HEAD "def train(loader):\n"
                 "    right = 0\n" LOOP "        right += (out.argmax(1) == y).sum().item()\n"
                 "    return right\n" CALL,
            HEAD "def train(loader):\n"
                 "    right = 0\n" LOOP "        right += (out.argmax(1) == y).sum().detach()\n"
                 "    right = int(right)\n"
                 "    return right\n" CALL);
}

static void line_ends_stay(void **state)
{
    (void)state;
    becomes("ST401",
            "import torch\r\n"
            "model = torch.nn.Linear(4, 2).cuda()\r\n"
            "optimizer = torch.optim.Adam(model.parameters())\r\n"
            "def train(loader):\r\n"
            "    total = 0.0\r\n"
            "    for x in loader:\r\n"
            "        loss = model(x.cuda()).sum()\r\n"
            "        loss.backward()\r\n"
            "        optimizer.step()\r\n"
            "        total += loss.item()\r\n"
            "    return total\r\n"
            "train(torch.utils.data.DataLoader([1]))\r\n",
            "import torch\r\n"
            "model = torch.nn.Linear(4, 2).cuda()\r\n"
            "optimizer = torch.optim.Adam(model.parameters())\r\n"
            "def train(loader):\r\n"
            "    total = 0.0\r\n"
            "    for x in loader:\r\n"
            "        loss = model(x.cuda()).sum()\r\n"
            "        loss.backward()\r\n"
            "        optimizer.step()\r\n"
            "        total += loss.detach().double()\r\n"
            "    total = float(total)\r\n"
            "    return total\r\n"
            "train(torch.utils.data.DataLoader([1]))\r\n");
}

static void sums_that_are_needed_each_step_stay(void **state)
{
    (void)state;
    stays("ST401", HEAD "def train(loader):\n"
                        "    total = 0.0\n" LOOP "        total += loss.item()\n"
                        "        print(total)\n" CALL);
    stays("ST401", HEAD "def train(loader):\n"
                        "    total = None\n" LOOP "        total += loss.item()\n"
                        "    return total\n" CALL);
    stays("ST401", HEAD "class State:\n"
                        "    total = 0.0\n"
                        "def train(loader):\n"
                        "    state = State()\n" LOOP "        state.total += loss.item()\n"
                        "    return state.total\n" CALL);
}

/* One wait less beside one that stays gains nothing: all reads of the step are deferred, or none. */
static void sums_beside_another_wait_stay(void **state)
{
    (void)state;
    stays("ST401", HEAD "def train(loader):\n"
                        "    total = 0.0\n" LOOP "        total += loss.item()\n"
                        "        print(loss.item())\n"
                        "    return total\n" CALL);
    becomes("ST401",
            HEAD "def train(loader):\n"
                 "    total, right = 0.0, 0\n"
                 "    total = 0.0\n"
                 "    right = 0\n" LOOP "        total += float(loss.detach())\n"
                 "        right += (out.argmax(1) == y).sum().item()\n"
                 "        if i % 100 == 0:\n"
                 "            print(loss.item())\n"
                 "    return total, right\n" CALL,
            HEAD "def train(loader):\n"
                 "    total, right = 0.0, 0\n"
                 "    total = 0.0\n"
                 "    right = 0\n" LOOP "        total += loss.detach().double()\n"
                 "        right += (out.argmax(1) == y).sum().detach()\n"
                 "        if i % 100 == 0:\n"
                 "            print(loss.item())\n"
                 "    total = float(total)\n"
                 "    right = int(right)\n"
                 "    return total, right\n" CALL);
}

/* Who takes the time of each step wants the wait; who takes that of a hundred does not. */
static void sums_of_timed_steps_stay(void **state)
{
    (void)state;
    stays("ST401", HEAD "import time\n"
                        "def train(loader, meter):\n"
                        "    total = 0.0\n"
                        "    end = time.time()\n" LOOP "        total += loss.item()\n"
                        "        meter.update(time.time() - end)\n"
                        "        end = time.time()\n"
                        "    return total\n"
                        "train(torch.utils.data.DataLoader([1], pin_memory=True, num_workers=2), None)\n");
    becomes("ST401",
            HEAD "import time\n"
                 "def train(loader):\n"
                 "    total = 0.0\n"
                 "    begin = time.time()\n" LOOP "        total += loss.item()\n"
                 "        if i % 100 == 0:\n"
                 "            print(time.time() - begin)\n"
                 "    return total\n" CALL,
            HEAD "import time\n"
                 "def train(loader):\n"
                 "    total = 0.0\n"
                 "    begin = time.time()\n" LOOP "        total += loss.detach().double()\n"
                 "        if i % 100 == 0:\n"
                 "            print(time.time() - begin)\n"
                 "    total = float(total)\n"
                 "    return total\n" CALL);
}

/* MPS has no float64; whole numbers it can add. */
static void sums_that_may_run_without_doubles_stay(void **state)
{
    (void)state;
    stays("ST401", HEAD "device = 'mps' if torch.backends.mps.is_available() else 'cuda'\n"
                        "def train(loader):\n"
                        "    total = 0.0\n" LOOP "        total += loss.item()\n"
                        "    return total\n" CALL);
    becomes("ST401",
            HEAD "device = 'mps' if torch.backends.mps.is_available() else 'cuda'\n"
                 "def train(loader):\n"
                 "    right = 0\n" LOOP "        right += (out.argmax(1) == y).sum().item()\n"
                 "    return right\n" CALL,
            HEAD "device = 'mps' if torch.backends.mps.is_available() else 'cuda'\n"
                 "def train(loader):\n"
                 "    right = 0\n" LOOP "        right += (out.argmax(1) == y).sum().detach()\n"
                 "    right = int(right)\n"
                 "    return right\n" CALL);
}

static void dead_reads_go(void **state)
{
    (void)state;
    becomes("ST405",
            HEAD "def train(loader):\n" LOOP "        out = out.detach().cpu().numpy()\n"
                 "        del out\n" CALL,
            HEAD "def train(loader):\n" LOOP "        del out\n" CALL);
    stays("ST405", HEAD "def train(loader):\n" LOOP "        host = out.detach().cpu()\n"
                        "        del host\n" CALL);
    becomes("ST405", HEAD "def train(loader):\n" LOOP "        loss.item()\n" CALL,
            HEAD "def train(loader):\n" LOOP CALL);
}

static void echoes_ask_the_host(void **state)
{
    (void)state;
    becomes("ST408",
            HEAD "def train(loader, seen):\n"
                 "    for x, y in loader:\n"
                 "        y = y.cuda()\n"
                 "        loss = criterion(model(x.cuda()), y)\n"
                 "        loss.backward()\n"
                 "        optimizer.step()\n"
                 "        seen.append(y[0].item())\n"
                 "train(torch.utils.data.DataLoader([1]), [])\n",
            HEAD "def train(loader, seen):\n"
                 "    for x, y in loader:\n"
                 "        y_on_host = y\n"
                 "        y = y.cuda()\n"
                 "        loss = criterion(model(x.cuda()), y)\n"
                 "        loss.backward()\n"
                 "        optimizer.step()\n"
                 "        seen.append(y_on_host[0].item())\n"
                 "train(torch.utils.data.DataLoader([1]), [])\n");
}

static void a_move_that_converts_is_no_echo(void **state)
{
    (void)state;
    stays("ST408", HEAD "def train(loader, seen):\n"
                        "    for x, y in loader:\n"
                        "        y = y.to('cuda', torch.long)\n"
                        "        loss = criterion(model(x.cuda()), y)\n"
                        "        loss.backward()\n"
                        "        optimizer.step()\n"
                        "        seen.append(y[0].item())\n"
                        "train(torch.utils.data.DataLoader([1]), [])\n");
}

static void several_reads_become_one(void **state)
{
    (void)state;
    becomes("ST409",
            HEAD "def train(loader, log):\n" LOOP "        a = loss.item()\n"
                 "        b = out.max().item()\n"
                 "        log.append((a, b))\n"
                 "train(torch.utils.data.DataLoader([1], pin_memory=True), [])\n",
            HEAD "def train(loader, log):\n" LOOP "        a, b = torch.stack([loss, out.max()]).tolist()\n"
                 "        log.append((a, b))\n"
                 "train(torch.utils.data.DataLoader([1], pin_memory=True), [])\n");
    becomes("ST409",
            HEAD "def train(loader, log):\n" LOOP "        log.append((loss.item(), out.max().item()))\n"
                 "train(torch.utils.data.DataLoader([1], pin_memory=True), [])\n",
            HEAD "def train(loader, log):\n" LOOP
                 "        loss_value, out_max = torch.stack([loss, out.max()]).tolist()\n"
                 "        log.append((loss_value, out_max))\n"
                 "train(torch.utils.data.DataLoader([1], pin_memory=True), [])\n");
}

static void names_of_reads_tell_what_is_read(void **state)
{
    (void)state;
    becomes("ST409",
            HEAD "def train(loader, log):\n" LOOP "        cls_loss = out.max()\n"
                 "        log.append((cls_loss.item(), loss.data.item()))\n"
                 "train(torch.utils.data.DataLoader([1], pin_memory=True), [])\n",
            HEAD "def train(loader, log):\n" LOOP "        cls_loss = out.max()\n"
                 "        cls_loss_value, loss_value = torch.stack([cls_loss, loss.data]).tolist()\n"
                 "        log.append((cls_loss_value, loss_value))\n"
                 "train(torch.utils.data.DataLoader([1], pin_memory=True), [])\n");
    becomes("ST409",
            HEAD "def train(loader, log):\n" LOOP
                 "        loss_of_generator, loss_of_discriminator = out.max(), out.min()\n"
                 "        log.append((loss_of_generator.item(), loss_of_discriminator.item()))\n"
                 "train(torch.utils.data.DataLoader([1], pin_memory=True), [])\n",
            HEAD "def train(loader, log):\n" LOOP
                 "        loss_of_generator, loss_of_discriminator = out.max(), out.min()\n"
                 "        loss_of_generator_value, loss_of_discriminator_value = torch.stack(\n"
                 "            [loss_of_generator, loss_of_discriminator]\n"
                 "        ).tolist()\n"
                 "        log.append((loss_of_generator_value, loss_of_discriminator_value))\n"
                 "train(torch.utils.data.DataLoader([1], pin_memory=True), [])\n");
}

#define LOGS(names)   "        log.append((" names "))\n"
#define STACKED(a, b) "        " a ", " b " = torch.stack([loss, out.max()]).tolist()\n" LOGS(a ", " b)
#define READS         LOGS("loss.item(), out.max().item()")
#define TAIL \
    "first(torch.utils.data.DataLoader([1], pin_memory=True), [])\n" \
    "train(torch.utils.data.DataLoader([1], pin_memory=True), [])\n"

static void a_name_of_another_function_is_free(void **state)
{
    (void)state;
    becomes("ST409",
            HEAD "def first(loader, log):\n" LOOP READS "def train(loader, log):\n"
                 "    loss_value = 3\n" LOOP READS "    return loss_value\n" TAIL,
            HEAD "def first(loader, log):\n" LOOP STACKED(
                "loss_value", "out_max") "def train(loader, log):\n"
                                         "    loss_value = 3\n" LOOP STACKED("loss_value_2",
                                                                             "out_max") "    return loss_value\n" TAIL);
    becomes("ST409", HEAD "def train(loader, log):\n" LOOP READS READS TAIL,
            HEAD "def train(loader, log):\n" LOOP STACKED("loss_value", "out_max") STACKED("loss_value_2", "out_max_2")
                TAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_read_where_it_is_used),
        cmocka_unit_test(a_gated_use_reads_there),
        cmocka_unit_test(counts_stay_whole),
        cmocka_unit_test(line_ends_stay),
        cmocka_unit_test(sums_that_are_needed_each_step_stay),
        cmocka_unit_test(sums_beside_another_wait_stay),
        cmocka_unit_test(sums_of_timed_steps_stay),
        cmocka_unit_test(sums_that_may_run_without_doubles_stay),
        cmocka_unit_test(dead_reads_go),
        cmocka_unit_test(echoes_ask_the_host),
        cmocka_unit_test(a_move_that_converts_is_no_echo),
        cmocka_unit_test(several_reads_become_one),
        cmocka_unit_test(names_of_reads_tell_what_is_read),
        cmocka_unit_test(a_name_of_another_function_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
