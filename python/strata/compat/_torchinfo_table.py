"""torchinfo's table and totals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum, IntEnum
from typing import Any

from ._torchinfo_layers import LayerInfo


class Mode(str, Enum):
    """The mode that the model runs in; `same` is the one that it is in."""

    TRAIN = "train"
    EVAL = "eval"
    SAME = "same"


class RowSettings(str, Enum):
    """The cells of a row."""

    DEPTH = "depth"
    VAR_NAMES = "var_names"
    ASCII_ONLY = "ascii_only"
    HIDE_RECURSIVE_LAYERS = "hide_recursive_layers"


class ColumnSettings(str, Enum):
    """The columns that there are."""

    KERNEL_SIZE = "kernel_size"
    INPUT_SIZE = "input_size"
    OUTPUT_SIZE = "output_size"
    NUM_PARAMS = "num_params"
    PARAMS_PERCENT = "params_percent"
    MULT_ADDS = "mult_adds"
    TRAINABLE = "trainable"


class Units(str, Enum):
    """Units of large numbers."""

    AUTO = "auto"
    MEGABYTES = "M"
    GIGABYTES = "G"
    TERABYTES = "T"
    NONE = ""


class Verbosity(IntEnum):
    """How much is printed."""

    QUIET, DEFAULT, VERBOSE = 0, 1, 2


_TITLES = {
    ColumnSettings.KERNEL_SIZE: "Kernel Shape",
    ColumnSettings.INPUT_SIZE: "Input Shape",
    ColumnSettings.OUTPUT_SIZE: "Output Shape",
    ColumnSettings.NUM_PARAMS: "Param #",
    ColumnSettings.PARAMS_PERCENT: "Param %",
    ColumnSettings.MULT_ADDS: "Mult-Adds",
    ColumnSettings.TRAINABLE: "Trainable",
}
_FACTORS = {Units.TERABYTES: 1e12, Units.GIGABYTES: 1e9, Units.MEGABYTES: 1e6, Units.NONE: 1}


class FormattingOptions:
    """Widths, columns and what a row shows."""

    def __init__(
        self,
        max_depth: int,
        verbose: int,
        col_names: tuple[ColumnSettings, ...],
        col_width: int,
        row_settings: Iterable[RowSettings],
    ) -> None:
        self.max_depth, self.verbose, self.col_width = max_depth, verbose, col_width
        self.col_names, self.row_settings = col_names, set(row_settings)
        self.params_units, self.macs_units = Units.NONE, Units.AUTO
        self.layer_name_width = 40
        self.ascii_only = RowSettings.ASCII_ONLY in self.row_settings
        self.show_var_name = RowSettings.VAR_NAMES in self.row_settings
        self.show_depth = RowSettings.DEPTH in self.row_settings
        self.hide_recursive_layers = RowSettings.HIDE_RECURSIVE_LAYERS in self.row_settings

    def set_layer_name_width(self, layers: list[LayerInfo], align_val: int = 5) -> None:
        """Makes the first column as wide as its longest name, in steps of `align_val`."""
        longest = max(
            (
                len(layer.get_layer_name(self.show_var_name, self.show_depth)) + layer.depth * align_val + 1
                for layer in layers
            ),
            default=0,
        )
        if longest >= self.layer_name_width:
            self.layer_name_width = math.ceil(longest / align_val) * align_val

    def get_total_width(self) -> int:
        return len(self.col_names) * self.col_width + self.layer_name_width

    def branch(self, depth: int) -> str:
        """The lines of the tree before a name."""
        if depth == 0:
            return ""
        if depth == 1:
            return "+ " if self.ascii_only else "├─"
        bar, corner = ("|    ", "+ ") if self.ascii_only else ("│    ", "└─")
        return bar * (depth - 1) + corner

    def format_row(self, name: str, values: dict[Any, str]) -> str:
        cells = "".join(f"{values.get(column, ''):<{self.col_width}} " for column in self.col_names)
        return f"{name:<{self.layer_name_width}} {cells}".rstrip() + "\n"

    def header_row(self) -> str:
        title = " (var_name)" if self.show_var_name else ""
        title += ":depth-idx" if self.show_depth else ""
        return self.format_row(f"Layer (type{title})", _TITLES)

    def layer_row(self, layer: LayerInfo, total_params: int) -> str:
        deepest = layer.depth == self.max_depth
        values = {
            ColumnSettings.KERNEL_SIZE: str(layer.kernel_size) if layer.kernel_size else "--",
            ColumnSettings.INPUT_SIZE: str(layer.input_size) if layer.input_size else "--",
            ColumnSettings.OUTPUT_SIZE: str(layer.output_size) if layer.output_size else "--",
            ColumnSettings.NUM_PARAMS: layer.num_params_to_str(deepest),
            ColumnSettings.PARAMS_PERCENT: layer.params_percent(total_params, deepest),
            ColumnSettings.MULT_ADDS: layer.macs_to_str(deepest),
            ColumnSettings.TRAINABLE: layer.trainable or "--",
        }
        name = layer.get_layer_name(self.show_var_name, self.show_depth)
        row = self.format_row(self.branch(layer.depth) + name, values)
        if self.verbose == Verbosity.VERBOSE:
            for inner, cells in layer.inner_layers.items():
                row += self.format_row(self.branch(layer.depth + 1) + inner, dict(cells))
        return row

    def layers_to_str(self, layers: list[LayerInfo], total_params: int) -> str:
        return "".join(
            self.layer_row(layer, total_params)
            for layer in layers
            if layer.depth <= self.max_depth and not (self.hide_recursive_layers and layer.is_recursive)
        )


class ModelStatistics:
    """A summary: the layers, and their totals."""

    def __init__(
        self, summary_list: list[LayerInfo], input_size: Any, total_input_size: int, formatting: FormattingOptions
    ) -> None:
        self.summary_list, self.input_size, self.formatting = summary_list, input_size, formatting
        self.total_input = total_input_size
        self.total_mult_adds = self.total_params = self.trainable_params = 0
        self.total_param_bytes = self.total_output_bytes = 0
        for layer in summary_list:
            if layer.is_leaf_layer:
                self.total_mult_adds += layer.macs
                # Twice, because the gradients are as large.
                self.total_output_bytes += 2 * layer.output_bytes if layer.num_params > 0 else 0
                if not layer.is_recursive:
                    self.total_params += layer.num_params
                    self.total_param_bytes += layer.param_bytes
                    self.trainable_params += layer.trainable_params
            elif not layer.is_recursive:
                self.total_params += max(layer.leftover_params(), 0)
                self.trainable_params += max(layer.leftover_trainable_params(), 0)
        formatting.set_layer_name_width(summary_list)

    def __repr__(self) -> str:
        line = "=" * self.formatting.get_total_width()
        units = self.formatting.params_units
        lines = [
            line,
            self.formatting.header_row() + line,
            self.formatting.layers_to_str(self.summary_list, self.total_params) + line,
            "Total params" + self.format_output_num(self.total_params, units),
            "Trainable params" + self.format_output_num(self.trainable_params, units),
            "Non-trainable params" + self.format_output_num(self.total_params - self.trainable_params, units),
        ]
        if self.input_size:
            whole = self.total_input + self.total_output_bytes + self.total_param_bytes
            lines += [
                "Total mult-adds" + self.format_output_num(self.total_mult_adds, self.formatting.macs_units),
                line,
                f"Input size (MB): {self.to_megabytes(self.total_input):0.2f}",
                f"Forward/backward pass size (MB): {self.to_megabytes(self.total_output_bytes):0.2f}",
                f"Params size (MB): {self.to_megabytes(self.total_param_bytes):0.2f}",
                f"Estimated Total Size (MB): {self.to_megabytes(whole):0.2f}",
            ]
        return "\n".join([*lines, line])

    @staticmethod
    def float_to_megabytes(num: int) -> float:
        return num * 4 / 1e6

    @staticmethod
    def to_megabytes(num: int) -> float:
        return num / 1e6

    @staticmethod
    def to_readable(num: int, units: Units = Units.AUTO) -> tuple[Units, float]:
        """The number in its unit; `auto` is millions, or more where there are more."""
        if units == Units.AUTO:
            units = Units.MEGABYTES if num < 1e9 else Units.GIGABYTES if num < 1e12 else Units.TERABYTES
        return units, num / _FACTORS[units]

    @staticmethod
    def format_output_num(num: int, units: Units) -> str:
        used, value = ModelStatistics.to_readable(num, units)
        shown = "" if used == Units.NONE else f" ({used})"  # as the original formats its Enum
        return f"{shown}: {int(value):,d}" if value.is_integer() else f"{shown}: {value:,.2f}"
