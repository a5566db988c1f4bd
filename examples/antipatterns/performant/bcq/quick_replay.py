# SPDX-License-Identifier: Apache-2.0
"""Transitions as tensors that lie on the device from the start: a batch is an index into them."""
import numpy as np
import torch

from replay import ReplayBuffer


class TensorReplay(ReplayBuffer):
    def __init__(self, sessions, device):
        super().__init__(sessions)
        states, actions, rewards, next_states, dones = zip(*self.transitions)
        self.columns = [torch.as_tensor(np.array(states)), torch.as_tensor(np.array(actions)),
                        torch.as_tensor(np.array(rewards, np.float32)), torch.as_tensor(np.array(next_states)),
                        torch.as_tensor(np.array(dones, np.float32))]
        self.columns = [column.to(device) for column in self.columns]

    def rows(self, indices):
        indices = torch.as_tensor(np.asarray(indices)).to(self.columns[0].device, non_blocking=True)
        return [column[indices] for column in self.columns]
