"""Makes aten_schema_table.h from the schemas of the torch that runs it (2.13).

    python3 src/ops/make_aten_schema.py > src/ops/aten_schema_table.h

The table has every operator that torch tags as core ATen, and all overloads of the operators below,
which torch.export emits before decompositions or which training runs: those with tensors that do not
write to an `out`.
"""
import torch

# What torch.export emits besides core ATen.
EXPORTED = """
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution
    _convolution conv_tbc
    linear addmm mm bmm matmul baddbmm addbmm addmv mv dot vdot inner outer einsum bilinear
    linalg_vecdot tensordot chain_matmul addr ger _addmm_activation _grouped_mm
    scaled_dot_product_attention _scaled_dot_product_flash_attention
    _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_efficient_attention
    _scaled_dot_product_cudnn_attention _scaled_dot_product_attention_math
    _scaled_dot_product_fused_attention_overrideable
    _native_multi_head_attention
    lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell mkldnn_rnn_layer
    batch_norm native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional
    _native_batch_norm_legit_no_training _batch_norm_with_update _batch_norm_no_update
    cudnn_batch_norm layer_norm native_layer_norm group_norm native_group_norm instance_norm
    rms_norm _fused_rms_norm local_response_norm norm linalg_vector_norm linalg_norm renorm
    cosine_similarity
    max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices
    max_pool3d_with_indices avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d
    adaptive_avg_pool2d adaptive_avg_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d
    adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d max_unpool2d max_unpool3d
    relu relu6 leaky_relu rrelu prelu _prelu_kernel elu selu celu gelu silu mish sigmoid
    hardsigmoid hardswish hardtanh hardshrink softshrink softplus log_sigmoid log_sigmoid_forward
    tanh threshold glu softmax _softmax log_softmax _log_softmax _safe_softmax
    dropout feature_dropout alpha_dropout feature_alpha_dropout native_dropout
    add sub rsub mul div true_divide divide multiply subtract floor_divide remainder fmod pow
    float_power square neg negative abs absolute reciprocal sqrt rsqrt exp exp2 expm1 log log2
    log10 log1p logaddexp logaddexp2 xlogy special_xlog1py sin cos tan asin acos atan arcsin arccos
    arctan sinh cosh asinh acosh atanh atan2 arctan2 erf erfc erfinv special_erf special_expm1
    special_expit special_log1p special_logit logit sign sgn signbit floor ceil round trunc fix
    frac lgamma digamma special_gammaln sinc hypot copysign lerp addcmul addcdiv nan_to_num
    clamp clip clamp_min clamp_max maximum minimum fmax fmin deg2rad rad2deg
    eq ne lt le gt ge not_equal less less_equal greater greater_equal equal isclose isnan isinf
    isfinite isposinf isneginf logical_and logical_or logical_xor logical_not bitwise_and
    bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift __and__ __or__
    __xor__ __lshift__ __rshift__ where
    sum mean prod nansum nanmean amax amin max min argmax argmin aminmax any all var std var_mean
    std_mean logsumexp cumsum cumprod cummax cummin logcumsumexp count_nonzero median nanmedian
    mode dist trace diff
    view reshape _unsafe_view _reshape_alias view_as reshape_as flatten unflatten squeeze unsqueeze expand
    expand_as broadcast_to permute transpose t numpy_T mT swapaxes swapdims movedim moveaxis
    alias detach detach_ contiguous clone lift lift_fresh lift_fresh_copy alias_copy
    expand_copy permute_copy select_copy slice_copy squeeze_copy t_copy transpose_copy
    unsqueeze_copy view_copy detach_copy split_copy split_with_sizes_copy unbind_copy
    diagonal_copy unfold_copy as_strided_copy view_as_real view_as_complex real imag _conj
    resolve_conj resolve_neg complex polar angle view_as_real_copy view_as_complex_copy
    select slice narrow split split_with_sizes chunk tensor_split unsafe_split
    unsafe_split_with_sizes unsafe_chunk _pack_padded_sequence unbind diagonal diag
    diag_embed unfold as_strided tril triu tril_indices triu_indices
    cat concat concatenate stack hstack vstack dstack column_stack repeat repeat_interleave tile
    roll flip fliplr flipud rot90 meshgrid broadcast_tensors pixel_shuffle pixel_unshuffle
    channel_shuffle native_channel_shuffle
    im2col col2im combinations cartesian_prod block_diag
    pad constant_pad_nd _pad_enum reflection_pad1d reflection_pad2d reflection_pad3d
    replication_pad1d replication_pad2d replication_pad3d
    embedding embedding_bag _embedding_bag _embedding_bag_forward_only one_hot index index_select
    gather take take_along_dim masked_select index_put _unsafe_index _unsafe_index_put
    index_add index_copy index_fill scatter scatter_add scatter_reduce masked_fill masked_scatter
    select_scatter slice_scatter diagonal_scatter as_strided_scatter put
    nonzero nonzero_static nonzero_numpy argwhere topk sort argsort msort kthvalue searchsorted
    bucketize unique_consecutive _unique2 unique_dim histc bincount isin
    upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact1d
    _upsample_nearest_exact2d _upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d
    upsample_trilinear3d upsample_bicubic2d _upsample_bilinear2d_aa _upsample_bicubic2d_aa
    grid_sampler grid_sampler_2d grid_sampler_3d affine_grid_generator
    zeros ones full empty zeros_like ones_like full_like empty_like new_zeros new_ones new_full
    new_empty new_empty_strided empty_strided empty_permuted arange linspace logspace eye
    scalar_tensor tensor fill zero copy rand rand_like randn randn_like randint randint_like
    randperm bernoulli multinomial normal uniform normal_functional exponential
    to _to_copy type_as _to_cpu float double half bfloat16 bool int long item _local_scalar_dense
    _assert_async _assert_tensor_metadata _assert_scalar
    resize
    bitwise_not cdist _cdist_forward _pdist_forward pdist cross linalg_cross det inverse
    linalg_inv linalg_inv_ex linalg_solve linalg_qr linalg_svd cholesky
    _fft_r2c _fft_c2r _fft_c2c fft_fft fft_ifft fft_rfft fft_irfft fft_fft2 fft_ifft2 fft_rfft2
    fft_irfft2 fft_fftn fft_ifftn fft_rfftn fft_irfftn fft_fftshift fft_ifftshift stft istft
    hann_window hamming_window bartlett_window blackman_window kaiser_window
    mse_loss l1_loss smooth_l1_loss huber_loss cross_entropy_loss nll_loss nll_loss_forward
    nll_loss_nd nll_loss2d nll_loss2d_forward binary_cross_entropy
    binary_cross_entropy_with_logits kl_div
    quantize_per_tensor quantize_per_channel quantize_per_tensor_dynamic dequantize int_repr
    fake_quantize_per_tensor_affine fake_quantize_per_channel_affine
    _weight_norm _weight_norm_interface _weight_int4pack_mm _weight_int8pack_mm
    _int_mm _scaled_mm
    _euclidean_dist _trilinear linalg_solve_triangular _linalg_solve_ex linalg_lu_factor_ex _linalg_det
    _linalg_slogdet linalg_cholesky_ex
    _is_all_true _is_any_true embedding_renorm rrelu_with_noise fractional_max_pool2d fractional_max_pool3d
    resize_as _jagged_to_padded_dense_forward _padded_dense_to_jagged_forward _efficientzerotensor
    soft_margin_loss multi_margin_loss
""".split()

