/* SPDX-License-Identifier: Apache-2.0 */
#include "fix_case.h"

#define STEP(loader, lines) \
    "import torch\n" \
    "from torch import nn\n" \
    "from torch.utils.data import DataLoader\n" \
    "device = torch.device('cuda')\n" \
    "def train(data):\n" \
    "    model = nn.Linear(4, 2).to(device)\n" \
    "    optimizer = torch.optim.Adam(model.parameters())\n" \
    "    loader = " loader "\n" \
    "    for x in loader:\n" \
    "        optimizer.zero_grad()\n" lines "        loss = model(x).sum()\n" \
    "        loss.backward()\n" \
    "        optimizer.step()\n" \
    "train([])\n"
#define LOOP_OF(before, lines) \
    "import torch\n" \
    "from torch import nn\n" \
    "from torch.utils.data import DataLoader\n" \
    "device = torch.device('cuda')\n" \
    "def train(data):\n" \
    "    model = nn.Linear(4, 2).to(device)\n" \
    "    optimizer = torch.optim.Adam(model.parameters())\n" \
    "    loader = " GOOD "\n" before "    for x in loader:\n" \
    "        optimizer.zero_grad()\n" lines "        loss = model(x).sum()\n" \
    "        loss.backward()\n" \
    "        optimizer.step()\n" \
    "train([])\n"
#define GOOD  "DataLoader(data, pin_memory=True, num_workers=2)"
#define MOVED "        x = x.to(device, non_blocking=True)\n"

static void made_on_the_device(void **state)
{
    (void)state;
    becomes("ST601", STEP(GOOD, MOVED "        h = torch.zeros(4, 8).to(device)  # why\n"),
            STEP(GOOD, MOVED "        h = torch.zeros(4, 8, device=device)  # why\n"));
    becomes("ST601", STEP(GOOD, MOVED "        h = torch.arange(len(x)).long().to(x.device)\n"),
            STEP(GOOD, MOVED "        h = torch.arange(len(x), device=x.device).long()\n"));
    becomes("ST601", STEP(GOOD, MOVED "        h = torch.ones((4, 8), dtype=torch.float64).cuda()\n"),
            STEP(GOOD, MOVED "        h = torch.ones((4, 8), dtype=torch.float64, device=\"cuda\")\n"));
    becomes("ST601", STEP(GOOD, MOVED "        h = torch.bernoulli(torch.full((4, 1), 0.5)).to(device)\n"),
            STEP(GOOD, MOVED "        h = torch.bernoulli(torch.full((4, 1), 0.5, device=device))\n"));
}

static void made_on_the_device_through_a_helper(void **state)
{
    (void)state;
    becomes("ST601",
            "import torch\n"
            "device = torch.device('cuda')\n"
            "def on(tensor):\n"
            "    return tensor.to(device)\n"
            "model = on(torch.nn.Linear(4, 2))\n"
            "optimizer = torch.optim.Adam(model.parameters())\n"
            "def step(n):\n"
            "    loss = model(on(torch.zeros(n, 4))).sum()\n"
            "    loss.backward()\n"
            "    optimizer.step()\n"
            "for n in range(9):\n"
            "    step(n)\n",
            "import torch\n"
            "device = torch.device('cuda')\n"
            "def on(tensor):\n"
            "    return tensor.to(device)\n"
            "model = on(torch.nn.Linear(4, 2))\n"
            "optimizer = torch.optim.Adam(model.parameters())\n"
            "def step(n):\n"
            "    loss = model(torch.zeros(n, 4, device=device)).sum()\n"
            "    loss.backward()\n"
            "    optimizer.step()\n"
            "for n in range(9):\n"
            "    step(n)\n");
}

static void what_has_no_device_argument_stays(void **state)
{
    (void)state;
    stays("ST601", STEP(GOOD, MOVED "        h = torch.Tensor(4, 8).to(device)\n"));
    stays("ST601", STEP(GOOD, MOVED "        h = torch.zeros(4, 8).to(device, torch.float64)\n"));
}

