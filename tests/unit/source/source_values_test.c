/* SPDX-License-Identifier: Apache-2.0 */
/* What expressions of Python source are: kind and device, through imports, functions, classes and files. */
#include "unit/cmocka_first.h"

#include "source_say.h"

static void a_constructor_makes_a_tensor_on_the_cpu(void **state)
{
    says("import torch\nx = torch.zeros(3)\n", "torch.zeros(3)", "tensor cpu float32 rank1+ constant fresh");
    says("import torch as t\nx = t.arange(3)\n", "t.arange(3)", "tensor cpu int64 rank1+ constant fresh");
    says("from torch import rand as r\nx = r(3)\n", "r(3)", "tensor cpu float32 rank1+ random fresh");
}

static void a_device_argument_puts_it_there(void **state)
{
    says("import torch\nx = torch.zeros(3, device='cuda')\n", "torch.zeros(3, device='cuda')",
         "tensor gpu float32 rank1+ constant fresh");
    says(
        "import torch\nd = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\nx = torch.ones(3, device=d)\n",
        "torch.ones(3, device=d)", "tensor gpu float32 rank1+ constant fresh");
    says("import torch\nd = torch.device('cpu')\nx = torch.ones(3, device=d)\n", "torch.ones(3, device=d)",
         "tensor cpu float32 rank1+ constant fresh");
}

static void the_current_accelerator_is_a_device_beside_the_host(void **state)
{
    says("import torch\nx = torch.zeros(3, device=torch.accelerator.current_accelerator())\n",
         "torch.zeros(3, device=torch.accelerator.current_accelerator())", "tensor gpu float32 rank1+ constant fresh");
    says("import torch\nif torch.accelerator.is_available():\n    d = torch.accelerator.current_accelerator()\n"
         "else:\n    d = torch.device('cpu')\nx = torch.ones(3, device=d)\n",
         "torch.ones(3, device=d)", "tensor gpu float32 rank1+ constant fresh");
    says("import torch\nx = torch.zeros(3).to(torch.accelerator.current_accelerator())\n",
         "torch.zeros(3).to(torch.accelerator.current_accelerator())", "tensor gpu float32 rank1+ uploaded constant");
}

static void moves_go_through_names(void **state)
{
    const char *const code = "import torch\n"
                             "x = torch.zeros(3)\n"
                             "y = x.cuda()\n"
                             "z = y + 1\n"
                             "w = z.sum().item()\n";
    says(code, "y + 1", "tensor gpu float32 rank1+ uploaded constant");
    says(code, "z.sum()", "tensor gpu float32 rank0 uploaded");
    says(code, "z.sum().item()", "float downloaded");
}

static void reading_a_cpu_tensor_is_no_download(void **state)
{
    says("import torch\nx = torch.zeros(3)\ny = x.sum().item()\n", "x.sum().item()", "float");
    moves("import torch\nx = torch.zeros(3)\ny = x.sum().item()\n", "x.sum().item()", MOVE_NONE);
    moves("import torch\nx = torch.zeros(3)\ny = x.cpu()\n", "x.cpu()", MOVE_NONE);
    moves("import torch\nx = torch.zeros(3).cuda()\ny = x.cpu()\n", "x.cpu()", MOVE_DOWNLOAD);
}

static void moving_what_is_there_already_is_nothing(void **state)
{
    moves("import torch\nx = torch.zeros(3).cuda()\ny = x.to('cuda')\n", "x.to('cuda')", MOVE_NONE);
    moves("import torch\nx = torch.zeros(3)\ny = x.to('cuda')\n", "x.to('cuda')", MOVE_UPLOAD);
}

static void methods_of_other_things_move_nothing(void **state)
{
    moves("import numpy as np\neps = np.finfo(np.float32).eps.item()\n", "np.finfo(np.float32).eps.item()", MOVE_NONE);
    moves("import torch\nd = {}\nx = torch.zeros(1).cuda()\nfor k in d.items():\n    pass\n", "d.items()", MOVE_NONE);
    moves("import torch\nx = torch.zeros(1)\ny = x.to(torch.float64)\n", "x.to(torch.float64)", MOVE_NONE);
}

