"""TorchScript modules for the tests of engines that run them."""

import sys

import torch
import torchvision


class Small(torch.nn.Module):
    """MobileNetV2 of a quarter of its width, a layer that is called twice, and one that does nothing."""

    def __init__(self):
        super().__init__()
        self.net = torchvision.models.mobilenet_v2(width_mult=0.25)
        self.twice = torch.nn.Linear(1000, 1000)
        self.idle = torch.nn.Identity()

    def forward(self, input):
        x = self.twice(self.net(input))
        return self.twice(self.idle(torch.relu(x)))


def export_script(path):
    torch.manual_seed(1)
    torch.jit.script(Small().eval()).save(str(path))


if __name__ == "__main__":
    name, path = sys.argv[1:]
    torch.jit.script(torchvision.models.get_model(name, weights=None).eval()).save(path)
