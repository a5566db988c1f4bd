/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read from the packages: transformers 5.23 (trainer.py), lightning 2.6 (loops/training_epoch_loop.py, strategies),
 * skorch 1.4 (net.py), keras 3.15 (backend/torch/trainer.py), stable-baselines3 2.9,
 * pytorch-ignite 0.5.5. Lines are those of these versions.
 */
#include "frameworks.h"

/* trainer.py:1873-1961, :2181; the loader is prepared by Accelerate (:1051), so that inputs lie on the device. The
 * filter (:1912-1914) reads the loss right behind training_step. */
static const struct contract transformers_trainer[] = {
    {"training_step", PACE_STEP, "model:model inputs:batch num_items_in_batch:scalar", WAITED_UNLESS_OFF,
     "logging_nan_inf_filter", "Trainer reads the same loss right behind it (logging_nan_inf_filter)"},
    {"compute_loss floating_point_ops", PACE_STEP, "model:model inputs:batch num_items_in_batch:scalar", WAITED_NOT,
     NULL, NULL},
    {"prediction_step", PACE_EVALUATION, "model:model inputs:batch", WAITED_NOT, NULL, NULL},
    {"log", PACE_ONCE, "logs:numbers", WAITED_NOT, NULL, NULL},
    {"get_batch_samples", PACE_STEP, "", WAITED_NOT, NULL, NULL},
    {"_prepare_inputs", PACE_STEP, "inputs:batch", WAITED_NOT, NULL, NULL},
    {"evaluate predict save_model _save_checkpoint create_optimizer create_scheduler get_train_dataloader "
     "get_eval_dataloader",
     PACE_ONCE, "", WAITED_NOT, NULL, NULL},
    {0},
};

static const struct contract transformers_callback[] = {
    {"on_step_begin on_step_end on_substep_end on_pre_optimizer_step on_optimizer_step", PACE_STEP, "model:model",
     WAITED_NOT, NULL, NULL},
    {"on_prediction_step", PACE_EVALUATION, "model:model", WAITED_NOT, NULL, NULL},
    {"on_log on_epoch_begin on_epoch_end on_train_begin on_train_end on_evaluate on_predict on_save on_init_end",
     PACE_ONCE, "model:model logs:numbers", WAITED_NOT, NULL, NULL},
    {0},
};

/* training_epoch_loop.py:321-377: methods of a module. */
static const struct contract lightning_module[] = {
    {"training_step", PACE_STEP, "batch:batch", WAITED_NOT, NULL, NULL},
    {"configure_gradient_clipping optimizer_step lr_scheduler_step optimizer_zero_grad backward", PACE_STEP, "",
     WAITED_NOT, NULL, NULL},
    {"validation_step test_step predict_step", PACE_EVALUATION, "batch:batch", WAITED_NOT, NULL, NULL},
    {"configure_optimizers configure_model", PACE_ONCE, "", WAITED_NOT, NULL, NULL},
    {0},
};

/* core/hooks.py: modules and data modules have them. */
static const struct contract lightning_data[] = {
    {"on_before_batch_transfer transfer_batch_to_device", PACE_STEP, "batch:host", WAITED_NOT, NULL, NULL},
    {"on_after_batch_transfer", PACE_STEP, "batch:batch", WAITED_NOT, NULL, NULL},
    {"prepare_data setup teardown", PACE_ONCE, "", WAITED_NOT, NULL, NULL},
    {0},
};

/* Hooks that callbacks have too. result.py:491-492: what is logged with prog_bar is read in on_batch_end. */
static const struct contract lightning_hooks[] = {
    {"on_train_batch_start", PACE_STEP, "batch:batch pl_module:model", WAITED_NOT, NULL, NULL},
    {"on_train_batch_end", PACE_STEP, "outputs:parts batch:batch pl_module:model", WAITED_BY_SHOWN_BAR, "prog_bar",
     "the progress bar reads a value at once behind it"},
    {"on_before_backward", PACE_STEP, "loss:scalar pl_module:model", WAITED_NOT, NULL, NULL},
    {"on_after_backward on_before_optimizer_step on_before_zero_grad", PACE_STEP, "pl_module:model", WAITED_NOT, NULL,
     NULL},
    {"on_validation_batch_start on_validation_batch_end on_test_batch_start on_test_batch_end on_predict_batch_start "
     "on_predict_batch_end",
     PACE_EVALUATION, "batch:batch outputs:parts pl_module:model", WAITED_NOT, NULL, NULL},
    {"on_train_epoch_start on_train_epoch_end on_validation_epoch_start on_validation_epoch_end on_test_epoch_end "
     "on_predict_epoch_end on_fit_start on_fit_end on_train_start on_train_end on_validation_start on_validation_end "
     "setup teardown on_save_checkpoint on_load_checkpoint",
     PACE_ONCE, "pl_module:model", WAITED_NOT, NULL, NULL},
    {0},
};

