"""Makes data/aten_schemas.txt from the schemas of the torch that runs it (2.13).

    python3 src/core/ops/make_aten_schema.py > data/aten_schemas.txt

The list has every operator that torch tags as core ATen, and all overloads of the operators below,
which torch.export emits before decompositions or which training runs: those with tensors that do not
write to an `out`.
"""
import torch

# Operators that torch.export emits besides core ATen.
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
    _sparse_addmm _sparse_mm _sparse_sparse_matmul sparse_sampled_addmm
    _linalg_svd _linalg_eigh linalg_eig geqrf linalg_householder_product linalg_lu linalg_lu_solve
    cholesky_solve cholesky_inverse _ctc_loss
""".split()

# Operators that a training step runs besides: gradients and optimizers.
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
    _fused_adam _fused_adamw _fused_sgd _fused_adagrad _ctc_loss_backward
""".split()

# The kinds of src/core/ops/aten_schema.h, by torch's types. Whatever is not here is `other`.
KINDS = {
    "Tensor": "Tensor",
    "Optional[Tensor]": "Tensor?",
    "List[Tensor]": "Tensor[]",
    "List[Optional[Tensor]]": "Tensor?[]",
    "Optional[List[Tensor]]": "Tensor[]",
    "int": "int",
    "Optional[int]": "int",
    "float": "float",
    "Optional[float]": "float",
    "bool": "bool",
    "Optional[bool]": "bool",
    "str": "str",
    "Optional[str]": "str",
    "number": "Scalar",
    "Optional[number]": "Scalar",
    "List[int]": "int[]",
    "Optional[List[int]]": "int[]",
    "List[float]": "float[]",
    "Optional[List[float]]": "float[]",
    "List[bool]": "int[]",
}

# Settings of memory and numbers, which torch's schemas have as plain integers.
OTHER = {"dtype", "layout", "device", "memory_format", "generator", "pin_memory", "output_dtype",
         "out_dtype", "input_dtype"}


def kind_of(argument):
    if argument.name in OTHER:
        return "other"
    return KINDS.get(str(argument.type), "other")


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
    """True for functions of TorchScript alone: any number of arguments, or dictionaries."""
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


def text_of(value):
    """A default that is no None. Booleans are integers, and real numbers have a point or an exponent."""
    if isinstance(value, (bool, int)):
        return str(int(value))
    if isinstance(value, float):
        text = f"{value:.9g}"
        return text if any(letter in text for letter in ".enf") else text + ".0"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, list):
        return "[" + ", ".join(text_of(item) for item in value) + "]"
    raise SystemExit(f"a default of an unknown type: {value!r}")


def written(argument):
    kind = kind_of(argument)
    text = f"{kind} {argument.name}".rstrip()
    if not argument.has_default_value():
        return text
    value = argument.default_value
    return text + "=" + ("None" if value is None or kind == "other" else text_of(value))


def line_of(name, schema):
    arguments = ", ".join(map(written, schema.arguments))
    return f"{name}({arguments}) -> ({', '.join(map(written, schema.returns))})"


def make():
    print("# Made by src/core/ops/make_aten_schema.py from torch", torch.__version__.split("+")[0] +
          "; do not change it by hand.")
    print("# Sorted by name. Arguments are kinds, names and defaults, as torch's own schemas have them.")
    for name, schema in chosen().items():
        print(line_of(name, schema))


if __name__ == "__main__":
    make()