# What a training step runs besides: gradients and optimizers.
TRAINED = """
    threshold_backward gelu_backward silu_backward sigmoid_backward tanh_backward
    hardtanh_backward hardswish_backward hardsigmoid_backward leaky_relu_backward elu_backward
    mish_backward softplus_backward log_sigmoid_backward glu_backward _prelu_kernel_backward
    softshrink_backward hardshrink_backward
    _softmax_backward_data _log_softmax_backward_data mkldnn_rnn_layer_backward
    native_batch_norm_backward cudnn_batch_norm_backward batch_norm_backward
    native_layer_norm_backward native_group_norm_backward _fused_rms_norm_backward
    max_pool2d_with_indices_backward max_pool3d_with_indices_backward avg_pool2d_backward
    avg_pool3d_backward _adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward
    adaptive_max_pool2d_backward
    upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward
    _upsample_nearest_exact2d_backward upsample_linear1d_backward upsample_bilinear2d_backward
    upsample_trilinear3d_backward upsample_bicubic2d_backward
    _scaled_dot_product_flash_attention_backward
    _scaled_dot_product_flash_attention_for_cpu_backward
    _scaled_dot_product_efficient_attention_backward _scaled_dot_product_cudnn_attention_backward
    _scaled_dot_product_fused_attention_overrideable_backward
    convolution_backward embedding_dense_backward native_dropout_backward
    nll_loss_backward nll_loss2d_backward mse_loss_backward smooth_l1_loss_backward
    huber_loss_backward binary_cross_entropy_backward
    _weight_norm_interface_backward grid_sampler_2d_backward grid_sampler_3d_backward
    reflection_pad1d_backward reflection_pad2d_backward reflection_pad3d_backward
    replication_pad1d_backward replication_pad2d_backward replication_pad3d_backward
    _upsample_bilinear2d_aa_backward _upsample_bicubic2d_aa_backward masked_scatter_backward
    _embedding_bag_backward _embedding_bag_dense_backward soft_margin_loss_backward
    slice_backward select_backward diagonal_backward unfold_backward is_same_size
    _foreach_add _foreach_sub _foreach_mul _foreach_div _foreach_addcmul _foreach_addcdiv
    _foreach_lerp _foreach_sqrt _foreach_neg _foreach_reciprocal _foreach_pow _foreach_norm
    _foreach_maximum _foreach_copy _foreach_zero _foreach_abs _foreach_sign
    _fused_adam _fused_adamw _fused_sgd _fused_adagrad
""".split()

