# SPDX-License-Identifier: Apache-2.0
"""Drawn pictures, transforms that change nothing, and one small network, in the place of the package, which has no build beside each PyTorch."""
import importlib.machinery
import sys
import types

import numpy as np
import torch

__version__ = "0.0"
UNCHANGED = ("ToTensor", "Normalize", "RandomCrop", "RandomHorizontalFlip", "Resize", "CenterCrop", "RandomResizedCrop", "ColorJitter",
             "RandomApply", "RandomGrayscale", "RandomRotation", "Scale", "RandomSizedCrop", "ToPILImage", "Pad", "GaussianBlur",
             "RandomErasing")


class Drawn(torch.utils.data.Dataset):
    shape, kinds, count = (3, 32, 32), 10, 5000

    def __init__(self, *_, transform=None, **__):
        self.transform = transform
        self.targets = [i % self.kinds for i in range(self.count)]
        self.data = np.zeros((self.count, *self.shape), dtype="uint8")

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        picture = torch.rand(self.shape)
        return picture if self.transform is None else self.transform(picture), i % self.kinds


class Hundred(Drawn):
    kinds = 100


class Grey(Drawn):
    shape = (1, 28, 28)


class Folder(Drawn):
    shape, kinds, count = (3, 224, 224), 1000, 500


class Unchanged:
    def __init__(self, *given, **_):
        self.given = given

    def __call__(self, picture):
        return picture


class Compose(Unchanged):
    def __call__(self, picture):
        for change in self.given[0]:
            picture = change(picture)
        return picture


class Lambda(Unchanged):
    def __call__(self, picture):
        return self.given[0](picture)


class Small(torch.nn.Module):
    def __init__(self, num_classes=1000, **_):
        super().__init__()
        self.conv, self.fc = torch.nn.Conv2d(3, 16, 3, stride=4), torch.nn.Linear(16, num_classes)

    def forward(self, pictures):
        return self.fc(torch.relu(self.conv(pictures)).mean((2, 3)))


def small(*_, **named):
    return Small(**{name: value for name, value in named.items() if name == "num_classes"})


def module(name, **members):
    made = types.ModuleType("torchvision." + name)
    made.__spec__ = importlib.machinery.ModuleSpec(made.__name__, None)
    made.__path__ = []
    vars(made).update(members)
    sys.modules[made.__name__] = made
    parent, _, last = made.__name__.rpartition(".")
    setattr(sys.modules[parent], last, made)


module("datasets", CIFAR10=Drawn, SVHN=Drawn, CIFAR100=Hundred, MNIST=Grey, FashionMNIST=Grey, ImageFolder=Folder, STL10=Folder)
module("transforms", Compose=Compose, Lambda=Lambda, **{name: type(name, (Unchanged,), {}) for name in UNCHANGED})
module("transforms.functional")
module("utils", save_image=lambda *_, **__: None, make_grid=lambda pictures, *_, **__: pictures)
module("models", resnet18=small, resnet34=small, resnet50=small, vgg16=small)
