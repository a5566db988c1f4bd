# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 in training, as the trace that test_price_answer.py checks was recorded of: 32 images, SGD with momentum."""
import torch
from torch import nn
from torch.utils.data import DataLoader

class Bottleneck(nn.Module):
    def __init__(self, inside, width, stride=1, down=False):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.down = nn.Sequential(nn.Conv2d(inside, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)) if down else None
    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.down is not None:
            identity = self.down(x)
        out += identity
        return self.relu(out)

def layer(inside, width, blocks, stride):
    return nn.Sequential(Bottleneck(inside, width, stride, True), *[Bottleneck(4 * width, width) for _ in range(blocks - 1)])

model = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1),
                      layer(64, 64, 3, 1), layer(256, 128, 4, 2), layer(512, 256, 6, 2), layer(1024, 512, 3, 2),
                      nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(1), nn.Linear(2048, 1000)).cuda()
criterion = nn.CrossEntropyLoss().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9, foreach=False)
data = [(torch.zeros(3, 224, 224), 1) for _ in range(256)]
model.train()
for x, y in DataLoader(data, 32, shuffle=True):
    x, y = x.cuda(), y.cuda()
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
