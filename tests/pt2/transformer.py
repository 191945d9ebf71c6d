"""Today's networks from transformers' own classes, small, with random weights.

The sizes are all different where a mistake could hide behind equal ones.
"""
import torch
import transformers as hf


def ids(*shape):
    return torch.arange(shape[0] * shape[1]).remainder(90).reshape(shape)


def image(size, batch=1):
    return torch.rand(batch, 3, size, size)


COMMON = dict(vocab_size=97, hidden_size=48, intermediate_size=80, num_hidden_layers=2,
              num_attention_heads=6)
DECODER = dict(COMMON, num_key_value_heads=2, max_position_embeddings=64)


# Each: the model and its keyword inputs, and which axes of them may be open.
def bert():
    config = hf.BertConfig(**COMMON, max_position_embeddings=64)
    return hf.BertModel(config), dict(input_ids=ids(2, 12), attention_mask=torch.ones(2, 12))


def gpt2():
    config = hf.GPT2Config(vocab_size=97, n_embd=48, n_layer=2, n_head=6, n_positions=64)
    return hf.GPT2LMHeadModel(config), dict(input_ids=ids(2, 12), use_cache=False)


def llama():
    return hf.LlamaForCausalLM(hf.LlamaConfig(**DECODER)), dict(input_ids=ids(2, 12), use_cache=False)


def qwen():
    config = hf.Qwen3Config(**DECODER, head_dim=10, tie_word_embeddings=True)
    return hf.Qwen3ForCausalLM(config), dict(input_ids=ids(2, 12), use_cache=False)


def mixtral():
    config = hf.MixtralConfig(**DECODER, num_local_experts=4, num_experts_per_tok=2)
    return hf.MixtralForCausalLM(config), dict(input_ids=ids(2, 12), use_cache=False)


def vit():
    config = hf.ViTConfig(**{**COMMON, "vocab_size": None}, image_size=32, patch_size=8)
    return hf.ViTForImageClassification(config), dict(pixel_values=image(32, 2))


def swin():
    config = hf.SwinConfig(image_size=64, patch_size=4, embed_dim=24, depths=[2, 2],
                           num_heads=[3, 6], window_size=4)
    return hf.SwinModel(config), dict(pixel_values=image(64))


def sam():
    config = hf.SamConfig(
        vision_config=hf.SamVisionConfig(hidden_size=48, output_channels=32, num_hidden_layers=2,
                                         num_attention_heads=6, image_size=64, patch_size=8,
                                         window_size=4, global_attn_indexes=[1], mlp_dim=80,
                                         num_pos_feats=16),
        prompt_encoder_config=hf.SamPromptEncoderConfig(hidden_size=32, image_size=64, patch_size=8,
                                                        mask_input_channels=8),
        mask_decoder_config=hf.SamMaskDecoderConfig(hidden_size=32, mlp_dim=40, num_hidden_layers=2,
                                                    num_attention_heads=4, iou_head_hidden_dim=24))
    return hf.SamModel(config), dict(pixel_values=image(64),
                                     input_points=torch.tensor([[[[10.0, 20.0]]]]))


def clip():
    config = hf.CLIPConfig(
        text_config={**COMMON, "max_position_embeddings": 20, "bos_token_id": 1, "eos_token_id": 2},
        vision_config=dict(hidden_size=36, intermediate_size=56, num_hidden_layers=2,
                           num_attention_heads=4, image_size=32, patch_size=8),
        projection_dim=28)
    return hf.CLIPModel(config), dict(input_ids=ids(2, 12), pixel_values=image(32, 2),
                                      attention_mask=torch.ones(2, 12))


def whisper():
    config = hf.WhisperConfig(vocab_size=97, num_mel_bins=20, d_model=48, encoder_layers=2,
                              encoder_attention_heads=6, decoder_layers=2,
                              decoder_attention_heads=6, encoder_ffn_dim=80, decoder_ffn_dim=80,
                              max_source_positions=30, max_target_positions=16, pad_token_id=0,
                              bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    return hf.WhisperModel(config), dict(input_features=torch.rand(1, 20, 60),
                                         decoder_input_ids=ids(1, 9), use_cache=False)


def mamba():
    config = hf.MambaConfig(vocab_size=97, hidden_size=48, state_size=8, num_hidden_layers=2)
    return hf.MambaForCausalLM(config), dict(input_ids=ids(2, 12), use_cache=False)


def detr():
    backbone = hf.ResNetConfig(embedding_size=16, hidden_sizes=[16, 24, 32, 40], depths=[1, 1, 1, 1],
                               layer_type="basic", out_features=["stage4"])
    config = hf.DetrConfig(backbone_config=backbone, use_timm_backbone=False,
                           use_pretrained_backbone=False, backbone=None, num_queries=7, d_model=48,
                           encoder_layers=2, decoder_layers=2, encoder_ffn_dim=80,
                           decoder_ffn_dim=80, encoder_attention_heads=6, decoder_attention_heads=6)
    return hf.DetrForObjectDetection(config), dict(pixel_values=image(64))


NETWORKS = {f.__name__: f for f in (bert, clip, detr, gpt2, llama, mamba, mixtral, qwen, sam, swin,
                                    vit, whisper)}
