# SPDX-License-Identifier: Apache-2.0
"""torchtune: the recipe's train is the loop, batch_to_device changes the dict in place."""
import torch
from torchtune import training, utils


class Recipe:
    def setup(self, cfg, model, loader):
        self._device = utils.get_device(device="cuda")
        self._model = model.to(self._device)
        self._loader = loader
        self._optimizer = torch.optim.AdamW(self._model.parameters())
        print(next(self._model.parameters()).sum().item())  # silent (once)

    def _loss_step(self, batch):
        labels = batch.pop("labels")
        tokens = (labels != -100).sum().item()  # expect ST4
        return self._model(batch["tokens"]).square().mean() / tokens

    def train(self):
        for batch in self._loader:
            longest = int(batch["lengths"].max())  # silent (host before the move)
            utils.batch_to_device(batch, self._device)
            labels = batch["labels"].to(self._device)  # silent (moved in place)
            loss = self._loss_step(batch) / longest
            loss.backward()
            self._optimizer.step()
            self._optimizer.zero_grad()
            shown = loss.detach()  # silent
            count = labels.numel()  # silent
        self.validate()
        return shown, count

    def validate(self):
        self._model.eval()
        total = 0.0
        with torch.no_grad():
            for batch in self._loader:
                utils.batch_to_device(batch, self._device)
                total += self._model(batch["tokens"]).sum().item()  # note (evaluation)
        return total


def main(cfg, model, loader):
    recipe = Recipe()
    recipe.setup(cfg, model, loader)
    recipe.train()