static void numpy_proves_that_it_is_on_the_cpu(void **state)
{
    says("def f(x):\n    y = x\n    return y.numpy()\n", "x", "unknown");
    says("def f(load):\n    y = load()\n    a = y.numpy()\n    return y\n", "y", "tensor cpu");
    says("def f(load):\n    y = load().cuda()\n    b = y.cpu().numpy()\n    return b\n", "b", "array downloaded");
}

static void a_conditional_move_is_a_move(void **state)
{
    says("import torch\nx = torch.zeros(3)\nif torch.cuda.is_available():\n    x = x.cuda()\nprint(x)\n", "x",
         "tensor gpu float32 rank1+ uploaded constant");
    says("def f(args, x):\n    x = x.cuda() if args.gpu else x\n    return x.mean()\n", "x.mean()",
         "tensor gpu rank0 uploaded");
}

static void wrappers_move_what_they_are_given(void **state)
{
    const char *const code = "import torch\n"
                             "def to_gpu(x):\n"
                             "    if torch.cuda.is_available():\n"
                             "        return x.cuda()\n"
                             "    else:\n"
                             "        return x\n"
                             "def to_host(x):\n"
                             "    if torch.cuda.is_available():\n"
                             "        return x.cpu()\n"
                             "    else:\n"
                             "        return x\n"
                             "class Net(torch.nn.Module):\n"
                             "    def forward(self, x):\n"
                             "        return x + 1\n"
                             "net = to_gpu(Net())\n"
                             "a = to_gpu(torch.zeros(3))\n"
                             "b = net(a)\n"
                             "c = to_host(b)\n"
                             "d = float(to_host(b.sum()))\n";
    says(code, "to_gpu(torch.zeros(3))", "tensor gpu float32 rank1+ uploaded constant");
    says(code, "to_gpu(Net())", "module gpu uploaded Net");
    says(code, "net(a)", "tensor gpu float32 rank1+ uploaded constant");
    says(code, "to_host(b)", "tensor cpu float32 downloaded"); /* of any rank: it is given two */
    moves(code, "to_gpu(torch.zeros(3))", MOVE_UPLOAD);
    moves(code, "to_host(b)", MOVE_DOWNLOAD);
    moves(code, "float(to_host(b.sum()))", MOVE_NONE); /* the real move is in the wrapper, once */
}

static void movers_of_containers(void **state)
{
    const char *const code = "import torch\n"
                             "def move(batch, device):\n"
                             "    return {k: v.to(device) for k, v in batch.items()}\n"
                             "device = torch.device('cuda')\n"
                             "def step(loader):\n"
                             "    for batch in loader:\n"
                             "        batch = move(batch, device)\n"
                             "        use(batch['x'])\n";
    says(code, "batch['x']", "batch gpu batch uploaded assumed");
}

static void batches_of_a_loader_are_on_the_cpu(void **state)
{
    const char *const code = "from torch.utils.data import DataLoader\n"
                             "def f(data):\n"
                             "    loader = DataLoader(data)\n"
                             "    for i, (x, y) in enumerate(loader):\n"
                             "        x = x.cuda()\n"
                             "        n = y.sum().item()\n";
    says(code, "x.cuda()", "tensor gpu batch uploaded");
    says(code, "y.sum()", "tensor cpu rank0 batch assumed");
    moves(code, "y.sum().item()", MOVE_NONE);
}

static void modules_are_where_they_are_moved_to(void **state)
{
    const char *const code = "import torch\n"
                             "import torch.nn as nn\n"
                             "class Net(nn.Module):\n"
                             "    def __init__(self):\n"
                             "        super().__init__()\n"
                             "        self.fc = nn.Linear(2, 2)\n"
                             "        self.table = torch.zeros(3)\n"
                             "    def forward(self, x):\n"
                             "        y = self.fc(x)\n"
                             "        return y + self.table.to(x.device)\n"
                             "device = torch.device('cuda')\n"
                             "model = Net().to(device)\n";
    says(code, "self.fc(x)", "tensor gpu float32 rank1+ grad");
    says(code, "self.table", "tensor cpu float32 rank1+ constant fresh");
    says(code, "self.table.to(x.device)", "tensor gpu float32 rank1+ uploaded constant assumed");
}

static void a_run_without_a_device_has_nothing_on_it(void **state)
{
    const char *const code = "import torch\n"
                             "import torch.nn as nn\n"
                             "model = nn.Linear(2, 2)\n"
                             "loss = model(torch.zeros(2, 2)).sum()\n"
                             "print(loss.item())\n";
    says(code, "loss.item()", "float");
    moves(code, "loss.item()", MOVE_NONE);
}

