# SPDX-License-Identifier: Apache-2.0
"""An image diffusion model: a UNet of diffusers with its noise schedule and its average of weights. With SMALL in the environment
of fewer and narrower channels."""
import os

import torch
import torch.nn.functional as F
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from diffusers.training_utils import EMAModel

NARROWER = 4 if os.environ.get("SMALL") else 1
BATCH, SIZE = 2, 64 // min(NARROWER, 2)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = UNet2DModel(sample_size=SIZE, in_channels=3, out_channels=3, layers_per_block=2,
                        block_out_channels=[width // NARROWER for width in (128, 128, 256, 256, 512, 512)],
                        norm_num_groups=32 // NARROWER,
                        down_block_types=("DownBlock2D",) * 4 + ("AttnDownBlock2D", "DownBlock2D"),
                        up_block_types=("UpBlock2D", "AttnUpBlock2D") + ("UpBlock2D",) * 4).to(device)
    schedule = DDPMScheduler(num_train_timesteps=1000)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    rate = get_cosine_schedule_with_warmup(optimizer, num_warmup_steps=10, num_training_steps=1000)
    average = EMAModel(model.parameters(), decay=0.9999)
    average.to(device)
    images = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(16, 3, SIZE, SIZE)), BATCH, shuffle=True)
    for clean, in images:
        clean = clean.to(device)
        noise = torch.randn_like(clean)
        times = torch.randint(0, schedule.config.num_train_timesteps, (len(clean),), device=device).long()
        noisy = schedule.add_noise(clean, noise, times)
        loss = F.mse_loss(model(noisy, times, return_dict=False)[0], noise)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        rate.step()
        average.step(model.parameters())
        optimizer.zero_grad()
        print(loss.detach().item(), rate.get_last_lr()[0])


if __name__ == "__main__":
    main()
