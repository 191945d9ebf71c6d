"""RASP's calls: `stat`, `CFG` and what goes with them.

>>> import torch, strata.rasp as rasp
>>> net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU())
>>> print(rasp.stat(net, input_shape=(1, 3, 16, 16), print_stat=False, returns="sum"))
      name    type        in_shape       out_shape  params  flops  mem_r  mem_w  mem_rw
0       .0  Conv2d  (1, 3, 16, 16)  (1, 8, 14, 14)     224  84672   3968   6272   10240
1       .1    ReLU  (1, 8, 14, 14)  (1, 8, 14, 14)       0   1568   6272   6272   12544
total          NaN             NaN             NaN     224  86240  10240  12544   22784
=======================================================================================
Total params: 224 
Total flops: 86.24K 
Total mem_r: 10.0K Byte
Total mem_w: 12.25K Byte
Total mem_rw: 22.25K Byte
<BLANKLINE>
"""

from __future__ import annotations

from ._config import CFG, get_config, set_config
from ._models import torchvision_models
from ._report import load_report, round_value, save_report
from ._stat import profile_off, stat

__all__ = [
    "CFG",
    "get_config",
    "load_report",
    "profile_off",
    "round_value",
    "save_report",
    "set_config",
    "stat",
    "torchvision_models",
]
