"""The classic convolutional networks, with torchvision's module names and sizes.

torchvision has no build for the CPU's torch 2.13, so they are written down here. What they must be
like, parameters and names, is known from Debian's torchvision (tests/zoo/).
"""
import torch
from torch import nn


def conv_norm(channels_in, channels_out, kernel=3, stride=1, groups=1, activation=nn.ReLU6):
    layers = [
        nn.Conv2d(channels_in, channels_out, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(channels_out),
    ]
    if activation:
        layers.append(activation(inplace=True))
    return nn.Sequential(*layers)


class InvertedResidual(nn.Module):
    def __init__(self, channels_in, channels_out, stride, expand):
        super().__init__()
        hidden = channels_in * expand
        self.adds = stride == 1 and channels_in == channels_out
        layers = [conv_norm(channels_in, hidden, 1)] if expand != 1 else []
        layers += [
            conv_norm(hidden, hidden, stride=stride, groups=hidden),
            nn.Conv2d(hidden, channels_out, 1, bias=False),
            nn.BatchNorm2d(channels_out),
        ]
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.conv(x) if self.adds else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        layers, channels = [conv_norm(3, 32, stride=2)], 32
        for expand, width, blocks, stride in (
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
            (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
        ):
            for block in range(blocks):
                layers.append(InvertedResidual(channels, width, stride if block == 0 else 1, expand))
                channels = width
        layers.append(conv_norm(channels, 1280, 1))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, 1000))

    def forward(self, x):
        x = nn.functional.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


class Residual(nn.Module):
    """Two 3×3 convolutions, or a bottleneck of three if `expansion` is 4."""

    def __init__(self, channels_in, width, stride, expansion):
        super().__init__()
        self.bottleneck = expansion != 1
        if self.bottleneck:
            self.conv1 = nn.Conv2d(channels_in, width, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(width)
            self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(width)
            self.conv3 = nn.Conv2d(width, width * expansion, 1, bias=False)
            self.bn3 = nn.BatchNorm2d(width * expansion)
        else:
            self.conv1 = nn.Conv2d(channels_in, width, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(width)
            self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or channels_in != width * expansion:
            self.downsample = conv_norm(channels_in, width * expansion, 1, stride, activation=None)

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.bottleneck:
            out = self.bn3(self.conv3(self.relu(out)))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, blocks, expansion):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        channels = 64
        for stage, count in enumerate(blocks):
            layers, width = [], 64 << stage
            for block in range(count):
                layers.append(Residual(channels, width, 2 if stage and block == 0 else 1, expansion))
                channels = width * expansion
            self.add_module(f"layer{stage + 1}", nn.Sequential(*layers))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(channels, 1000)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class AlexNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = nn.Sequential(
            nn.Dropout(0.5), nn.Linear(256 * 6 * 6, 4096), nn.ReLU(inplace=True),
            nn.Dropout(0.5), nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Linear(4096, 1000),
        )

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


class Fire(nn.Module):
    def __init__(self, channels_in, squeeze, expand):
        super().__init__()
        self.squeeze = nn.Conv2d(channels_in, squeeze, 1)
        self.squeeze_activation = nn.ReLU(inplace=True)
        self.expand1x1 = nn.Conv2d(squeeze, expand, 1)
        self.expand1x1_activation = nn.ReLU(inplace=True)
        self.expand3x3 = nn.Conv2d(squeeze, expand, 3, padding=1)
        self.expand3x3_activation = nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.squeeze_activation(self.squeeze(x))
        return torch.cat([self.expand1x1_activation(self.expand1x1(x)),
                          self.expand3x3_activation(self.expand3x3(x))], 1)


class SqueezeNet(nn.Module):
    """Version 1.1."""

    def __init__(self):
        super().__init__()
        pool = lambda: nn.MaxPool2d(3, 2, ceil_mode=True)
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 3, 2), nn.ReLU(inplace=True), pool(),
            Fire(64, 16, 64), Fire(128, 16, 64), pool(),
            Fire(128, 32, 128), Fire(256, 32, 128), pool(),
            Fire(256, 48, 192), Fire(384, 48, 192), Fire(384, 64, 256), Fire(512, 64, 256),
        )
        self.classifier = nn.Sequential(nn.Dropout(0.5), nn.Conv2d(512, 1000, 1),
                                        nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1)))

    def forward(self, x):
        return torch.flatten(self.classifier(self.features(x)), 1)


