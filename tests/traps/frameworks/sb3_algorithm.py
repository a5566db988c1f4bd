# SPDX-License-Identifier: Apache-2.0
"""stable-baselines3: train() loops over gradient steps, replay data is on the device, observations are NumPy."""
import torch as th
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.utils import obs_as_tensor


class Mine(DQN):
    def train(self, gradient_steps, batch_size=100):
        losses = []
        for _ in range(gradient_steps):
            data = self.replay_buffer.sample(batch_size, env=self._vec_normalize_env)
            rewards = data.rewards.to(self.device)  # silent (there already)
            values = self.q_net(data.observations)
            loss = (values.mean() - rewards.mean()).square()
            losses.append(loss.item())  # expect ST4
            self.policy.optimizer.zero_grad()
            loss.backward()
            th.nn.utils.clip_grad_norm_(self.policy.parameters(), 10)  # silent
            self.policy.optimizer.step()
        self.logger.record("loss", sum(losses))  # silent (floats)


class Policy(ActorCriticPolicy):
    def forward(self, obs, deterministic=False):
        self.top = obs.max().item()  # expect ST4
        return super().forward(obs, deterministic)


class Watch(BaseCallback):
    def _on_training_start(self):
        self.first = sum(p.sum() for p in self.model.policy.parameters()).item()  # silent (once)

    def _on_step(self):
        obs = obs_as_tensor(self.locals["new_obs"], self.model.device)
        with th.no_grad():
            values = self.model.policy.predict_values(obs)
        self.values.append(values.mean().item())  # expect ST4
        if self.n_calls % 1000 == 0:
            print(values.max().item())  # note (gate)
        self.best = self.locals["rewards"].max()  # silent (NumPy)
        return True

    def _on_rollout_start(self):
        self.low = sum(p.sum() for p in self.model.policy.parameters()).item()  # silent (once a rollout)


def main(env):
    model = Mine("MlpPolicy", env, device="cuda")
    model.learn(10_000, callback=Watch())