static void disguised_moves_are_moves(void **state)
{
    const char *const start = "import torch\nx = torch.zeros(3).cuda()\nc = torch.ones(3)\n";
    moves(text("%sy = c.type_as(x)\n", start), "c.type_as(x)", MOVE_UPLOAD);
    moves(text("%sy = x.new_tensor([1, 2])\n", start), "x.new_tensor([1, 2])", MOVE_UPLOAD);
    moves(text("%sy = torch.tensor([1], device=x.device)\n", start), "torch.tensor([1], device=x.device)", MOVE_UPLOAD);
    moves(text("%sy = torch.cuda.FloatTensor([1])\n", start), "torch.cuda.FloatTensor([1])", MOVE_UPLOAD);
    moves(text("%sy = float(x.sum())\n", start), "float(x.sum())", MOVE_DOWNLOAD);
}

static void lists_hold_what_is_put_into_them(void **state)
{
    const char *const code = "import torch\n"
                             "def f(xs):\n"
                             "    rows = []\n"
                             "    for x in xs:\n"
                             "        rows.append(torch.zeros(3).cuda())\n"
                             "    return torch.stack(rows)\n";
    says(code, "torch.stack(rows)", "tensor gpu float32 rank1+ uploaded");
}

static void files_of_a_run_know_each_other(void **state)
{
    const struct project_source files[] = {
        {S("pkg/__init__.py"), S("from .tools import *\n")},
        {S("pkg/tools.py"), S("import torch\ndef up(x):\n    return x.to('cuda')\n")},
        {S("main.py"), S("import torch\nfrom pkg import up\nimport pkg.tools as t\n"
                         "a = up(torch.zeros(1))\nb = t.up(torch.ones(1))\n")},
    };
    says_in(files, 3, 2, "up(torch.zeros(1))", "tensor gpu float32 rank1+ uploaded constant");
    says_in(files, 3, 2, "t.up(torch.ones(1))", "tensor gpu float32 rank1+ uploaded constant");
}

static void programs_of_one_folder_are_apart(void **state)
{
    const struct project_source files[] = {
        {S("a.py"), S("import torch\nnet = build()\nnet.to('cuda')\n")},
        {S("b.py"), S("import torch\nclass N(torch.nn.Module):\n    def forward(self, x):\n        return self.l(x)\n"
                      "loss = torch.zeros(1)\nloss.backward()\nprint(loss.item())\n")},
    };
    says_in(files, 2, 1, "loss.item()", "float");
}

static void methods_of_few_classes_are_found(void **state)
{
    const char *const code = "import torch\n"
                             "class A:\n"
                             "    def pick_rows(self, x):\n"
                             "        return x.cuda()\n"
                             "class B:\n"
                             "    def pick_rows(self, x):\n"
                             "        return x.to('cuda')\n"
                             "def f(policy):\n"
                             "    return policy.pick_rows(torch.zeros(2))\n";
    says(code, "policy.pick_rows(torch.zeros(2))", "tensor gpu float32 rank1+ uploaded constant");
}

static void tests_of_type_narrow(void **state)
{
    const char *const code = "import torch\n"
                             "def f(h):\n"
                             "    h.unsqueeze(0)\n"
                             "    if isinstance(h, torch.Tensor):\n"
                             "        return h.detach()\n"
                             "    else:\n"
                             "        return tuple(h)\n"
                             "f(torch.zeros(1).cuda())\n";
    says(code, "h.detach()", "tensor gpu float32 rank1+ detached uploaded");
    says(code, "h", "unknown");
}

static void what_has_keys_is_no_tensor(void **state)
{
    says("def f(b):\n    b.unsqueeze(0)\n    if 'x' in b:\n        pass\n    return b\n", "b", "unknown");
}

static void names_are_qualified(void **state)
{
    is_named("import torch.nn.functional as F\ny = F.relu(x)\n", "F.relu(x)", "torch.nn.functional.relu");
    is_named("from torch.utils.data import DataLoader as D\ny = D(x)\n", "D(x)", "torch.utils.data.DataLoader");
    is_named("import numpy as np\nu = np.unique\ny = u(x)\n", "u(x)", "numpy.unique");
    is_named("import torch\nx = torch.zeros(1)\ny = x.item()\n", "x.item()", "torch.Tensor.item");
    is_named("print(3)\n", "print(3)", "print");
}