static void copies_do_not_block(void **state)
{
    (void)state;
    becomes("ST602", STEP("DataLoader(data, num_workers=2)", "        x = x.to(device)\n"),
            STEP("DataLoader(data, num_workers=2, pin_memory=torch.cuda.is_available())",
                 "        x = x.to(device, non_blocking=True)\n"));
    becomes("ST602", STEP("DataLoader(data, pin_memory=False, num_workers=2)", "        x = x.cuda()\n"),
            STEP("DataLoader(data, pin_memory=torch.cuda.is_available(), num_workers=2)",
                 "        x = x.cuda(non_blocking=True)\n"));
}

/* non_blocking=True of memory that is not pinned would silence the rule and change nothing. */
static void copies_wait_for_pinned_memory(void **state)
{
    (void)state;
    stays("ST602", "import torch\n"
                   "def train(model, batches, optimizer):\n"
                   "    model.cuda()\n"
                   "    for x in batches:\n"
                   "        loss = model(torch.from_numpy(x).cuda()).sum()\n"
                   "        loss.backward()\n"
                   "        optimizer.step()\n");
    stays("ST602", STEP("DataLoader(data, **options)", "        x = x.to(device)\n"));
    becomes("ST602", STEP("DataLoader(data, pin_memory=True, **options)", "        x = x.to(device)\n"),
            STEP("DataLoader(data, pin_memory=True, **options)", "        x = x.to(device, non_blocking=True)\n"));
}

static void arguments_over_several_lines(void **state)
{
    (void)state;
    becomes(
        "ST602", STEP("DataLoader(\n        data,\n        num_workers=2,  # two\n    )", MOVED),
        STEP(
            "DataLoader(\n        data,\n        num_workers=2,  # two\n        pin_memory=torch.cuda.is_available(),\n    )",
            MOVED));
    /* two a line: below, where the line would become too wide */
    becomes(
        "ST602",
        STEP("DataLoader(\n        data.of_training(the_folder), num_workers=2, batch_size=data.batch_size)", MOVED),
        STEP("DataLoader(\n        data.of_training(the_folder), num_workers=2, batch_size=data.batch_size,\n"
             "        pin_memory=torch.cuda.is_available())",
             MOVED));
}

/* Views of pinned batches and their parts are pinned as well. */
static void parts_of_pinned_batches_do_not_block(void **state)
{
    (void)state;
    becomes("ST602", STEP(GOOD, "        x = x.reshape(-1, 4).to(device)\n"),
            STEP(GOOD, "        x = x.reshape(-1, 4).to(device, non_blocking=True)\n"));
    stays("ST602", STEP(GOOD, "        x = (x + 1).to(device)\n"));
    becomes("ST602", STEP(GOOD, "        x = x.type(torch.cuda.FloatTensor)\n"),
            STEP(GOOD, "        x = x.type(torch.cuda.FloatTensor, non_blocking=True)\n"));
}

#define HELPER(model, option) \
    "import torch\n" \
    "def on_gpu(x):\n" \
    "    return x.cuda(" option ")\n" \
    "model = " model "\n" \
    "optimizer = torch.optim.Adam(model.parameters())\n" \
    "for x in torch.utils.data.DataLoader([1], pin_memory=True, num_workers=2):\n" \
    "    model(on_gpu(x)).sum().backward()\n" \
    "    optimizer.step()\n"

/* Module.cuda() takes no non_blocking=. */
static void helpers_that_move_modules_too_stay(void **state)
{
    (void)state;
    becomes("ST602", HELPER("torch.nn.Linear(4, 2).cuda()", ""),
            HELPER("torch.nn.Linear(4, 2).cuda()", "non_blocking=True"));
    stays("ST602", HELPER("on_gpu(torch.nn.Linear(4, 2))", ""));
}