# How aten_schema.h calls the types of arguments.
KINDS = {
    "Tensor": "Tensor",
    "Optional[Tensor]": "OptionalTensor",
    "List[Tensor]": "Tensors",
    "List[Optional[Tensor]]": "OptionalTensors",
    "Optional[List[Tensor]]": "Tensors",
    "int": "Int",
    "Optional[int]": "Int",
    "float": "Float",
    "Optional[float]": "Float",
    "bool": "Bool",
    "Optional[bool]": "Bool",
    "str": "Text",
    "Optional[str]": "Text",
    "number": "Scalar",
    "Optional[number]": "Scalar",
    "List[int]": "Ints",
    "Optional[List[int]]": "Ints",
    "List[float]": "Floats",
    "Optional[List[float]]": "Floats",
    "List[bool]": "Ints",
}


class Pool:
    """Values that are stored once, and where each is."""

    def __init__(self):
        self.items = []
        self.places = {}

    def place(self, run):
        run = tuple(run)
        if run not in self.places:
            self.places[run] = len(self.items)
            self.items += run
        return self.places[run]


class Texts:
    """All names in one text."""

    def __init__(self):
        self.text = ""

    def place(self, word):
        at = self.text.find(word)
        if at < 0:
            at = len(self.text)
            self.text += word
        return at


# Settings of memory and numbers, which torch's schemas have as plain integers.
OTHER = {"dtype", "layout", "device", "memory_format", "generator", "pin_memory", "output_dtype",
         "out_dtype", "input_dtype"}


def kind_of(argument):
    if argument.name in OTHER:
        return "Other"
    return KINDS.get(str(argument.type), "Other")


def full_name(schema):
    name = schema.name.removeprefix("aten::")
    return name + ("." + schema.overload_name if schema.overload_name else "")


def is_core(schema):
    packet = getattr(torch.ops.aten, schema.name.removeprefix("aten::"), None)
    overload = getattr(packet, schema.overload_name or "default", None)
    return overload is not None and torch.Tag.core in overload.tags


def has_tensors(schema):
    return any("Tensor" in str(value.type) for value in [*schema.arguments, *schema.returns])


def writes_out(schema):
    return any(argument.is_out for argument in schema.arguments)


def is_by_name(schema):
    """Axes by name, which no exported graph has."""
    return any(argument.name in ("names", "dimname") for argument in schema.arguments) or any(
        word in schema.overload_name.lower() for word in ("dimname", "names"))


def is_of_script(schema):
    """Of TorchScript alone: any number of arguments, or dictionaries."""
    return "..." in str(schema) or any("Dict" in str(argument.type) for argument in schema.arguments)


