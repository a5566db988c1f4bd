# SPDX-License-Identifier: Apache-2.0
"""For run.py: weights have no data either. What was read from a file (safetensors) loses it as it becomes a parameter. Where transformers
finds the configuration of a model and no weights, the model is made of that.

It lies as steptime_dry_weights.py beside the sitecustomize.py that run.py is.
"""
import functools

from steptime_dry_plan import count


def drop_data(torch, mode):
    """Else a file's data stays in memory, and `parameter.data = tensor` makes a tensor of no device."""
    Parameter = torch.nn.Parameter
    make = Parameter.__new__

    def new(cls, data=None, requires_grad=True):
        if type(data) is torch.Tensor and data.device.type == "cpu":
            data = mode.from_tensor(data.detach())
        return make(cls, data, requires_grad)
    Parameter.__new__ = new


def need_no_weights(modeling):
    """modeling: transformers.modeling_utils, which was imported just now."""
    Model = modeling.PreTrainedModel
    load = Model.from_pretrained.__func__

    @functools.wraps(load)
    def from_pretrained(cls, name, *arguments, config=None, **named):
        try:
            return load(cls, name, *arguments, config=config, **named)
        except OSError:
            model = made_of_configuration(cls, name, config, named)
            if model is None:
                raise
            count("skipped", f"weights of {name}: there are none, the model is made of its configuration")
            return model
    Model.from_pretrained = classmethod(from_pretrained)


def made_of_configuration(cls, name, config, named):
    """None: it has none, or it makes no model."""
    dtype = named.get("dtype", named.get("torch_dtype"))
    attention = named.get("attn_implementation")
    try:
        if not hasattr(config, "to_dict"):
            config = cls.config_class.from_pretrained(config or name)
        more = {} if dtype in (None, "auto") else {"dtype": dtype}
        if attention:
            more["attn_implementation"] = attention
        return cls._from_config(config, **more).eval()
    except (OSError, AttributeError, TypeError, ValueError):
        return None