/* The parts of a batch, one after the other: with a loader that pins, none of the copies waits. */
static void copies_of_parts_do_not_block(void **state)
{
    (void)state;
    becomes("ST502", STEP(GOOD, "        x = [part.to(device) for part in x]\n"),
            STEP(GOOD, "        x = [part.to(device, non_blocking=True) for part in x]\n"));
    becomes("ST502", STEP(GOOD, "        x = {name: part.to(device) for name, part in x.items()}\n"),
            STEP(GOOD, "        x = {name: part.to(device, non_blocking=True) for name, part in x.items()}\n"));
    stays("ST502", STEP("DataLoader(data)", "        x = [part.to(device) for part in x]\n"));
}

/* Pinned batches that nobody copies cost memory and gain nothing: rows of an index, for one. */
static void loaders_that_gain_nothing_by_pinning_stay(void **state)
{
    (void)state;
    stays("ST602", STEP("DataLoader(data, num_workers=2)", "        x = x.transpose(0, 1).contiguous().to(device)\n"));
    stays("ST602", STEP("DataLoader(data, num_workers=2)", "        y = x.clone()\n        x = y.to(device)\n"));
    stays("ST602", STEP("DataLoader(data, num_workers=2)", "        x = torch.cat([x, x]).to(device)\n"));
    stays("ST602", STEP("DataLoader(data)", "        x = torch.from_numpy(x.numpy()).to(device)\n"));
    becomes("ST602", STEP("DataLoader(data)", "        x = x.to(device)\n"),
            STEP("DataLoader(data, pin_memory=torch.cuda.is_available())",
                 "        x = x.to(device, non_blocking=True)\n"));
    becomes("ST602", STEP("DataLoader(data, num_workers=2)", "        x = x.view(-1, 4).to(device)\n"),
            STEP("DataLoader(data, num_workers=2, pin_memory=torch.cuda.is_available())",
                 "        x = x.view(-1, 4).to(device, non_blocking=True)\n"));
}

static void loaders_without_a_copy_stay(void **state)
{
    (void)state;
    stays("ST602", STEP("DataLoader(data, num_workers=2)", "        x = data.rows[x]\n"));
}

static void tuples_are_broken_as_black_does(void **state)
{
    (void)state;
    becomes("ST602",
            "import torch\n"
            "from torch.utils.data import DataLoader\n"
            "def train(model, optimizer, device):\n"
            "    model.cuda()\n"
            "    for inputs, labels in DataLoader([1], pin_memory=True, num_workers=2):\n"
            "        inputs, labels = inputs.cuda(device), labels.cuda(device)\n"
            "        model(inputs, labels).backward()\n"
            "        optimizer.step()\n",
            "import torch\n"
            "from torch.utils.data import DataLoader\n"
            "def train(model, optimizer, device):\n"
            "    model.cuda()\n"
            "    for inputs, labels in DataLoader([1], pin_memory=True, num_workers=2):\n"
            "        inputs, labels = (\n"
            "            inputs.cuda(device, non_blocking=True),\n"
            "            labels.cuda(device, non_blocking=True),\n"
            "        )\n"
            "        model(inputs, labels).backward()\n"
            "        optimizer.step()\n");
}

static void all_indices_of_a_place_are_made_on_the_device(void **state)
{
    (void)state;
    becomes("ST503",
            STEP(GOOD, MOVED "        n, h = len(x), model(x)\n"
                             "        h[torch.arange(n), torch.arange(n) + 1] = 0\n"),
            STEP(GOOD,
                 MOVED "        n, h = len(x), model(x)\n"
                       "        h[torch.arange(n, device=h.device), torch.arange(n, device=h.device) + 1] = 0\n"));
    becomes("ST503",
            STEP(GOOD, MOVED "        number_of_rows, h = len(x), model(x)\n"
                             "        h[torch.arange(number_of_rows), torch.arange(number_of_rows)] = 0\n"),
            STEP(GOOD, MOVED "        number_of_rows, h = len(x), model(x)\n"
                             "        h[\n"
                             "            torch.arange(number_of_rows, device=h.device),\n"
                             "            torch.arange(number_of_rows, device=h.device),\n"
                             "        ] = 0\n"));
    stays("ST503", STEP(GOOD, MOVED "        h = model(x)\n"
                                    "        h[torch.arange(len(x)), torch.tensor(data.columns)] = 0\n"));
}

