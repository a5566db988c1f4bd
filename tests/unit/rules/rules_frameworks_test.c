/* SPDX-License-Identifier: Apache-2.0 */
/* What training frameworks promise, and calls of libraries that wait: a small program a mechanism. */
#include "rules_case.h"

static void the_batch_of_a_trainer_lies_on_the_device(void **state)
{
    expect("ST", "import torch\n"
                 "from transformers import Trainer\n"
                 "class Mine(Trainer):\n"
                 "    def compute_loss(self, model, inputs, return_outputs=False):\n"
                 "        labels = inputs.pop('labels').to(self.args.device)\n"
                 "        loss = model(**inputs).loss\n"
                 "        self.seen = loss.item()  # ST401\n"
                 "        return loss\n"
                 "    def log(self, logs, start_time=None):\n"
                 "        self.shown = float(logs['loss'])\n");
}

static void a_read_beside_a_wait_of_the_framework_gains_nothing(void **state)
{
#define TRAINING_STEP \
    "import torch\n" \
    "from transformers import Trainer, TrainingArguments\n" \
    "class Mine(Trainer):\n" \
    "    def training_step(self, model, inputs, n=None):\n" \
    "        loss = super().training_step(model, inputs, n)\n" \
    "        self.kept.append(loss.item())  # "
    expect("ST", TRAINING_STEP "ST401 note\n"
                               "        return loss\n"
                               "Mine(args=TrainingArguments('o')).train()\n");
    expect("ST", TRAINING_STEP "ST401\n"
                               "        return loss\n"
                               "arguments = TrainingArguments('o', logging_nan_inf_filter=False)\n"
                               "Mine(args=arguments).train()\n");
}

static void hooks_have_the_pace_of_their_framework(void **state)
{
    expect("ST", "import torch\n"
                 "from transformers import TrainerCallback\n"
                 "class Watch(TrainerCallback):\n"
                 "    def on_step_end(self, args, state, control, model=None, **kwargs):\n"
                 "        self.norm = model.weight.norm().item()  # ST401\n"
                 "    def on_epoch_end(self, args, state, control, model=None, **kwargs):\n"
                 "        self.total = sum(p.sum().item() for p in model.parameters())\n");
}

static void the_bar_of_lightning_reads_what_it_shows(void **state)
{
    expect("ST", "import torch\n"
                 "import pytorch_lightning as pl\n"
                 "class Net(pl.LightningModule):\n"
                 "    def __init__(self):\n"
                 "        super().__init__()\n"
                 "        self.net = torch.nn.Linear(2, 2)\n"
                 "    def training_step(self, batch, i):\n"
                 "        x, y = batch\n"
                 "        loss = self.net(x.to(self.device)).sum()\n"
                 "        self.log('loss', loss, prog_bar=True)  # ST410\n"
                 "        self.log('loss', loss)\n"
                 "        return loss\n"
                 "    def on_before_batch_transfer(self, batch, i):\n"
                 "        self.most = int(batch['x'].max())\n"
                 "        return batch\n"
                 "    def on_train_batch_end(self, outputs, batch, i):\n"
                 "        self.tail = outputs['loss'].item()  # ST401 note\n"
                 "    def on_train_epoch_end(self):\n"
                 "        print(self.trainer.callback_metrics['loss'].item())\n");
}

static void prepared_loaders_move_their_batches(void **state)
{
    expect("ST", "import torch\n"
                 "from accelerate import Accelerator\n"
                 "from torch.utils.data import DataLoader\n"
                 "def main(data):\n"
                 "    accelerator = Accelerator()\n"
                 "    model = torch.nn.Linear(2, 2)\n"
                 "    optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                 "    loader = DataLoader(data, num_workers=2, pin_memory=True)\n"
                 "    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)\n"
                 "    for batch in loader:\n"
                 "        loss = model(batch['x'].to(accelerator.device)).sum()\n"
                 "        accelerator.backward(loss)\n"
                 "        norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)\n"
                 "        accelerator.log({'norm': norm.item()})  # ST401\n"
                 "        optimizer.step()\n"
                 "        mean = accelerator.gather(loss).mean()\n"
                 "def host(data):\n"
                 "    accelerator = Accelerator()\n"
                 "    model = accelerator.prepare(torch.nn.Linear(2, 2))\n"
                 "    for x, y in DataLoader(data, num_workers=2, pin_memory=True):\n"
                 "        n = int(y.max())\n"
                 "        loss = model(x.to(accelerator.device)).sum() / n  # ST602\n"
                 "        accelerator.backward(loss)\n");
}