def chosen():
    wanted = set(EXPORTED + TRAINED)
    result = {}
    for schema in torch._C._jit_get_all_schemas():
        if not schema.name.startswith("aten::"):
            continue
        base = schema.name.removeprefix("aten::")
        listed = base in wanted or base.removesuffix("_") in wanted
        listed = listed and has_tensors(schema) and not writes_out(schema)
        listed = listed and not is_by_name(schema) and not is_of_script(schema)
        if listed or is_core(schema):
            result[full_name(schema)] = schema
    return dict(sorted(result.items(), key=lambda item: item[0].encode()))


def default_of(argument, kind, ints, floats):
    """The kind of a default, where it is or what it is, and how many values a list has."""
    if not argument.has_default_value():
        return "Required", 0, 0
    value = argument.default_value
    if value is None or kind == "Other":
        return "Nothing", 0, 0
    if isinstance(value, bool):
        return "Int", ints.place([int(value)]), 1
    if isinstance(value, int):
        return "Int", ints.place([value]), 1
    if isinstance(value, float):
        return "Float", floats.place([value]), 1
    if isinstance(value, str):
        return "Text", value, len(value)
    if isinstance(value, list):
        if kind == "Floats":
            return "Floats", floats.place(value), len(value)
        return "Ints", ints.place([int(item) for item in value]), len(value)
    raise SystemExit(f"a default of an unknown type: {argument}")


def number_text(value):
    text = f"{value:.9g}"
    if text in ("inf", "-inf"):
        return text.replace("inf", "std::numeric_limits<float>::infinity()")
    return text + ("f" if "." in text or "e" in text else ".0f")


def lines_of(items, width=98, indent="    "):
    line = indent
    for item in items:
        if len(line) + len(item) + 2 > width:
            yield line.rstrip()
            line = indent
        line += item + ", "
    yield line.rstrip()


def make():
    texts, ints, floats, arguments = Texts(), Pool(), Pool(), Pool()
    schemas = []
    # Longer names first, so that shorter ones are found inside of them.
    found = chosen()
    words = {name for name in found}
    for schema in found.values():
        words |= {argument.name for argument in [*schema.arguments, *schema.returns]}
        words |= {a.default_value for a in schema.arguments
                  if a.has_default_value() and isinstance(a.default_value, str)}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        texts.place(word)
    for name, schema in found.items():
        run = []
        for argument in [*schema.arguments, *schema.returns]:
            kind = kind_of(argument)
            default, at, size = default_of(argument, kind, ints, floats)
            if default == "Text":
                at = texts.place(at)
            run.append((texts.place(argument.name), len(argument.name), kind, default, size, at))
        schemas.append((texts.place(name), len(name), len(schema.arguments), len(schema.returns),
                        arguments.place(run)))
    assert len(texts.text) < 65536 and len(arguments.items) < 65536

    print("// Made by make_aten_schema.py from torch", torch.__version__.split("+")[0] +
          "; do not change it by hand.")
    print("// clang-format off")
    print("#pragma once\n")
    print("#include <limits>\n")
    print('#include "ops/aten_schema.h"\n')
    print("namespace strata {\n")
    print("// All names. An entry has its place here and its length.")
    print("constexpr char kAtenTexts[] =")
    for start in range(0, len(texts.text), 94):
        last = start + 94 >= len(texts.text)
        print(f'    "{texts.text[start:start + 94]}"' + (";" if last else ""))
    print("\nconstexpr std::int64_t kAtenInts[] = {")
    print("\n".join(lines_of(map(str, ints.items))))
    print("};\n\nconstexpr float kAtenFloats[] = {")
    print("\n".join(lines_of(map(number_text, floats.items))))
    print("};\n\nusing AtenKind = AtenArgument::Kind;\nusing AtenDefault = AtenArgument::Default;")
    print("\n// The arguments of an operator and then its results.")
    print("constexpr AtenArgument kAtenArguments[] = {")
    print("\n".join(lines_of(
        f"{{{at}, {size}, AtenKind::{kind}, AtenDefault::{default}, {count}, {where}}}"
        for at, size, kind, default, count, where in arguments.items)))
    print("};\n\n// Sorted by name.\nconstexpr AtenSchema kAtenSchemas[] = {")
    print("\n".join(lines_of("{%d, %d, %d, %d, %d}" % entry for entry in schemas)))
    print("};\n\n}  // namespace strata")


if __name__ == "__main__":
    make()