static void nesting_costs_no_stack(void **state)
{
    struct buf code = {0};
    buf_add(&code, S("x = "));
    for (int i = 0; i < 10000; i++)
        buf_add(&code, S("("));
    buf_add(&code, S("1"));
    for (int i = 0; i < 10000; i++)
        buf_add(&code, S(")"));
    for (int i = 0; i < 20000; i++)
        buf_add(&code, S(" + y"));
    buf_add(&code, S("\n"));
    for (int i = 0; i < 2000; i++) {
        for (int k = 0; k < i; k++)
            buf_char(&code, ' ');
        buf_add(&code, S("for a in b:\n"));
    }
    const struct project_source source = {S("deep.py"), buf_str(&code)};
    struct project *project = project_new(&source, 1, NULL);
    assert_int_equal(project_files(project), 1);
    project_free(project);
    buf_free(&code);
}

static void a_chosen_constructor_is_that_of_the_device(void **state)
{
    const char *const chosen = "import torch\n"
                               "T = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor\n"
                               "x = torch.zeros(3)\n"
                               "%s\n";
    says(text(chosen, "y = T(2, 3)"), "T(2, 3)", "tensor gpu float32 rank1+ uploaded constant fresh");
    moves(text(chosen, "y = x.type(T)"), "x.type(T)", MOVE_UPLOAD);
    moves(text(chosen, "y = x.type(torch.LongTensor)"), "x.type(torch.LongTensor)", MOVE_NONE);
    moves(text(chosen, "y = T(3)"), "T(3)", MOVE_NONE); /* room, no data */
    says("import torch\nT = torch.DoubleTensor if wide else torch.FloatTensor\ny = T(2, 3)\n", "T(2, 3)", "unknown");
}

static void a_type_may_be_named_by_a_text(void **state)
{
    const char *const start = "import torch\nx = torch.zeros(3)\n%s\n";
    moves(text(start, "y = x.type('torch.cuda.FloatTensor')"), "x.type('torch.cuda.FloatTensor')", MOVE_UPLOAD);
    moves(text(start, "y = x.type('torch.FloatTensor')"), "x.type('torch.FloatTensor')", MOVE_NONE);
}

static void copying_into_a_tensor_takes_data_where_that_is(void **state)
{
    const char *const start = "import torch\nx = torch.zeros(3).cuda()\nc = torch.ones(3)\n%s\n";
    moves(text(start, "x[0].copy_(c)"), "x[0].copy_(c)", MOVE_UPLOAD);
    moves(text(start, "c.copy_(x)"), "c.copy_(x)", MOVE_DOWNLOAD);
    moves(text(start, "x.copy_(x + 1)"), "x.copy_(x + 1)", MOVE_NONE);
    moves(text(start, "x.copy_(what)"), "x.copy_(what)", MOVE_NONE);
}

static void samplers_give_numbers_of_rows(void **state)
{
    const char *const code = "from torch.utils.data.sampler import BatchSampler, SubsetRandomSampler\n"
                             "for rows in BatchSampler(SubsetRandomSampler(range(9)), 3, True):\n"
                             "    print(rows)\n";
    says(code, "rows", "list [int]");
}

static void the_default_may_be_the_device(void **state)
{
    const char *const code = "import torch\n"
                             "torch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
                             "a = torch.zeros(3)\n"
                             "b = torch.LongTensor(3)\n";
    says(code, "torch.zeros(3)", "tensor gpu float32 rank1+ constant fresh");
    says(code, "torch.LongTensor(3)", "tensor cpu int64 rank1+ constant fresh");
    says("import torch\ntorch.set_default_tensor_type('torch.FloatTensor')\na = torch.zeros(3)\n", "torch.zeros(3)",
         "tensor cpu float32 rank1+ constant fresh");
}

static void a_star_import_leaves_python_its_names(void **state)
{
    says("from sklearn.metrics import *\nfor i in range(3):\n    print(i)\n", "i", "int");
}

