/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls of training frameworks give: rows as in known.c, read from accelerate 1.15, lightning 2.6, DeepSpeed 0.19,
 * transformers 5.23, skorch 1.4, torchtune 0.6, keras 3.15, stable-baselines3 2.9, pytorch-ignite 0.5.5. SPECIAL_OBJECT gives an object whose
 * methods are named by its class; ON_GPU says that it uses a device where there is one, ON_OPTION that it is told.
 */
#include "known.h"

#define T VALUE_TENSOR

const struct known_row known_frameworks[] = {
    {"accelerate.Accelerator lightning.Fabric transformers.TrainingArguments transformers.Seq2SeqTrainingArguments",
     {VALUE_OTHER, ON_GPU, 0, 0, SPECIAL_OBJECT, 0, false, false}},
    {"transformers.Trainer transformers.Seq2SeqTrainer lightning.Trainer stable_baselines3.PPO stable_baselines3.A2C "
     "stable_baselines3.DQN stable_baselines3.SAC stable_baselines3.TD3 stable_baselines3.DDPG",
     {VALUE_OTHER, ON_GPU, 0, 0, SPECIAL_OBJECT, 0, false, true}},
    {"skorch.NeuralNet skorch.NeuralNetClassifier skorch.NeuralNetRegressor skorch.NeuralNetBinaryClassifier",
     {VALUE_OTHER, ON_OPTION, 0, 0, SPECIAL_OBJECT, 0, false, true}},
    /* accelerate/accelerator.py: prepare; lightning/fabric/fabric.py: setup. In the order of the arguments. */
    {"accelerate.Accelerator.prepare accelerate.Accelerator.prepare_model accelerate.Accelerator.prepare_data_loader "
     "lightning.Fabric.setup lightning.Fabric.setup_module lightning.Fabric.setup_dataloaders",
     {VALUE_UNKNOWN, ON_GPU, 0, 0, SPECIAL_PREPARE, 0, false, true}},
    {"deepspeed.initialize", {VALUE_TUPLE, ON_GPU, 0, 0, SPECIAL_ENGINE, 0, false, true}},
    /* collectives give tensors where they were given, and read nothing */
    {"accelerate.Accelerator.gather accelerate.Accelerator.gather_for_metrics accelerate.Accelerator.reduce "
     "accelerate.Accelerator.pad_across_processes lightning.Fabric.all_gather lightning.Fabric.all_reduce "
     "lightning.Fabric.broadcast accelerate.Accelerator.unwrap_model",
     {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_SAME, 0, false, true}},
    {"accelerate.Accelerator.clip_grad_norm_ lightning.Fabric.clip_gradients",
     {T, ON_GPU, AS_0, OF_FLOAT32, 0, VALUE_DETACHED, false, true}},
    {"lightning.Fabric.to_device", {VALUE_UNKNOWN, ON_GPU, 0, 0, SPECIAL_CUDA, 0, false, false}},
    {"accelerate.Accelerator.backward lightning.Fabric.backward accelerate.Accelerator.clip_grad_value_ "
     "accelerate.Accelerator.wait_for_everyone lightning.Fabric.launch lightning.Fabric.barrier",
     {VALUE_NONE, ON_NONE, 0, 0, 0, 0, false, true}},
    {"accelerate.Accelerator.print accelerate.Accelerator.log lightning.Fabric.print lightning.Fabric.log "
     "lightning.Fabric.log_dict",
     {VALUE_NONE, ON_NONE, 0, 0, 0, 0, false, true}},
    /* trainer.py:2120: the loss, detached */
    {"transformers.Trainer.training_step transformers.Trainer.compute_loss skorch.NeuralNet.get_loss keras.Model.compute_loss",
     {T, ON_GPU, AS_0, OF_FLOAT32, 0, 0, false, true}},
    {"transformers.Trainer.prediction_step", {VALUE_UNKNOWN, ON_GPU, 0, 0, 0, 0, false, true}},
    /* skorch/net.py:1670 */
    {"skorch.utils.to_tensor skorch.utils.to_device ignite.utils.convert_tensor "
     "stable_baselines3.common.utils.obs_as_tensor",
     {T, ON_SECOND, AS_UNKNOWN, OF_SAME, 0, 0, false, false}},
    /* keras/src/backend/torch/core.py:193-206 */
    {"keras.ops.convert_to_tensor", {T, ON_GPU, AS_UNKNOWN, OF_SAME, 0, 0, false, false}},
    /* trainer_pt_utils.py:157; keras/src/backend/torch/core.py: convert_to_numpy; skorch/utils.py: to_numpy */
    {"transformers.trainer_pt_utils.nested_numpify keras.ops.convert_to_numpy skorch.utils.to_numpy",
     {VALUE_ARRAY, ON_NONE, AS_SAME, OF_SAME, SPECIAL_NUMPY, 0, false, false}},
    /* ignite/engine/__init__.py:440: the default output_transform is loss.item(); engine.py:394, 279: the handler is given
     * the engine; engine.py:1269: state.output is what the step has given */
    {"ignite.engine.create_supervised_trainer", {VALUE_OTHER, ON_OPTION, 0, 0, SPECIAL_TRAINER, 0, false, true}},
    {"ignite.engine.create_supervised_evaluator", {VALUE_OTHER, ON_OPTION, 0, 0, SPECIAL_OBJECT, 0, false, true}},
    /* engine.py:394: the process function is called with the engine and each batch; what it gives is the output */
    {"ignite.engine.Engine", {VALUE_OTHER, ON_NONE, 0, 0, SPECIAL_TRAINER, 0, false, true}},
    {"ignite.engine.Engine.on ignite.engine.Engine.add_event_handler ignite.engine.create_supervised_trainer.on ignite.engine.create_supervised_trainer.add_event_handler "
     "ignite.engine.create_supervised_evaluator.on ignite.engine.create_supervised_evaluator.add_event_handler",
     {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_HANDLER, 0, false, true}},
    {"ignite.engine.create_supervised_trainer.state ignite.engine.Engine.state",
     {VALUE_OTHER, ON_NONE, 0, 0, SPECIAL_STATE, 0, false, false}},
    {"ignite.engine.create_supervised_trainer.state.output ignite.engine.Engine.state.output",
     {VALUE_UNKNOWN, ON_NONE, 0, 0, SPECIAL_OUTPUT, 0, false, false}},
    /* torchrl/trainers/trainers.py: register_op(dest, op) */
    {"torchrl.trainers.Trainer", {VALUE_OTHER, ON_NONE, 0, 0, SPECIAL_OBJECT, 0, false, true}},
    {"torchrl.trainers.Trainer.register_op", {VALUE_NONE, ON_NONE, 0, 0, SPECIAL_HANDLER, 0, false, true}},
    /* trainer.py:2281: batches on the device, and the count of their labels */
    {"transformers.Trainer.get_batch_samples", {T, ON_GPU, AS_UNKNOWN, OF_UNKNOWN, SPECIAL_PAIR, 0, false, true}},
    {"keras.layers.Input keras.Input", {VALUE_UNKNOWN, ON_NONE, 0, 0, 0, 0, false, false}},
};

const size_t known_framework_count = sizeof known_frameworks / sizeof *known_frameworks;