class ShuffleUnit(nn.Module):
    def __init__(self, channels_in, channels_out, stride):
        super().__init__()
        self.stride, half = stride, channels_out // 2
        depthwise = lambda channels: [
            nn.Conv2d(channels, channels, 3, stride, 1, groups=channels, bias=False),
            nn.BatchNorm2d(channels)]
        pointwise = lambda channels: [nn.Conv2d(channels, half, 1, bias=False), nn.BatchNorm2d(half),
                                      nn.ReLU(inplace=True)]
        self.branch1 = nn.Sequential(
            *(depthwise(channels_in) + pointwise(channels_in) if stride > 1 else []))
        self.branch2 = nn.Sequential(*pointwise(channels_in if stride > 1 else half),
                                     *depthwise(half), *pointwise(half))

    def forward(self, x):
        if self.stride == 1:
            left, right = x.chunk(2, dim=1)
            x = torch.cat((left, self.branch2(right)), dim=1)
        else:
            x = torch.cat((self.branch1(x), self.branch2(x)), dim=1)
        batch, channels, height, width = x.size()
        x = x.view(batch, 2, channels // 2, height, width)
        return torch.transpose(x, 1, 2).contiguous().view(batch, channels, height, width)


class ShuffleNetV2(nn.Module):
    """Width 1.0."""

    def __init__(self):
        super().__init__()
        self.conv1 = conv_norm(3, 24, stride=2, activation=nn.ReLU)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        channels = 24
        for stage, (width, repeats) in enumerate(((116, 4), (232, 8), (464, 4)), 2):
            units = [ShuffleUnit(channels, width, 2)]
            units += [ShuffleUnit(width, width, 1) for _ in range(repeats - 1)]
            self.add_module(f"stage{stage}", nn.Sequential(*units))
            channels = width
        self.conv5 = conv_norm(channels, 1024, 1, activation=nn.ReLU)
        self.fc = nn.Linear(1024, 1000)

    def forward(self, x):
        x = self.stage4(self.stage3(self.stage2(self.maxpool(self.conv1(x)))))
        return self.fc(self.conv5(x).mean([2, 3]))


class DenseLayer(nn.Module):
    def __init__(self, channels_in):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(channels_in)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(channels_in, 128, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(128)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(128, 32, 3, padding=1, bias=False)

    def forward(self, features):
        x = self.conv1(self.relu1(self.norm1(torch.cat(features, 1))))
        return self.conv2(self.relu2(self.norm2(x)))


class DenseBlock(nn.ModuleDict):
    def __init__(self, channels_in, layers):
        super().__init__()
        for i in range(layers):
            self.add_module(f"denselayer{i + 1}", DenseLayer(channels_in + 32 * i))

    def forward(self, x):
        features = [x]
        for layer in self.values():
            features.append(layer(features))
        return torch.cat(features, 1)


class DenseNet(nn.Module):
    """DenseNet-121."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential()
        self.features.add_module("conv0", nn.Conv2d(3, 64, 7, 2, 3, bias=False))
        self.features.add_module("norm0", nn.BatchNorm2d(64))
        self.features.add_module("relu0", nn.ReLU(inplace=True))
        self.features.add_module("pool0", nn.MaxPool2d(3, 2, 1))
        channels = 64
        for i, layers in enumerate((6, 12, 24, 16), 1):
            self.features.add_module(f"denseblock{i}", DenseBlock(channels, layers))
            channels += 32 * layers
            if i == 4:
                break
            transition = nn.Sequential()
            transition.add_module("norm", nn.BatchNorm2d(channels))
            transition.add_module("relu", nn.ReLU(inplace=True))
            transition.add_module("conv", nn.Conv2d(channels, channels // 2, 1, bias=False))
            transition.add_module("pool", nn.AvgPool2d(2, 2))
            self.features.add_module(f"transition{i}", transition)
            channels //= 2
        self.features.add_module("norm5", nn.BatchNorm2d(channels))
        self.classifier = nn.Linear(channels, 1000)

    def forward(self, x):
        x = nn.functional.relu(self.features(x), inplace=True)
        return self.classifier(torch.flatten(nn.functional.adaptive_avg_pool2d(x, (1, 1)), 1))


NETWORKS = {
    "alexnet": AlexNet,
    "densenet121": DenseNet,
    "mobilenet_v2": MobileNetV2,
    "resnet18": lambda: ResNet((2, 2, 2, 2), 1),
    "resnet50": lambda: ResNet((3, 4, 6, 3), 4),
    "shufflenet_v2_x1_0": ShuffleNetV2,
    "squeezenet1_1": SqueezeNet,
}