static void what_one_way_knows_holds_for_both(void **state)
{
    says("import torch\nimport lib\n"
         "def get(own):\n"
         "    if own:\n"
         "        return torch.utils.data.DataLoader([1])\n"
         "    return lib.get()\n"
         "batches = get(True)\n",
         "get(True)", "loader");
    const char *const carried = "import numpy as np\nmask = []\nwhile more():\n    seen(mask[0])\n    mask = %s\n";
    says(text(carried, "np.arange(3)"), "mask[0]", "array");
    says(text(carried, "other()"), "mask[0]", "unknown");
}

static void parameter_groups_hold_parameters(void **state)
{
    const char *const code = "import torch\n"
                             "def clip(optimizer):\n"
                             "    for group in optimizer.param_groups:\n"
                             "        for p in group['params']:\n"
                             "            p.grad.clamp_(-1, 1)\n"
                             "        rate = group['lr']\n";
    says(code, "p", "tensor rank1+ grad parameter");
    says(code, "group['lr']", "unknown");
}

static void tuples_of_two_lengths_keep_what_they_hold(void **state)
{
    const char *const code = "import torch\n"
                             "def run(x, all):\n"
                             "    rows = []\n"
                             "    rows.append(x)\n"
                             "    if all:\n"
                             "        return x, None, rows\n"
                             "    return x, None\n"
                             "out, hidden, rows = run(torch.ones(3).cuda(), True)\n"
                             "out, hidden = run(torch.ones(3).cuda(), False)\n";
    says(code, "rows", "list gpu uploaded [tensor gpu float32 rank1+ uploaded constant]");
    says(code, "out", "tensor gpu float32 rank1+ uploaded constant");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_constructor_makes_a_tensor_on_the_cpu, clear),
        cmocka_unit_test_teardown(a_device_argument_puts_it_there, clear),
        cmocka_unit_test_teardown(the_current_accelerator_is_a_device_beside_the_host, clear),
        cmocka_unit_test_teardown(moves_go_through_names, clear),
        cmocka_unit_test_teardown(reading_a_cpu_tensor_is_no_download, clear),
        cmocka_unit_test_teardown(moving_what_is_there_already_is_nothing, clear),
        cmocka_unit_test_teardown(methods_of_other_things_move_nothing, clear),
        cmocka_unit_test_teardown(numpy_proves_that_it_is_on_the_cpu, clear),
        cmocka_unit_test_teardown(a_conditional_move_is_a_move, clear),
        cmocka_unit_test_teardown(wrappers_move_what_they_are_given, clear),
        cmocka_unit_test_teardown(movers_of_containers, clear),
        cmocka_unit_test_teardown(batches_of_a_loader_are_on_the_cpu, clear),
        cmocka_unit_test_teardown(modules_are_where_they_are_moved_to, clear),
        cmocka_unit_test_teardown(a_run_without_a_device_has_nothing_on_it, clear),
        cmocka_unit_test_teardown(disguised_moves_are_moves, clear),
        cmocka_unit_test_teardown(lists_hold_what_is_put_into_them, clear),
        cmocka_unit_test_teardown(files_of_a_run_know_each_other, clear),
        cmocka_unit_test_teardown(programs_of_one_folder_are_apart, clear),
        cmocka_unit_test_teardown(methods_of_few_classes_are_found, clear),
        cmocka_unit_test_teardown(tests_of_type_narrow, clear),
        cmocka_unit_test_teardown(what_has_keys_is_no_tensor, clear),
        cmocka_unit_test_teardown(names_are_qualified, clear),
        cmocka_unit_test_teardown(nesting_costs_no_stack, clear),
        cmocka_unit_test_teardown(a_chosen_constructor_is_that_of_the_device, clear),
        cmocka_unit_test_teardown(a_type_may_be_named_by_a_text, clear),
        cmocka_unit_test_teardown(copying_into_a_tensor_takes_data_where_that_is, clear),
        cmocka_unit_test_teardown(samplers_give_numbers_of_rows, clear),
        cmocka_unit_test_teardown(the_default_may_be_the_device, clear),
        cmocka_unit_test_teardown(a_star_import_leaves_python_its_names, clear),
        cmocka_unit_test_teardown(what_one_way_knows_holds_for_both, clear),
        cmocka_unit_test_teardown(parameter_groups_hold_parameters, clear),
        cmocka_unit_test_teardown(tuples_of_two_lengths_keep_what_they_hold, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
