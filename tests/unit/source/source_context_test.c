/* SPDX-License-Identifier: Apache-2.0 */
/* How often lines of Python source run: steps, epochs, evaluation, elements, gates. */
#include "unit/cmocka_first.h"

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
    runs("import torch\nif not torch.accelerator.is_available():\n    a = torch.zeros(1)\n", "torch.zeros(1)",
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

static const char *const stored = "import torch\n"
                                  "class Loss:\n"
                                  "    def store_of(self, store):\n"
                                  "        self.n += 1\n"
                                  "        if self.n % 50 == 1:\n"
                                  "            store = store\n"
                                  "        else:\n"
                                  "            store = None\n"
                                  "        return store\n"
                                  "    def step(self, model, x, opt, store, other):\n"
                                  "        loss = model(x).sum()\n"
                                  "        loss.backward()\n"
                                  "        opt.step()\n"
                                  "        store = self.store_of(store)\n"
                                  "        if store is not None:\n"
                                  "            now_and_then(loss)\n"
                                  "        if other is not None:\n"
                                  "            each_time(loss)\n"
                                  "        show = self.n % 9 == 0\n"
                                  "        if show:\n"
                                  "            every_ninth(loss)\n"
                                  "        aside(loss, store)\n"
                                  "def aside(loss, store=None):\n"
                                  "    if store is not None:\n"
                                  "        behind_a_call(loss)\n"
                                  "loss = Loss()\n"
                                  "for x in torch.utils.data.DataLoader([1]):\n"
                                  "    loss.step(torch.nn.Linear(1, 1), x, torch.optim.SGD([], 1), {}, {})\n";

static void a_value_that_is_there_now_and_then_is_a_gate(void **state)
{
    runs(stored, "now_and_then(loss)", "step gate-interval");
    runs(stored, "each_time(loss)", "step");
    runs(stored, "every_ninth(loss)", "step gate-interval");
    runs(stored, "behind_a_call(loss)", "step gate-interval");
}

#define ACTING(lines) \
    "import torch\n" \
    "def train(env, net, n):\n" \
    "    opt = torch.optim.SGD(net.parameters(), lr=1)\n" \
    "    for update in range(n):\n" \
    "        for step in range(9):\n" \
    "            with torch.no_grad():\n" \
    "                action = net(state)\n" \
    "            state, reward, done, info = env.step(action.cpu())\n" \
    "            kept(reward)\n" lines

static void a_rollout_is_a_part_of_the_training(void **state)
{
    const char *const trained = ACTING("        for epoch in range(4):\n"
                                       "            net(state).sum().backward()\n"
                                       "            opt.step()\n");
    runs(trained, "kept(reward)", "step");
    runs(ACTING(""), "kept(reward)", "evaluation"); /* nothing trains: somebody watches it play */
}

static void what_the_next_action_needs_is_marked(void **state)
{
    struct project *project = run_of(ACTING("        net(state).sum().backward()\n"
                                            "        opt.step()\n"));
    assert_true(context_of(project, find(project, 0, "net(state)")).acting ||
                context_of(project, find(project, 0, "action.cpu()")).acting);
    assert_false(context_of(project, find(project, 0, "kept(reward)")).acting);
    project_free(project);
}

static const char *const judging = "import torch\n"
                                   "class Judge:\n"
                                   "    def __call__(self, data):\n"
                                   "        %s\n"
                                   "        self.losses(data)\n"
                                   "        self.model.train()\n"
                                   "    def losses(self, data):\n"
                                   "        for x in data:\n"
                                   "            loss = self.model(x).sum()\n"
                                   "            loss.backward()\n"
                                   "Judge()(torch.utils.data.DataLoader([1]))\n";

static void behind_eval_of_its_model_a_method_evaluates(void **state)
{
    runs(text(judging, "self.model.eval()"), "loss.backward()", "evaluation");
    runs(text(judging, "self.teacher.eval()"), "loss.backward()", "step");
}

static void targets_are_part_of_the_step(void **state)
{
    const char *const code = "import torch\n"
                             "@torch.no_grad()\n"
                             "def soft(teacher, x):\n"
                             "    return teacher(x.cuda())\n"
                             "@torch.no_grad()\n"
                             "def score(model, x):\n"
                             "    return model(x.cuda()).mean().item()\n"
                             "model = torch.nn.Linear(1, 1).cuda()\n"
                             "for x in torch.utils.data.DataLoader([1]):\n"
                             "    loss = model(x.cuda()) - soft(model, x)\n"
                             "    loss.sum().backward()\n"
                             "    print(score(model, x))\n";
    runs(code, "teacher(x.cuda())", "step no-grad");
    runs(code, "model(x.cuda()).mean().item()", "evaluation no-grad");
}

static void a_transform_with_a_forward_is_no_model(void **state)
{
    const char *const code = "import torch\n"
                             "class Wave(torch.nn.Module):\n"
                             "    def __init__(self):\n"
                             "        super().__init__()\n"
                             "        self.x = %s\n"
                             "    def forward(self, x):\n"
                             "        return self.inverse(x)\n"
                             "    def inverse(self, x):\n"
                             "        return back(x)\n"
                             "    def there(self, x):\n"
                             "        return x\n"
                             "wave = Wave()\n"
                             "wave.there(1)\n";
    runs(text(code, "3"), "back(x)", "unknown forward");
    runs(text(code, "torch.nn.Linear(1, 1)"), "back(x)", "step forward");
}

static const char *const phases = "import torch\n"
                                  "def run(phase, kind, is_train):\n"
                                  "    for x in torch.utils.data.DataLoader([1]):\n"
                                  "        if phase == 'train':\n"
                                  "            trained(x)\n"
                                  "            torch.nn.Linear(1, 1)(x).sum().backward()\n"
                                  "        else:\n"
                                  "            watched(x)\n"
                                  "        if phase == 'val':\n"
                                  "            counted(x)\n"
                                  "        if not is_train:\n"
                                  "            shown(x)\n"
                                  "        if kind == 'deep':\n"
                                  "            deep(x)\n"
                                  "run('train', 'flat', True)\n";
static const char *const other_phase = "run('val', 'deep', False)\n";

static void phases_are_told_apart(void **state)
{
    char both[1024];
    snprintf(both, sizeof both, "%s%s", phases, other_phase);
    runs(both, "trained(x)", "step");
    runs(both, "watched(x)", "evaluation");
    runs(both, "counted(x)", "evaluation");
    runs(both, "shown(x)", "evaluation");
    runs(both, "deep(x)", "step");
    runs(phases, "watched(x)", "evaluation gate-untaken"); /* no call asks for these */
    runs(phases, "shown(x)", "evaluation gate-untaken");
    runs(phases, "deep(x)", "step gate-untaken");
}

static void a_script_that_trains_once_does_not_train_in_steps(void **state)
{
    const char *const code = "def check(net, opt):\n"
                             "    loss = made(net)\n"
                             "    loss.backward()\n"
                             "    opt.step()\n"
                             "def main(net, opt):\n"
                             "    %s\n"
                             "    check(net, opt)\n"
                             "if __name__ == '__main__':\n"
                             "    main(1, 2)\n";
    runs(text(code, "pass"), "made(net)", "once");
    runs(text(code, "for i in range(9): check(net, opt)"), "made(net)", "step several");
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
        cmocka_unit_test_teardown(a_value_that_is_there_now_and_then_is_a_gate, clear),
        cmocka_unit_test_teardown(a_rollout_is_a_part_of_the_training, clear),
        cmocka_unit_test_teardown(what_the_next_action_needs_is_marked, clear),
        cmocka_unit_test_teardown(behind_eval_of_its_model_a_method_evaluates, clear),
        cmocka_unit_test_teardown(targets_are_part_of_the_step, clear),
        cmocka_unit_test_teardown(a_transform_with_a_forward_is_no_model, clear),
        cmocka_unit_test_teardown(phases_are_told_apart, clear),
        cmocka_unit_test_teardown(a_script_that_trains_once_does_not_train_in_steps, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