/* net.py:1277: step["loss"].item() each batch; :1670-1683, :1830: batches are on the host until infer. */
static const struct contract skorch_net[] = {
    {"train_step train_step_single", PACE_STEP, "batch:host", WAITED_NOT, NULL, NULL},
    {"infer", PACE_STEP, "x:host", WAITED_NOT, NULL, NULL},
    {"get_loss", PACE_STEP, "y_pred:tensor y_true:host X:host", WAITED_NOT, NULL, NULL},
    {"validation_step evaluation_step", PACE_EVALUATION, "batch:host", WAITED_NOT, NULL, NULL},
    {0},
};

static const struct contract skorch_callback[] = {
    {"on_batch_begin on_grad_computed", PACE_STEP, "batch:host net:model", WAITED_NOT, NULL, NULL},
    {"on_batch_end", PACE_STEP, "batch:host loss:scalar y_pred:tensor net:model", WAITED_ALWAYS, NULL,
     "net.history has read the same loss just before"},
    {"on_epoch_begin on_epoch_end on_train_begin on_train_end", PACE_ONCE, "net:model", WAITED_NOT, NULL, NULL},
    {0},
};

/* backend/torch/trainer.py:516-518: data as the loader gave it; callback_list.py:217-218: logs are floats. */
static const struct contract keras_model[] = {
    {"train_step", PACE_STEP, "data:host", WAITED_NOT, NULL, NULL},
    {"compute_loss compute_metrics", PACE_STEP, "y_pred:tensor", WAITED_NOT, NULL, NULL},
    {"test_step predict_step", PACE_EVALUATION, "data:host", WAITED_NOT, NULL, NULL},
    {0},
};

/* layer.py: an object that is called moves its arguments to the device first. */
static const struct contract keras_layer[] = {
    {"call", PACE_STEP, "", WAITED_NOT, NULL, NULL},
    {0},
};

static const struct contract keras_callback[] = {
    {"on_train_batch_begin on_train_batch_end on_batch_begin on_batch_end", PACE_STEP, "logs:numbers", WAITED_NOT, NULL,
     NULL},
    {"on_test_batch_begin on_test_batch_end on_predict_batch_begin on_predict_batch_end", PACE_EVALUATION,
     "logs:numbers", WAITED_NOT, NULL, NULL},
    {"on_epoch_begin on_epoch_end on_train_begin on_train_end on_test_begin on_test_end", PACE_ONCE, "logs:numbers",
     WAITED_NOT, NULL, NULL},
    {0},
};

/* buffers.py:128-140, common/utils.py obs_as_tensor: what a policy is given lies on the device; rollouts are NumPy. */
static const struct contract stable_callback[] = {
    {"_on_step", PACE_STEP, "", WAITED_NOT, NULL, NULL},
    {"_on_rollout_start _on_rollout_end _on_training_start _on_training_end _init_callback", PACE_ONCE, "", WAITED_NOT,
     NULL, NULL},
    {0},
};

static const struct contract stable_extractor[] = {
    {"forward", PACE_STEP, "observations:batch obs:batch", WAITED_NOT, NULL, NULL},
    {0},
};

static const struct contract stable_policy[] = {
    {"forward extract_features", PACE_STEP, "observations:batch obs:batch", WAITED_NOT, NULL, NULL},
    {0},
};

/* ignite/engine/events.py: names of events rather than of methods; their handlers are registered with the engine. */
static const struct contract ignite_trainer[] = {
    {"ITERATION_STARTED ITERATION_COMPLETED GET_BATCH_STARTED GET_BATCH_COMPLETED", PACE_STEP, "", WAITED_NOT, NULL,
     NULL},
    {"STARTED COMPLETED EPOCH_STARTED EPOCH_COMPLETED EXCEPTION_RAISED DATALOADER_STOP_ITERATION TERMINATE "
     "TERMINATE_SINGLE_EPOCH INTERRUPT",
     PACE_ONCE, "", WAITED_NOT, NULL, NULL},
    {0},
};

static const struct contract ignite_evaluator[] = {
    {"ITERATION_STARTED ITERATION_COMPLETED GET_BATCH_STARTED GET_BATCH_COMPLETED", PACE_EVALUATION, "", WAITED_NOT,
     NULL, NULL},
    {"STARTED COMPLETED EPOCH_STARTED EPOCH_COMPLETED EXCEPTION_RAISED DATALOADER_STOP_ITERATION TERMINATE "
     "TERMINATE_SINGLE_EPOCH INTERRUPT",
     PACE_ONCE, "", WAITED_NOT, NULL, NULL},
    {0},
};

