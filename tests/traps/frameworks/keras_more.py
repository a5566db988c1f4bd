# SPDX-License-Identifier: Apache-2.0
"""Keras on torch: layers run on the device, train_step is given host data."""
import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import torch


class Scale(keras.layers.Layer):
    def call(self, x):
        return x / x.max().item()  # expect ST4


class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.scale = Scale()
        self.dense = keras.layers.Dense(4)

    def call(self, x):
        return self.dense(self.scale(x))

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        loss = y_pred.square().mean()
        self.seen = loss.item()  # expect ST4
        return loss

    def train_step(self, data):
        x, y = data
        rows = int(y.max())  # silent (host)
        x = keras.ops.convert_to_tensor(x)
        y_pred = self(x, training=True)
        loss = self.compute_loss(x=x, y=y, y_pred=y_pred) / rows
        loss.backward()
        shown = keras.ops.convert_to_numpy(loss)  # expect ST4
        with torch.no_grad():
            self.optimizer.apply([v.value.grad for v in self.trainable_weights], self.trainable_weights)
        return {"loss": shown}

    def predict_step(self, data):
        return self(data).argmax(-1).cpu()  # note (prediction)


class Watch(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.epoch_loss = float(logs["loss"])  # silent (a float)

    def on_test_batch_end(self, batch, logs=None):
        self.test_loss = float(logs["loss"])  # silent (a float)

    def on_train_batch_begin(self, batch, logs=None):
        self.weight = self.model.dense.kernel.value.sum().item()  # expect ST4


def main(loader):
    with keras.device("cuda"):
        model = Model()
    model.compile(optimizer="adam", loss="mse")
    model.fit(loader, epochs=2, callbacks=[Watch()])