static void fabric_and_deepspeed_move_what_they_say(void **state)
{
    expect("ST4", "import lightning as L\n"
                  "import torch\n"
                  "from torch.utils.data import DataLoader\n"
                  "fabric = L.Fabric(accelerator='cuda')\n"
                  "model, optimizer = fabric.setup(torch.nn.Linear(2, 2), None)\n"
                  "for batch in fabric.setup_dataloaders(DataLoader([1])):\n"
                  "    tokens = batch['n'].sum().item()  # ST409\n"
                  "    loss = model(batch['x']).sum() / tokens\n"
                  "    fabric.backward(loss)\n"
                  "    fabric.clip_gradients(model, optimizer, max_norm=1.0)  # ST410\n"
                  "    fabric.clip_gradients(model, optimizer, max_norm=1.0, error_if_nonfinite=False)\n"
                  "    fabric.clip_gradients(model, optimizer, clip_val=1.0)\n");
    expect("ST4", "import deepspeed\n"
                  "import torch\n"
                  "from torch.utils.data import DataLoader\n"
                  "engine, optimizer, _, _ = deepspeed.initialize(model=torch.nn.Linear(2, 2))\n"
                  "for batch in DataLoader([1]):\n"
                  "    n = int(batch['n'].max())\n"
                  "    loss = engine(batch['x'].to(engine.device)).sum() / n\n"
                  "    engine.backward(loss)\n"
                  "    engine.step()\n"
                  "    print(loss.item())  # ST401\n");
}

static void other_frameworks_hand_over_what_they_hold(void **state)
{
    expect("ST4", "import torch\n"
                  "from skorch import NeuralNetClassifier\n"
                  "class Module(torch.nn.Module):\n"
                  "    def __init__(self):\n"
                  "        super().__init__()\n"
                  "        self.net = torch.nn.Linear(2, 2)\n"
                  "    def forward(self, x):\n"
                  "        scale = x.abs().max().item()  # ST401\n"
                  "        return self.net(x) / scale\n"
                  "class Net(NeuralNetClassifier):\n"
                  "    def train_step_single(self, batch, **fit_params):\n"
                  "        rows = int(batch[1].sum())\n"
                  "        return super().train_step_single(batch, **fit_params)\n"
                  "Net(Module, device='cuda').fit(x, y)\n");
    expect("ST4", "import keras\n"
                  "import torch\n"
                  "class Model(keras.Model):\n"
                  "    def __init__(self):\n"
                  "        super().__init__()\n"
                  "        self.dense = keras.layers.Dense(4)\n"
                  "    def call(self, x):\n"
                  "        y = self.dense(x)\n"
                  "        self.peak = float(y.max())  # ST401\n"
                  "        return y\n"
                  "class Watch(keras.callbacks.Callback):\n"
                  "    def on_train_batch_end(self, batch, logs=None):\n"
                  "        self.last = float(logs['loss'])\n");
}

#define LOOP \
    "import torch\n" \
    "import torch.nn.functional as F\n" \
    "model = torch.nn.Linear(2, 2).cuda()\n" \
    "encoder = torch.nn.TransformerEncoder(layer, 1).cuda()\n" \
    "average = torch.optim.swa_utils.AveragedModel(model)\n" \
    "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n" \
    "for step in range(9):\n" \
    "    x = torch.randn(2, 2, device='cuda')\n" \
    "    y = model(x)\n" \
    "    y.sum().backward()\n" \
    "    optimizer.step()\n"

static void calls_that_wait_inside(void **state)
{
    expect("ST410", LOOP "    a = F.one_hot(y.argmax(-1))  # ST410\n"
                         "    a = F.one_hot(y.argmax(-1), 8)\n"
                         "    a = F.one_hot(y.argmax(-1), num_classes=8)\n"
                         "    b = torch.full((2,), y.sum())  # ST410\n"
                         "    b = torch.full((2,), 1.0, device='cuda')\n"
                         "    c = torch.tensor([y.sum(), y.max()])  # ST410\n"
                         "    d = torch.linalg.inv(y)  # ST410\n"
                         "    d = torch.linalg.inv_ex(y)\n"
                         "    e = torch.distributions.Normal(y, 1.0)  # ST410\n"
                         "    e = torch.distributions.Normal(y, 1.0, validate_args=False)\n"
                         "    f = encoder(y, mask=x)  # ST410\n"
                         "    f = encoder(y, mask=x, is_causal=False)\n"
                         "    average.update_parameters(model)  # ST410\n");
}

static void without_a_device_nothing_waits(void **state)
{
    expect("ST410", "import torch\n"
                    "model = torch.nn.Linear(2, 2)\n"
                    "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
                    "for step in range(9):\n"
                    "    model(x).sum().backward()\n"
                    "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)\n"
                    "    optimizer.step()\n");
}

#define IGNITE \
    "import torch\n" \
    "from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer\n" \
    "def main(loader, optimizer, loss_fn):\n" \
    "    device = torch.device('cuda')\n" \
    "    model = torch.nn.Linear(2, 2).to(device)\n" \
    "    quiet = create_supervised_trainer(model, optimizer, loss_fn, device=device,\n" \
    "                                      output_transform=lambda x, y, y_pred, loss: loss.detach())\n"

