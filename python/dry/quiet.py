# SPDX-License-Identifier: Apache-2.0
"""For run.py: what would be in the way of a script without data. Nothing is saved or compiled, loaders start no processes, modules are
converted and lists of tensors taken as those with data are.

It lies as steptime_dry_quiet.py beside the sitecustomize.py that run.py is.
"""
import functools
import inspect
import types

from steptime_dry_batch import another_batch
from steptime_dry_plan import REAL, asked_by_torch, count, mark

LOADER = {"num_workers": 0, "pin_memory": False, "persistent_workers": False, "prefetch_factor": None, "timeout": 0,
          "multiprocessing_context": None}


def save_nothing(torch):
    """In the file stands a word instead of what is saved, which is kept, and given to who loads it again."""
    kept, load, mark = [], torch.load, b"steptime kept "

    def save(obj, f, *_, **__):
        count("skipped", "torch.save")
        kept.append(obj)
        word = mark + str(len(kept) - 1).encode()
        if hasattr(f, "write"):
            f.write(word)
            return
        with open(f, "wb") as file:
            file.write(word)

    def word_in(f):
        if not hasattr(f, "read"):
            with open(f, "rb") as file:
                return file.read(len(mark) + 20)
        at = f.tell()
        word = f.read(len(mark) + 20)
        f.seek(at)
        return word

    def load_kept(f, *arguments, **named):
        word = word_in(f)
        return kept[int(word[len(mark):])] if word.startswith(mark) else load(f, *arguments, **named)
    torch.save, torch.load = save, load_kept


def load_here(torch, data):
    """Workers would hand tensors over by shared memory, which these have none of."""
    make = torch.utils.data.DataLoader.__init__
    signature = inspect.signature(make)

    @functools.wraps(make)
    def wrapper(*arguments, **named):
        given = signature.bind(*arguments, **named)
        workers = getattr(given.arguments["self"], "steptime_workers", given.arguments.get("num_workers", 0))
        given.arguments.update({name: value for name, value in LOADER.items() if name in given.arguments})
        own = None
        if data:
            data.take(given.arguments)
        else:
            own = another_batch(given.arguments)
        make(*given.args, **given.kwargs)
        given.args[0].steptime_workers = workers
        if own is not None:
            given.args[0].batch_sampler.steptime_own = own
    torch.utils.data.DataLoader.__init__ = wrapper


def compile_nothing(torch):
    """Operators are run one by one; marks tell which a compiler would have, and what it fuses is estimated from them."""
    def compile_(model=None, **_):
        count("skipped", "torch.compile")
        if model is None:
            return compile_
        if isinstance(model, torch.nn.Module):
            marked_in_place(model)
            return model
        return marked(model)

    def marked(function):
        @functools.wraps(function)
        def wrapper(*arguments, **named):
            if state.inside:
                return function(*arguments, **named)
            state.inside = True
            mark(torch, "steptime::compiled 1")
            try:
                return function(*arguments, **named)
            finally:
                state.inside = False
                mark(torch, "steptime::compiled 0")
        return wrapper

    def marked_in_place(model):
        model.forward = marked(model.forward)

    def compile_in_place(model, *_, **__):
        count("skipped", "torch.compile")
        marked_in_place(model)
    state = types.SimpleNamespace(inside=False)
    torch.compile = compile_
    torch.nn.Module.compile = compile_in_place


def convert_by_rebinding(torch):
    """Module.to: PyTorch would swap the insides of two tensors, which those without data refuse. Tied parameters stay tied."""
    Parameter = torch.nn.Parameter

    def converted(parameter, function):
        known = getattr(parameter, "steptime_converted", None)
        if known is not None and known[0] is function:
            return known[1]
        with torch.no_grad():
            applied = function(parameter)
        if applied is parameter:
            return parameter
        new = Parameter(applied, parameter.requires_grad)
        parameter.steptime_converted = (function, new)
        return new

    def apply(module, function, recurse=True):
        for child in module.children() if recurse else ():
            child._apply(function)
        for name, parameter in module._parameters.items():
            if parameter is not None:
                module._parameters[name] = converted(parameter, function)
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = function(buffer)
        return module
    torch.nn.Module._apply = apply


def copy_without_data(torch):
    """copy.deepcopy would copy the mode with the tensor, and another mode would refuse what it holds."""
    import copy

    from torch._subclasses.fake_tensor import FakeTensor
    given = torch.Tensor.__deepcopy__

    def deepcopy(tensor, memo):
        if not isinstance(tensor, FakeTensor) or not tensor.is_leaf:
            return given(tensor, memo)
        if id(tensor) not in memo:
            with torch.no_grad():
                new = tensor.detach().clone()
            new.requires_grad_(tensor.requires_grad)
            memo[id(tensor)] = new
            own = {name: value for name, value in vars(tensor).items() if name not in vars(new)}
            vars(new).update(copy.deepcopy(own, memo))
            if tensor.grad is not None:
                new.grad = deepcopy(tensor.grad, memo)
        return memo[id(tensor)]
    torch.Tensor.__deepcopy__ = deepcopy


def take_lists(torch):
    """Operators on lists of tensors are chosen by the type of these, of which those without data are another."""
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.optim import optimizer
    from torch.utils import _foreach_utils
    for module in (optimizer, _foreach_utils):
        kinds = getattr(module, "_foreach_supported_types", [FakeTensor])
        if not any(kind is FakeTensor for kind in kinds):
            kinds.append(FakeTensor)


def recompute_whole(torch):
    """What is checkpointed without reentering is done again until its last saved tensor, where PyTorch breaks off by an exception,
    through operators whose end its execution trace then never hears of: all that follows would lie within them."""
    import torch.utils.checkpoint
    torch.utils.checkpoint._enable_checkpoint_early_stop = False


def share_nothing(torch):
    """Other processes, of which there are none here, would have the same memory: there is none."""
    torch.Tensor.share_memory_ = lambda tensor: tensor
    for Storage in (torch.UntypedStorage, torch.TypedStorage):
        Storage.share_memory_ = lambda storage, *_, **__: storage


def look_plain(torch):
    """Libraries that ask whether a tensor is without data take it that they are traced, and go other ways."""
    import sys
    package = sys.modules["torch._subclasses"]
    known = package.FakeTensor

    class Nobody:
        pass

    class Package(type(package)):
        FakeTensor = property(lambda _: known if asked_by_torch() else Nobody)
    package.__class__ = Package


def keep_quiet(torch, data):
    """data: None, or what hands out batches in the place of loaders."""
    import torch.utils.data
    save_nothing(torch)
    load_here(torch, data)
    compile_nothing(torch)
    recompute_whole(torch)
    share_nothing(torch)
    if REAL:
        return
    convert_by_rebinding(torch)
    take_lists(torch)
    copy_without_data(torch)
    look_plain(torch)