static void narrowed_before_the_copy(void **state)
{
    (void)state;
    becomes("ST603",
            STEP(GOOD, MOVED "        import numpy as np\n"
                             "        a = torch.from_numpy(np.zeros((4, 4))).to(device).float() + 1\n"),
            STEP(GOOD, MOVED "        import numpy as np\n"
                             "        a = torch.from_numpy(np.zeros((4, 4))).float().to(device) + 1\n"));
}

static void invariant_uploads_leave_the_loop(void **state)
{
    (void)state;
    becomes("ST501", STEP(GOOD, MOVED "        weights = data.weights.to(device)\n"),
            STEP(GOOD, MOVED "        weights = data.weights.to(device)\n"));
}

/* What asks for a device goes with the upload: without one it would fail before the loop. */
static void guards_leave_the_loop_with_what_they_guard(void **state)
{
    (void)state;
    becomes("ST501",
            LOOP_OF("", MOVED "        if torch.cuda.is_available():\n"
                              "            x = x + torch.tensor([1.0, 2.0]).cuda()\n"),
            LOOP_OF("    if torch.cuda.is_available():\n"
                    "        constant_on_device = torch.tensor([1.0, 2.0]).cuda()\n",
                    MOVED "        if torch.cuda.is_available():\n"
                          "            x = x + constant_on_device\n"));
    becomes("ST501",
            LOOP_OF("", MOVED "        if torch.cuda.is_available():\n"
                              "            shift = torch.tensor([1.0, 2.0]).cuda()\n"
                              "        x = x + shift\n"),
            LOOP_OF("    if torch.cuda.is_available():\n"
                    "        shift = torch.tensor([1.0, 2.0]).cuda()\n",
                    MOVED "        x = x + shift\n"));
    stays("ST501", LOOP_OF("", MOVED "        if not torch.cuda.is_available():\n"
                                     "            pass\n"
                                     "        else:\n"
                                     "            x = x + torch.tensor([1.0, 2.0]).cuda()\n"));
}

/* One guard for what leaves a loop together, and one name for what is the same. */
static void guards_that_are_equal_stand_once(void **state)
{
    (void)state;
    becomes("ST501",
            LOOP_OF("", MOVED "        if torch.cuda.is_available():\n"
                              "            x = x + torch.tensor([1.0, 2.0]).cuda()\n"
                              "        if torch.cuda.is_available():\n"
                              "            x = x * torch.tensor([3.0, 4.0]).cuda()\n"),
            LOOP_OF("    if torch.cuda.is_available():\n"
                    "        constant_on_device = torch.tensor([1.0, 2.0]).cuda()\n"
                    "        constant_on_device_2 = torch.tensor([3.0, 4.0]).cuda()\n",
                    MOVED "        if torch.cuda.is_available():\n"
                          "            x = x + constant_on_device\n"
                          "        if torch.cuda.is_available():\n"
                          "            x = x * constant_on_device_2\n"));
    becomes("ST501",
            LOOP_OF("", MOVED "        if torch.cuda.is_available():\n"
                              "            x = x + torch.tensor([1.0, 2.0]).cuda()\n"
                              "        if torch.cuda.is_available():\n"
                              "            x = x * torch.tensor([1.0, 2.0]).cuda()\n"),
            LOOP_OF("    if torch.cuda.is_available():\n"
                    "        constant_on_device = torch.tensor([1.0, 2.0]).cuda()\n",
                    MOVED "        if torch.cuda.is_available():\n"
                          "            x = x + constant_on_device\n"
                          "        if torch.cuda.is_available():\n"
                          "            x = x * constant_on_device\n"));
}

