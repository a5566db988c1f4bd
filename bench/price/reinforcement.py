# SPDX-License-Identifier: Apache-2.0
"""A reinforcement learner: PPO of stable-baselines3 on a pole."""
from stable_baselines3 import PPO


def main():
    model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, n_epochs=4, verbose=1)
    model.learn(total_timesteps=512)
    model.save("pole")


if __name__ == "__main__":
    main()
