/* SPDX-License-Identifier: Apache-2.0 */
#include "rules_case.h"

#define STEP(loader, lines) \
    "import torch\n" \
    "from torch import nn\n" \
    "from torch.utils.data import DataLoader\n" \
    "device = torch.device('cuda')\n" \
    "class Rows(torch.utils.data.Dataset):\n" \
    "    def __getitem__(self, i):\n" \
    "        return torch.ones(3)\n" \
    "def train(data):\n" \
    "    model = nn.Linear(4, 2).to(device)\n" \
    "    optimizer = torch.optim.Adam(model.parameters())\n" \
    "    loader = " loader "\n" \
    "    for x in loader:\n" \
    "        optimizer.zero_grad()\n" lines "        loss = model(x).sum()\n" \
    "        loss.backward()\n" \
    "        optimizer.step()\n" \
    "train(Rows())\n"

#define GOOD  "DataLoader(data, pin_memory=True, num_workers=2)"
#define MOVED "        x = x.to(device, non_blocking=True)\n"

static void created_on_the_host(void **state)
{
    (void)state;
    expect("ST601", STEP(GOOD, MOVED "        h = torch.zeros(4, 8).to(device)  # ST601\n"));
    expect("ST601", STEP(GOOD, MOVED "        h = torch.arange(len(x)).long().cuda()  # ST601\n"));
    expect("ST601", STEP(GOOD, MOVED "        h = torch.zeros(4)\n"
                                     "        h = h.to(device)  # ST601\n"));
    expect("ST601", STEP(GOOD, MOVED "        h = torch.randn(4, 8).to(x.device)  # ST601\n"));
    expect("ST601", STEP(GOOD, MOVED "        h = torch.zeros(4, 8, device=device)\n"
                                     "        h = torch.zeros(4, 8).float()\n"
                                     "        h = x.new_zeros(4)\n"));
}

static void set_up_is_silent(void **state)
{
    (void)state;
    expect("ST601", "import torch\n"
                    "weights = torch.ones(3).cuda()\n"
                    "model = torch.nn.Linear(2, 2).cuda()\n");
}

static void pageable_and_blocking(void **state)
{
    (void)state;
    expect("ST602", STEP("DataLoader(data, num_workers=2)  # ST602", "        x = x.to(device)  # ST602\n"));
    expect("ST602", STEP("DataLoader(data, pin_memory=False)  # ST602", MOVED));
    expect("ST602", STEP(GOOD, "        x = x.cuda()  # ST602\n"));
    expect("ST602", STEP(GOOD, "        x = x.cuda(non_blocking=True)\n"));
}

static void what_is_configured_is_silent(void **state)
{
    (void)state;
    expect("ST60", STEP("DataLoader(data, **data.options)", MOVED));
    expect("ST60", STEP("DataLoader(data, pin_memory=data.pin, num_workers=data.workers)", MOVED));
}

/* Pinning on the main thread may be a mistake or a prefetch of its own: nobody can tell from here. */
static void what_is_pinned_by_hand_is_silent(void **state)
{
    (void)state;
    expect("ST602", STEP(GOOD, "        x = x.pin_memory().to(device, non_blocking=True)\n"));
}

static void wide_uploads(void **state)
{
    (void)state;
    expect("ST603", STEP(GOOD, MOVED "        import numpy as np\n"
                                     "        a = torch.from_numpy(np.zeros((4, 4))).to(device).float()  # ST603\n"));
    expect("ST603", STEP(GOOD, MOVED "        import numpy as np\n"
                                     "        a = torch.from_numpy(np.zeros((4, 4))).float().to(device)\n"));
}

static void loaders_without_workers(void **state)
{
    (void)state;
    expect("ST604", STEP("DataLoader(data, pin_memory=True)  # ST604", MOVED));
    expect("ST604", STEP("DataLoader(data, pin_memory=True, num_workers=0)  # ST604", MOVED));
    expect("ST604", STEP(GOOD, MOVED));
}

static void data_on_the_device_needs_none(void **state)
{
    (void)state;
    expect("ST60", "import torch\n"
                   "from torch.utils.data import DataLoader, TensorDataset\n"
                   "data = torch.ones(8, 2).cuda()\n"
                   "model = torch.nn.Linear(2, 2).cuda()\n"
                   "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                   "for x, in DataLoader(TensorDataset(data), batch_size=2):\n"
                   "    model(x).sum().backward()\n"
                   "    optimizer.step()\n");
}

static void explicit_waits(void **state)
{
    (void)state;
    expect("ST606", STEP(GOOD, MOVED "        torch.cuda.synchronize()  # ST606\n"
                                     "        torch.cuda.empty_cache()  # ST606\n"));
    expect("ST606", "import os\n"
                    "import torch\n"
                    "os.environ['CUDA_LAUNCH_BLOCKING'] = '1'  # ST606\n"
                    "torch.autograd.set_detect_anomaly(True)  # ST606\n"
                    "torch.cuda.synchronize()\n");
}

/* ---- one upload, told of once ---- */