static void guards_that_differ_stand_apart(void **state)
{
    (void)state;
    becomes("ST501",
            LOOP_OF("", MOVED "        if torch.cuda.is_available():\n"
                              "            x = x + torch.tensor([1.0, 2.0]).cuda()\n"
                              "        if torch.cuda.device_count():\n"
                              "            x = x * torch.tensor([1.0, 2.0]).cuda()\n"),
            LOOP_OF("    if torch.cuda.is_available():\n"
                    "        constant_on_device = torch.tensor([1.0, 2.0]).cuda()\n"
                    "    if torch.cuda.device_count():\n"
                    "        constant_on_device_2 = torch.tensor([1.0, 2.0]).cuda()\n",
                    MOVED "        if torch.cuda.is_available():\n"
                          "            x = x + constant_on_device\n"
                          "        if torch.cuda.device_count():\n"
                          "            x = x * constant_on_device_2\n"));
}

/* ---- constants of a module ---- */

/* Of the first finding of the rule. */
static enum fix_kind kind_of(const char *rule, const char *text)
{
    struct arena arena = {0};
    const struct project_source source = {S("case.py"), str_of(text)};
    struct project *project = project_new(&source, 1, NULL);
    const struct check check = {project, 0, project_tree(project, 0), &arena};
    const struct matches found = rules_check(&check, UINT64_MAX);
    enum fix_kind kind = FIX_NONE;
    bool is_found = false;
    for (uint32_t i = 0; i < found.count && !is_found; i++)
        if ((is_found = str_eq(str_of(found.at[i].rule->id), str_of(rule))))
            kind = found.at[i].fix;
    assert_true(is_found);
    project_free(project);
    arena_free(&arena);
    return kind;
}

#define NET(before, kept, lines) \
    "import torch\n" \
    "class Net(torch.nn.Module):\n" \
    "    def __init__(self):\n" before kept "        self.linear = torch.nn.Linear(4, 3)\n" \
    "    def forward(self, x):\n" lines "net = Net().cuda()\n" \
    "for x in torch.utils.data.DataLoader([1], pin_memory=True):\n" \
    "    net(x.cuda(non_blocking=True)).sum().backward()\n"
#define SUPER  "        super().__init__()\n"
#define WINDOW "        self.scale = torch.from_numpy(window(3))\n"
#define SCALE  "        self.scale = torch.ones(3)\n"

static void constants_become_buffers(void **state)
{
    (void)state;
    becomes("ST501", NET(SUPER, SCALE, "        return self.linear(x) * self.scale.cuda()\n"),
            NET(SUPER, "        self.register_buffer(\"scale\", torch.ones(3), persistent=False)\n",
                "        return self.linear(x) * self.scale\n"));
    becomes("ST501", NET(SUPER, "", "        return self.linear(x) + torch.tensor([1, 2, 3], device=x.device)\n"),
            NET(SUPER, "        self.register_buffer(\"constant_buffer\", torch.tensor([1, 2, 3]), persistent=False)\n",
                "        return self.linear(x) + self.constant_buffer\n"));
}

/* The constructor has no names of the method. */
static void constants_of_what_the_method_has_stay(void **state)
{
    (void)state;
    stays("ST501", NET(SUPER, "",
                       "        dtype = x.dtype\n"
                       "        return self.linear(x) + torch.tensor([1, 2, 3]).to(dtype).cuda()\n"));
    becomes("ST501",
            NET(SUPER, "", "        return self.linear(x) + torch.tensor([1, 2, 3]).to(torch.float32).cuda()\n"),
            NET(SUPER "        self.register_buffer(\"constant_buffer\", torch.tensor([1, 2, 3]).to(torch.float32), "
                      "persistent=False)\n",
                "", "        return self.linear(x) + self.constant_buffer\n"));
}