/* torchrl/trainers/trainers.py: hooks by their names; optim_steps runs several for each collection. */
static const struct contract torchrl_trainer[] = {
    {"pre_optim_steps process_optim_batch process_loss post_loss optimizer post_optim post_optim_log", PACE_STEP, "",
     WAITED_NOT, NULL, NULL},
    {"batch_process pre_steps_log post_steps_log post_steps pre_epoch pre_epoch_log post_epoch post_epoch_log setup "
     "shutdown",
     PACE_EPOCH, "", WAITED_NOT, NULL, NULL},
    {0},
};

static const struct framework frameworks[] = {
    {.bases = "transformers.Trainer transformers.Seq2SeqTrainer trl.SFTTrainer trl.DPOTrainer trl.RewardTrainer",
     .on_device = true,
     .holds = "model:model",
     .contracts = {transformers_trainer}},
    {.bases = "transformers.TrainerCallback", .on_device = true, .contracts = {transformers_callback}},
    {.bases = "lightning.LightningModule",
     .is_module = true,
     .on_device = true,
     .contracts = {lightning_module, lightning_data, lightning_hooks}},
    {.bases = "lightning.LightningDataModule", .on_device = true, .contracts = {lightning_data}},
    {.bases = "lightning.Callback lightning.callbacks.Callback", .on_device = true, .contracts = {lightning_hooks}},
    {.bases = "skorch.NeuralNet skorch.NeuralNetClassifier skorch.NeuralNetRegressor skorch.NeuralNetBinaryClassifier",
     .holds = "module_:model criterion_:model",
     .contracts = {skorch_net}},
    {.bases = "skorch.callbacks.Callback", .contracts = {skorch_callback}},
    {.bases = "keras.Model keras.models.Model keras.Sequential",
     .is_module = true,
     .on_device = true,
     .moves_input = true,
     .forward = "call",
     .contracts = {keras_model}},
    {.bases = "keras.callbacks.Callback", .on_device = true, .holds = "model:model", .contracts = {keras_callback}},
    {.bases = "keras.layers.Layer keras.Layer",
     .is_module = true,
     .on_device = true,
     .moves_input = true,
     .forward = "call",
     .contracts = {keras_layer}},
    {.bases = "stable_baselines3.common.callbacks.BaseCallback", .on_device = true, .contracts = {stable_callback}},
    {.bases = "stable_baselines3.common.torch_layers.BaseFeaturesExtractor",
     .is_module = true,
     .on_device = true,
     .contracts = {stable_extractor}},
    {.bases = "stable_baselines3.common.policies.ActorCriticPolicy stable_baselines3.common.policies.BasePolicy",
     .is_module = true,
     .on_device = true,
     .contracts = {stable_policy}},
    {.bases = "ignite.engine.create_supervised_trainer ignite.engine.Engine", .contracts = {ignite_trainer}},
    {.bases = "ignite.engine.create_supervised_evaluator", .contracts = {ignite_evaluator}},
    {.bases = "torchrl.trainers.Trainer", .contracts = {torchrl_trainer}},
};

const struct framework *frameworks_at(size_t i)
{
    return i < sizeof frameworks / sizeof *frameworks ? &frameworks[i] : NULL;
}

const struct framework *frameworks_find(str base)
{
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++)
        if (str_is_among(frameworks[i].bases, base))
            return &frameworks[i];
    return NULL;
}

str frameworks_forward(const struct framework *framework)
{
    return str_of(framework && framework->forward ? framework->forward : "forward");
}

const struct contract *frameworks_contract(const struct framework *framework, str method)
{
    for (size_t i = 0; framework && i < FRAMEWORK_TABLES && framework->contracts[i]; i++)
        for (const struct contract *at = framework->contracts[i]; at->methods; at++)
            if (str_is_among(at->methods, method))
                return at;
    return NULL;
}

/* "inputs:batch model:model": what the word is. */
static enum given among(const char *pairs, str word)
{
    static const struct {
        const char *word;
        enum given given;
    } kinds[] = {{"batch", GIVEN_BATCH}, {"host", GIVEN_HOST},   {"tensor", GIVEN_TENSOR},  {"scalar", GIVEN_SCALAR},
                 {"parts", GIVEN_PARTS}, {"model", GIVEN_MODEL}, {"numbers", GIVEN_NUMBERS}};
    for (str rest = str_of(pairs), kind; str_cut(&rest, ' ', &kind);) {
        str name;
        str_cut(&kind, ':', &name);
        for (size_t i = 0; str_eq(name, word) && i < sizeof kinds / sizeof *kinds; i++)
            if (str_eq(kind, str_of(kinds[i].word)))
                return kinds[i].given;
    }
    return GIVEN_NOTHING;
}

enum given frameworks_given(const struct contract *contract, str parameter)
{
    return contract ? among(contract->given, parameter) : GIVEN_NOTHING;
}

enum given frameworks_held(const struct framework *framework, str attribute)
{
    return framework && framework->holds ? among(framework->holds, attribute) : GIVEN_NOTHING;
}
