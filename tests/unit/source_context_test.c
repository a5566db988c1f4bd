/* SPDX-License-Identifier: Apache-2.0 */
/* How often lines of Python source run: steps, epochs, evaluation, elements, gates. */
#include "cmocka_first.h"

#include "source_say.h"

static const char *const training = "import torch\n"
                                    "from torch.utils.data import DataLoader\n"
                                    "def evaluate(model, loader):\n"
                                    "    model.eval()\n"
                                    "    with torch.no_grad():\n"
                                    "        for x in loader:\n"
                                    "            seen(model(x))\n"
                                    "def collate(items):\n"
                                    "    return torch.stack(items)\n"
                                    "def build(rows):\n"
                                    "    for row in rows:\n"
                                    "        touch(row)\n"
                                    "def train(data, model):\n"
                                    "    setup()\n"
                                    "    loader = DataLoader(data, collate_fn=collate)\n"
                                    "    opt = torch.optim.SGD(model.parameters(), lr=1)\n"
                                    "    for epoch in range(9):\n"
                                    "        begin_epoch()\n"
                                    "        for i, x in enumerate(loader):\n"
                                    "            build(x)\n"
                                    "            loss = model(x).sum()\n"
                                    "            loss.backward()\n"
                                    "            opt.step()\n"
                                    "            if i % 100 == 0:\n"
                                    "                show(loss)\n"
                                    "            if verbose:\n"
                                    "                tell(loss)\n"
                                    "            if bad(loss):\n"
                                    "                raise ValueError(str(loss))\n"
                                    "            for k in range(3):\n"
                                    "                part(k)\n"
                                    "        evaluate(model, loader)\n"
                                    "train([1], torch.nn.Linear(1, 1))\n";

static void the_loop_around_backward_is_the_step(void **state)
{
    runs(training, "setup()", "once");
    runs(training, "begin_epoch()", "epoch");
    runs(training, "loss.backward()", "step");
    runs(training, "part(k)", "step inner1");
}

static void gates_are_told_apart(void **state)
{
    runs(training, "show(loss)", "step gate-interval");
    runs(training, "tell(loss)", "step gate-flag");
    runs(training, "str(loss)", "step error");
}

static void functions_run_as_often_as_they_are_called(void **state)
{
    runs(training, "touch(row)", "step inner1");
    runs(training, "seen(model(x))", "evaluation no-grad");
}

static void collate_functions_run_in_workers(void **state)
{
    runs(training, "torch.stack(items)", "unknown worker");
}

static void datasets_run_in_workers(void **state)
{
    runs("from torch.utils.data import Dataset\n"
         "class D(Dataset):\n"
         "    def __getitem__(self, i):\n"
         "        return load(i)\n",
         "load(i)", "unknown worker");
}

static void forward_runs_once_a_step(void **state)
{
    runs("import torch.nn as nn\n"
         "class N(nn.Module):\n"
         "    def forward(self, x):\n"
         "        for i in range(3):\n"
         "            x = part(x)\n"
         "        return self.rest(x)\n"
         "    def rest(self, x):\n"
         "        return other(x)\n",
         "part(x)", "step inner1 forward");
    runs("import torch.nn as nn\n"
         "class N(nn.Module):\n"
         "    def forward(self, x):\n"
         "        return self.rest(x)\n"
         "    def rest(self, x):\n"
         "        return other(x)\n",
         "other(x)", "step forward");
}

static void a_step_may_be_a_function(void **state)
{
    const char *const code = "def step(model, x, opt):\n"
                             "    loss = model(x)\n"
                             "    loss.backward()\n"
                             "    opt.step()\n"
                             "    return read(loss)\n"
                             "def run(model, data, opt):\n"
                             "    for e in range(3):\n"
                             "        mark(e)\n"
                             "        for x in data:\n"
                             "            total = step(model, x, opt)\n";
    runs(code, "read(loss)", "step");
    runs(code, "mark(e)", "epoch");
    runs(code, "step(model, x, opt)", "step");
}

static void what_runs_without_a_device_is_marked(void **state)
{
    runs("import torch\nif not torch.cuda.is_available():\n    a = torch.zeros(1)\n", "torch.zeros(1)",
         "once cpu-only");
    runs("import torch\nif torch.cuda.is_available():\n    a = 1\nelse:\n    a = torch.zeros(1)\n", "torch.zeros(1)",
         "once cpu-only");
}

static void functions_that_evaluate_do_so_whoever_calls(void **state)
{
    const char *const code = "import torch\n"
                             "def train(model, opt):\n"
                             "    loss = model()\n"
                             "    loss.backward()\n"
                             "    opt.step()\n"
                             "@torch.no_grad()\n"
                             "def check(model):\n"
                             "    return read(model())\n"
                             "def main(model, opt):\n"
                             "    for epoch in range(9):\n"
                             "        train(model, opt)\n"
                             "        check(model)\n";
    runs(code, "read(model())", "evaluation no-grad");
    runs(code, "loss.backward()", "step");
}

static void what_is_done_once_is_gated(void **state)
{
    runs("class N:\n    def f(self, x):\n        if self.cache is None:\n            self.cache = make(x)\n", "make(x)",
         "unknown gate-interval");
    runs("def f(opt, mode, loss):\n    for x in a:\n        loss.backward()\n        opt.step()\n"
         "        if mode == 'x':\n            show(x)\n",
         "show(x)", "step");
}

static void actions_are_needed_at_once(void **state)
{
    struct project *project = run_of("def choose(policy, state):\n    return policy(state).item()\n"
                                     "def play(env, policy, state):\n    while True:\n"
                                     "        action = choose(policy, state)\n"
                                     "        state, reward, done = env.step(action)\n");
    assert_true(context_of(project, find(project, 0, "policy(state).item()")).acting);
    assert_false(context_of(project, find(project, 0, "env.step(action)")).acting);
    project_free(project);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_loop_around_backward_is_the_step, clear),
        cmocka_unit_test_teardown(gates_are_told_apart, clear),
        cmocka_unit_test_teardown(functions_run_as_often_as_they_are_called, clear),
        cmocka_unit_test_teardown(collate_functions_run_in_workers, clear),
        cmocka_unit_test_teardown(datasets_run_in_workers, clear),
        cmocka_unit_test_teardown(forward_runs_once_a_step, clear),
        cmocka_unit_test_teardown(a_step_may_be_a_function, clear),
        cmocka_unit_test_teardown(what_runs_without_a_device_is_marked, clear),
        cmocka_unit_test_teardown(functions_that_evaluate_do_so_whoever_calls, clear),
        cmocka_unit_test_teardown(what_is_done_once_is_gated, clear),
        cmocka_unit_test_teardown(actions_are_needed_at_once, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