/* The call of the module that comes first changes it: unsafe, and only where no buffer can be. */
static void what_cannot_be_a_buffer_is_kept_on_its_first_use(void **state)
{
    (void)state;
    becomes("ST501",
            NET(SUPER, WINDOW,
                "        print(self.scale)\n"
                "        return self.linear(x) * self.scale.to(x.device)\n"),
            NET(SUPER, WINDOW,
                "        print(self.scale)\n"
                "        if self.scale.device != x.device:\n"
                "            self.scale = self.scale.to(x.device)\n"
                "        return self.linear(x) * self.scale\n"));
    assert_int_equal(kind_of("ST501", NET(SUPER, WINDOW,
                                          "        print(self.scale)\n"
                                          "        return self.linear(x) * self.scale.to(x.device)\n")),
                     FIX_UNSAFE);
    assert_int_equal(kind_of("ST501", NET(SUPER, SCALE, "        return self.linear(x) * self.scale.to(x.device)\n")),
                     FIX_UNSAFE);
    assert_int_equal(kind_of("ST501", NET(SUPER, "",
                                          "        w = torch.tensor([1, 2, 3], device=x.device)\n"
                                          "        return self.linear(x) + w\n")),
                     FIX_UNSAFE);
    assert_int_equal(kind_of("ST501", STEP(GOOD, MOVED "        weights = data.weights.to(device)\n"
                                                       "        w = torch.tensor([1.0, 2.0], device=device)\n")),
                     FIX_SAFE);
}

static void what_is_no_constant_or_no_module_yet_stays(void **state)
{
    (void)state;
    stays("ST501", NET(SCALE, SUPER, "        return self.linear(x) * self.scale.cuda()\n")); /* before super() */
    stays("ST501", NET(SUPER, SCALE,
                       "        print(self.scale)\n"
                       "        return self.linear(x) * self.scale.cuda()\n"));
    stays("ST501", NET(SUPER, SCALE,
                       "        self.scale = grown(self.scale)\n"
                       "        return self.linear(x) * self.scale.cuda()\n"));
    stays("ST501", NET(SUPER, "",
                       "        w = torch.tensor([1, 2, 3]).cuda()\n"
                       "        w += x\n"
                       "        return w\n"));
    stays("ST501", NET("", "", "        return self.linear(x) + torch.tensor([1, 2, 3], device=x.device)\n"));
}

static void an_import_of_nothing_is_passed_over(void **state)
{
    (void)state;
    becomes("ST602", "import 1\n" STEP("DataLoader(data, num_workers=2)", MOVED),
            "import 1\n" STEP("DataLoader(data, num_workers=2, pin_memory=torch.cuda.is_available())", MOVED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_on_the_device),
        cmocka_unit_test(guards_that_are_equal_stand_once),
        cmocka_unit_test(guards_that_differ_stand_apart),
        cmocka_unit_test(constants_of_what_the_method_has_stay),
        cmocka_unit_test(made_on_the_device_through_a_helper),
        cmocka_unit_test(what_has_no_device_argument_stays),
        cmocka_unit_test(copies_do_not_block),
        cmocka_unit_test(copies_wait_for_pinned_memory),
        cmocka_unit_test(arguments_over_several_lines),
        cmocka_unit_test(parts_of_pinned_batches_do_not_block),
        cmocka_unit_test(helpers_that_move_modules_too_stay),
        cmocka_unit_test(copies_of_parts_do_not_block),
        cmocka_unit_test(loaders_that_gain_nothing_by_pinning_stay),
        cmocka_unit_test(loaders_without_a_copy_stay),
        cmocka_unit_test(tuples_are_broken_as_black_does),
        cmocka_unit_test(all_indices_of_a_place_are_made_on_the_device),
        cmocka_unit_test(narrowed_before_the_copy),
        cmocka_unit_test(invariant_uploads_leave_the_loop),
        cmocka_unit_test(guards_leave_the_loop_with_what_they_guard),
        cmocka_unit_test(constants_become_buffers),
        cmocka_unit_test(what_cannot_be_a_buffer_is_kept_on_its_first_use),
        cmocka_unit_test(what_is_no_constant_or_no_module_yet_stays),
        cmocka_unit_test(an_import_of_nothing_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