static void the_heavier_advice_counts(void **state)
{
    (void)state;
    expect("ST602",
           STEP(GOOD, MOVED "        ids = torch.LongTensor([k for k in range(len(x))]).to(device)  # ST602 note\n"));
    expect("ST602", STEP(GOOD, MOVED "        w = np.asarray([k for k in range(3)])\n"
                                     "        h = torch.from_numpy(rows(loss)).to(device)  # ST602\n"));
    expect("ST602", STEP(GOOD, "        parts = [p.to(device) for p in x]  # ST602 note\n"));
    expect("ST602", STEP(GOOD, "        x = torch.from_numpy(x.numpy()).to(device)  # ST602\n"));
}

static void constructors_of_the_device_copy_arrays(void **state)
{
    (void)state;
    const char *const code = STEP(GOOD, MOVED "        import numpy as np\n"
                                              "        a = torch.cuda.FloatTensor(np.random.rand(4, 4))  # ST601\n"
                                              "        c = torch.cuda.FloatTensor(4, 4)\n");
    expect("ST601", code);
    expect("ST602", STEP(GOOD, MOVED "        import numpy as np\n"
                                     "        b = torch.tensor(np.asarray(rows(loss)), device=device)  # ST602\n"));
}

static void a_tensor_that_the_host_fills_is_made_there(void **state)
{
    (void)state;
    expect("ST601", STEP(GOOD, MOVED "        h = torch.zeros(4)\n"
                                     "        h[[k for k in rows()]] = 1\n"
                                     "        h = h.to(device)\n"));
}

static void copies_into_a_buffer(void **state)
{
    (void)state;
    expect("ST602", STEP(GOOD, MOVED "        room = torch.zeros(4, 2, device=device)\n"
                                     "        room[0].copy_(torch.from_numpy(rows(loss)))  # ST602\n"
                                     "        room[1].copy_(torch.from_numpy(rows(loss)), True)\n"
                                     "        room[1].copy_(x[0])\n"));
}

/* ---- who goes over a loader ---- */

#define LOADED(lines) \
    "import torch\n" \
    "from torch.utils.data import DataLoader\n" \
    "class Files(torch.utils.data.Dataset):\n" \
    "    def __getitem__(self, i):\n" \
    "        return decode(self.names[i])\n" \
    "model = torch.nn.Linear(2, 2).cuda()\n" \
    "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n" lines

#define TRAINED(loader) \
    "for x in " loader ":\n" \
    "    model(x.cuda()).sum().backward()\n" \
    "    optimizer.step()\n"

static void loaders_are_judged_by_who_goes_over_them(void **state)
{
    (void)state;
    expect("ST604", LOADED("shown = DataLoader(Files())  # ST604 note\n"
                           "rows = DataLoader(Files())  # ST604\n"
                           "def show(i):\n"
                           "    if i % 100 == 0:\n"
                           "        draw(model(next(iter(shown)).cuda()))\n"
                           "def fit(batches):\n"
                           "    for i, x in enumerate(batches):\n"
                           "        model(x.cuda()).sum().backward()\n"
                           "        optimizer.step()\n"
                           "        show(i)\n"
                           "fit(rows)\n"));
    expect("ST604", LOADED("def checked():\n"
                           "    return DataLoader(Files())  # ST604 note\n"
                           "for x in checked():\n"
                           "    model(x.cuda())\n"));
    expect("ST604", LOADED("other = DataLoader(Files())  # ST604\n"
                           "elsewhere(other)\n"));
}

static void data_in_memory_needs_no_workers(void **state)
{
    (void)state;
    expect("ST604", LOADED("class Held(torch.utils.data.Dataset):\n"
                           "    def __getitem__(self, i):\n"
                           "        return self.rows[i], self.labels[i].long()\n"
                           "rows = DataLoader(Held())  # ST604 note\n" TRAINED("rows")));
    expect("ST604", LOADED("rows = DataLoader(Files())  # ST604\n" TRAINED("rows")));
}

static void a_program_without_a_device_has_nothing_that_waits(void **state)
{
    (void)state;
    expect("ST60", "import torch\n"
                   "model = torch.nn.Linear(2, 2)\n"
                   "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                   "for x in torch.utils.data.DataLoader(data()):\n"
                   "    model(x).sum().backward()\n"
                   "    optimizer.step()\n"
                   "#: other.py\n" LOADED("rows = DataLoader(Files(), pin_memory=True)  # ST604\n"
                                          "for x in rows:\n"
                                          "    model(x.cuda(non_blocking=True)).sum().backward()  # ST605 note\n"
                                          "    optimizer.step()\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(created_on_the_host),
        cmocka_unit_test(set_up_is_silent),
        cmocka_unit_test(pageable_and_blocking),
        cmocka_unit_test(what_is_configured_is_silent),
        cmocka_unit_test(what_is_pinned_by_hand_is_silent),
        cmocka_unit_test(wide_uploads),
        cmocka_unit_test(loaders_without_workers),
        cmocka_unit_test(data_on_the_device_needs_none),
        cmocka_unit_test(explicit_waits),
        cmocka_unit_test(the_heavier_advice_counts),
        cmocka_unit_test(constructors_of_the_device_copy_arrays),
        cmocka_unit_test(a_tensor_that_the_host_fills_is_made_there),
        cmocka_unit_test(copies_into_a_buffer),
        cmocka_unit_test(loaders_are_judged_by_who_goes_over_them),
        cmocka_unit_test(data_in_memory_needs_no_workers),
        cmocka_unit_test(a_program_without_a_device_has_nothing_that_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
