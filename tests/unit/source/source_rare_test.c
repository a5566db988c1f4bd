/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a training loop that run now and then: branches that do not train, what leaves, what is kept. */
#include "unit/cmocka_first.h"

#include "source_say.h"

static const char *const apart = "import torch\n"
                                 "def run(net, opt, best, phase, train):\n"
                                 "    for x in torch.utils.data.DataLoader([1]):\n"
                                 "        loss = net(x).sum()\n"
                                 "        if phase == TRAIN:\n"
                                 "            loss.backward()\n"
                                 "            opt.step()\n"
                                 "        if phase == TRAIN:\n"
                                 "            trained(loss)\n"
                                 "        elif phase == CHECK:\n"
                                 "            checked(loss)\n"
                                 "        else:\n"
                                 "            neither(loss)\n"
                                 "        if phase:\n"
                                 "            either(loss)\n";

static void branches_that_exclude_the_training_evaluate(void **state)
{
    runs(apart, "trained(loss)", "step");
    runs(apart, "checked(loss)", "evaluation");
    runs(apart, "neither(loss)", "evaluation");
    runs(apart, "either(loss)", "step");
    const char *const early = "def run(net, data, opt, train):\n"
                              "    for x in data:\n"
                              "        if not train:\n"
                              "            looked(x)\n"
                              "            continue\n"
                              "        each(x)\n"
                              "        net(x).backward()\n"
                              "        opt.step()\n"
                              "        if x.ok:\n"
                              "            late(x)\n"
                              "            continue\n";
    runs(early, "looked(x)", "evaluation");
    runs(early, "each(x)", "step");
    runs(early, "late(x)", "step");
    const char *const asserted = "import torch.nn as nn\n"
                                 "class N(nn.Module):\n"
                                 "    def forward(self, x=None):\n"
                                 "        if x is None:\n"
                                 "            assert not self.training\n"
                                 "            return made(self)\n"
                                 "        return trained(x)\n";
    runs(asserted, "made(self)", "evaluation forward");
    runs(asserted, "trained(x)", "step forward");
    const char *const both = "import torch.nn as nn\n"
                             "class N(nn.Module):\n"
                             "    def forward(self, x, train=True):\n"
                             "        if not self.training and self.sharp:\n"
                             "            x = sharpened(x)\n"
                             "        if self.training and self.sharp:\n"
                             "            x = trained(x)\n"
                             "        else:\n"
                             "            x = either(x)\n"
                             "        if train:\n"
                             "            return lossy(x)\n"
                             "        else:\n"
                             "            return answered(x)\n";
    runs(both, "sharpened(x)", "evaluation forward");
    runs(both, "trained(x)", "step forward");
    runs(both, "either(x)", "step forward");
    runs(both, "lossy(x)", "step forward");
    runs(both, "answered(x)", "evaluation forward");
}

static void what_leaves_runs_once(void **state)
{
    const char *const code = "import sys\n"
                             "def run(net, data, opt):\n"
                             "    for x in data:\n"
                             "        loss = net(x)\n"
                             "        loss.backward()\n"
                             "        opt.step()\n"
                             "        if bad(loss):\n"
                             "            said(loss)\n"
                             "            sys.exit(1)\n"
                             "        if done(loss):\n"
                             "            last(loss)\n"
                             "            break\n"
                             "        for y in x:\n"
                             "            if y:\n"
                             "                found(y)\n"
                             "                break\n";
    runs(code, "said(loss)", "step error");
    runs(code, "last(loss)", "step gate-interval");
    runs(code, "found(y)", "step inner1");
}

static void what_is_kept_is_made_once(void **state)
{
    const char *const code = "import torch.nn as nn\n"
                             "class N(nn.Module):\n"
                             "    def forward(self, x, key):\n"
                             "        if key not in self.kept:\n"
                             "            self.kept[key] = first(x)\n"
                             "        if not hasattr(self, 'w'):\n"
                             "            self.w = second(x)\n"
                             "        if self.h is None or self.h.size(0) != x.size(0):\n"
                             "            self.h = third(x)\n"
                             "        if self.h is not None:\n"
                             "            self.h = again(x)\n"
                             "        return self.find(x, key)\n"
                             "    def find(self, x, key):\n"
                             "        before(x)\n"
                             "        if key in self.found:\n"
                             "            return self.found[key]\n"
                             "        made = behind(x)\n"
                             "        self.found[key] = made\n"
                             "        return made\n";
    runs(code, "first(x)", "step gate-interval forward");
    runs(code, "second(x)", "step gate-interval forward");
    runs(code, "third(x)", "step gate-interval forward");
    runs(code, "again(x)", "step forward");
    runs(code, "before(x)", "step forward");
    runs(code, "behind(x)", "step gate-interval forward");
}

static void what_stands_behind_a_guard_is_told_now_and_then(void **state)
{
    const char *const code = "def run(net, data, opt):\n"
                             "    for x in data:\n"
                             "        if x is None:\n"
                             "            continue\n"
                             "        loss = net(x)\n"
                             "        loss.backward()\n"
                             "        opt.step()\n"
                             "        each(x)\n"
                             "        if x.seen < 50:\n"
                             "            continue\n"
                             "        told(x)\n";
    runs(code, "net(x)", "step");
    runs(code, "each(x)", "step");
    runs(code, "told(x)", "step gate-interval");
}

static void what_is_not_to_happen_is_rare(void **state)
{
    const char *const code = "import torch\n"
                             "def run(net, data, opt):\n"
                             "    for x in data:\n"
                             "        loss = net(x)\n"
                             "        loss.backward()\n"
                             "        opt.step()\n"
                             "        if torch.isnan(loss).any():\n"
                             "            mended(x)\n"
                             "        if torch.isfinite(loss):\n"
                             "            usual(x)\n";
    runs(code, "mended(x)", "step gate-interval");
    runs(code, "usual(x)", "step");
}

static void what_a_function_fills_is_made_once(void **state)
{
    const char *const code = "import torch.nn as nn\n"
                             "KERNEL = None\n"
                             "def load():\n"
                             "    global KERNEL\n"
                             "    KERNEL = compiled()\n"
                             "def other():\n"
                             "    KERNEL = again()\n"
                             "class N(nn.Module):\n"
                             "    def forward(self, x):\n"
                             "        if KERNEL is None:\n"
                             "            %s()\n"
                             "        return x\n";
    runs(text(code, "load"), "compiled()", "step gate-interval forward");
    runs(text(code, "other"), "again()", "step forward");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(branches_that_exclude_the_training_evaluate, clear),
        cmocka_unit_test_teardown(what_leaves_runs_once, clear),
        cmocka_unit_test_teardown(what_is_kept_is_made_once, clear),
        cmocka_unit_test_teardown(what_stands_behind_a_guard_is_told_now_and_then, clear),
        cmocka_unit_test_teardown(what_is_not_to_happen_is_rare, clear),
        cmocka_unit_test_teardown(what_a_function_fills_is_made_once, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