static void the_default_of_ignite_reads_the_loss(void **state)
{
    expect("ST4",
           IGNITE "    create_supervised_trainer(model, optimizer, loss_fn, device=device).run(loader)  # ST410\n"
                  "    create_supervised_trainer(model, optimizer, loss_fn).run(loader)  # ST410\n"
                  "    options = {'output_transform': print}\n"
                  "    create_supervised_trainer(model, optimizer, loss_fn, device=device, **options).run(loader)\n");
    expect("ST4", "import torch\n"
                  "from ignite.engine import create_supervised_trainer\n"
                  "def main(loader, optimizer, loss_fn):\n"
                  "    other = torch.ones(1, device='cuda')\n"
                  "    model = torch.nn.Linear(2, 2)\n"
                  "    create_supervised_trainer(model, optimizer, loss_fn, device='cpu').run(loader)\n");
}

static void handlers_of_ignite_have_the_pace_of_their_event(void **state)
{
    expect("ST4", IGNITE "    @quiet.on(Events.ITERATION_COMPLETED)\n"
                         "    def each(engine):\n"
                         "        engine.state.shown = engine.state.output.item()  # ST401\n"
                         "    @quiet.on(Events.ITERATION_COMPLETED(every=100))\n"
                         "    def seldom(engine):\n"
                         "        print(engine.state.output.item())  # ST401 note\n"
                         "    @quiet.on(Events.ITERATION_COMPLETED(once=5))\n"
                         "    def single(engine):\n"
                         "        print(engine.state.output.item())\n"
                         "    @quiet.on(Events.EPOCH_COMPLETED | Events.COMPLETED)\n"
                         "    def last(engine):\n"
                         "        print(engine.state.output.item())\n"
                         "    @quiet.on(Events.EPOCH_COMPLETED | Events.ITERATION_COMPLETED)\n"
                         "    def often(engine):\n"
                         "        print(engine.state.output.item())  # ST401\n");
    expect("ST4", IGNITE "    def each(engine, shown):\n"
                         "        shown.append(engine.state.output.item())  # ST401\n"
                         "    quiet.add_event_handler(Events.ITERATION_COMPLETED, each, [])\n"
                         "    evaluator = create_supervised_evaluator(model, device=device)\n"
                         "    @evaluator.on(Events.ITERATION_COMPLETED)\n"
                         "    def checked(engine):\n"
                         "        print(model.weight.norm().item())  # ST401 note\n");
    expect("ST4",
           IGNITE "    number = create_supervised_trainer(model, optimizer, loss_fn, device=device,\n" /* one read */
                  "        output_transform=lambda x, y, y_pred, loss: float(loss))\n"
                  "    @number.on(Events.ITERATION_COMPLETED)\n"
                  "    def each(engine):\n"
                  "        print(float(engine.state.output))\n");
}

static void rare_lines_are_told_less(void **state)
{
    expect("ST40", LOOP "    if step == 0:\n"
                        "        print(y.sum().item())\n"
                        "    if meter.should_report():\n"
                        "        print(y.sum().item())  # ST401 note\n"
                        "    if meter.has_report():\n"
                        "        print(y.sum().item())  # ST401\n");
    expect("ST40", "import torch\n"
                   "def test_model():\n"
                   "    assert torch.ones(2, device='cuda').sum().item() == 2\n");
}

static void texts_of_a_batch_are_no_tensors(void **state)
{
    expect("ST", "import torch\n"
                 "from transformers import Trainer\n"
                 "class Mine(Trainer):\n"
                 "    def compute_loss(self, model, inputs):\n"
                 "        for prompt in inputs['prompts']:\n"
                 "            if prompt == 'user':\n"
                 "                pass\n"
                 "        return model(**inputs).loss\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_batch_of_a_trainer_lies_on_the_device),
        cmocka_unit_test(a_read_beside_a_wait_of_the_framework_gains_nothing),
        cmocka_unit_test(hooks_have_the_pace_of_their_framework),
        cmocka_unit_test(the_bar_of_lightning_reads_what_it_shows),
        cmocka_unit_test(prepared_loaders_move_their_batches),
        cmocka_unit_test(fabric_and_deepspeed_move_what_they_say),
        cmocka_unit_test(other_frameworks_hand_over_what_they_hold),
        cmocka_unit_test(calls_that_wait_inside),
        cmocka_unit_test(without_a_device_nothing_waits),
        cmocka_unit_test(the_default_of_ignite_reads_the_loss),
        cmocka_unit_test(handlers_of_ignite_have_the_pace_of_their_event),
        cmocka_unit_test(rare_lines_are_told_less),
        cmocka_unit_test(texts_of_a_batch_are_no_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
