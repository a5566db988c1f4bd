# SPDX-License-Identifier: Apache-2.0
"""Runs a public pipeline's own training on drawn data: run_it.py NAME, from the folder of its modules.

Lies beside the pipeline's modules, with sessions.py. Nothing of a pipeline is changed: what it reads is drawn here, modules
that it imports and does not need are empty ones, and a move to a GPU that is not asked for by name is none.
"""
import argparse
import importlib
import importlib.machinery
import os
import random
import sys
import types

import numpy as np
import torch

import sessions


def seeded():
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


def on_cpu():
    torch.nn.Module.cuda = lambda module, device=None: module
    torch.Tensor.cuda = lambda tensor, *_, **__: tensor
    torch.cuda.FloatTensor = torch.FloatTensor


def stand_ins():
    """For modules that show progress or sizes, or compile what evaluates, and are not installed."""
    for name, members in {"tqdm": {"tqdm": lambda rounds, *_, **__: rounds}, "torchsummary": {"summary": None},
                          "numba": {"jit": lambda *_, **__: lambda function: function}}.items():
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = types.ModuleType(name)
            vars(sys.modules[name]).update(members, __spec__=importlib.machinery.ModuleSpec(name, None))


SESSION_OPTIONS = dict(hiddenSize=50, batchSize=100, step=1, nonhybrid=False, lr=0.001, lr_dc=0.1, lr_dc_step=3, l2=1e-5, norm=True,
                       TA=False, scale=True, dynamic=False)


def session_graph(count=2600, width=50, **of_data):
    """SR-GNN and those that grew from it: Data, SessionGraph, train_test."""
    from model import SessionGraph, train_test
    from utils import Data
    options = argparse.Namespace(**{**SESSION_OPTIONS, "hiddenSize": width})
    of_data = {key: options for key in of_data}
    train, test = sessions.examples(sessions.draw(count)), sessions.examples(sessions.draw(20, seed=1))
    train, test = Data(train, shuffle=True, **of_data), Data(test, shuffle=False, **of_data)
    more = [max(train.len_max, test.len_max)] if of_data else []
    train_test(SessionGraph(options, sessions.ITEMS + 1, *more), train, test)


def mkm_sr():
    from model.MKM_SR import MKM_SR
    from model.utils import MKM_DATA, train_predict_mkm
    inputs, targets = sessions.examples(sessions.draw(2600))
    longest = max(map(len, inputs))
    padded = [clicks + [0] * (longest - len(clicks)) for clicks in inputs]
    kinds = [[1 + click % 9 if click else 0 for click in clicks] for clicks in padded]
    mask = [[1] * len(clicks) + [0] * (longest - len(clicks)) for clicks in inputs]
    data = MKM_DATA((padded, kinds, mask, targets))
    options = argparse.Namespace(hidden_size=50, batch_size=100, step=1, lr=0.001, l2=1e-5, kg_loss_rate=0.0001)
    items = list(range(1, sessions.ITEMS + 1))
    train_predict_mkm(MKM_SR(options, sessions.ITEMS + 1, 10, sessions.ITEMS), data, data, items,
                      {item: item - 1 for item in items})


def gce_gnn():
    from model import CombineGraph, train_test
    from utils import Data, handle_adj
    options = argparse.Namespace(batch_size=100, hiddenSize=50, dropout_local=0.0, dropout_global=0.5, dropout_gcn=0.2, n_iter=1,
                                 n_sample=12, n_sample_all=12, activate="relu", lr=0.001, lr_dc=0.1, lr_dc_step=3, l2=1e-5,
                                 alpha=0.2, hop=1)
    drawn = sessions.draw(1200)
    near, times = sessions.neighbours(drawn)
    near, times = handle_adj(near, sessions.ITEMS + 1, 12, times)
    data = Data(sessions.examples(drawn))
    train_test(CombineGraph(options, sessions.ITEMS + 1, near, times), data, data)


def ragged(lists):
    """An array of lists: NumPy no longer makes one of itself."""
    array = np.empty(len(lists), dtype=object)
    array[:] = lists
    return array


def sum_of_tensors():
    """np.sum of a list of tensors that have gradients adds them, one to another, as it did before NumPy asked for arrays."""
    of_arrays = np.sum
    np.sum = lambda what, *more, **named: (
        sum(what) if isinstance(what, list) and isinstance(what[0], torch.Tensor) else of_arrays(what, *more, **named))


def hypergraph(name, *seen, **of_model):
    """DHCN and COTREC."""
    on_cpu()
    sum_of_tensors()
    import model as module
    from util import Data
    drawn = sessions.draw(1200)
    inputs, targets = sessions.examples(drawn)
    data = Data((ragged(inputs), targets), *([drawn] if seen else []), shuffle=True, n_node=sessions.ITEMS)
    network = getattr(module, name)(adjacency=data.adjacency, n_node=sessions.ITEMS, lr=0.001, l2=1e-5, emb_size=100,
                                    batch_size=100, dataset="sample", **of_model)
    network.num = sessions.ITEMS // 2  # COTREC draws among so many of the nearest: there are 309, not its 40,000
    module.train_test(network, data, data, *seen)


def rec_bole():
    """SR-GNN as RecBole has it: the model's own file, for the rest of the package needs much that is not here."""
    for name in ("recbole", "recbole.model", "recbole.model.sequential_recommender", "recbole.utils"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [name.replace(".", os.sep)]
    kinds = vars(importlib.import_module("recbole.utils.enum_type"))
    vars(sys.modules["recbole.utils"]).update(kinds, set_color=lambda text, *_: text)
    from recbole.model.sequential_recommender.srgnn import SRGNN
    options = dict(USER_ID_FIELD="user", ITEM_ID_FIELD="item", LIST_SUFFIX="_list", ITEM_LIST_LENGTH_FIELD="length",
                   NEG_PREFIX="neg_", MAX_ITEM_LIST_LENGTH=50, device=torch.device("cpu"), embedding_size=50, step=1, loss_type="CE")
    model = SRGNN(options, types.SimpleNamespace(num=lambda _: sessions.ITEMS + 1))
    optimizer = torch.optim.Adam(model.parameters())
    inputs, targets = sessions.examples(sessions.draw(3000))
    for begin in range(0, len(inputs) - 100, 100):
        rows = [clicks + [0] * (50 - len(clicks)) for clicks in inputs[begin:begin + 100]]
        batch = {"item_list": torch.tensor(rows), "length": torch.tensor([len(row) for row in inputs[begin:begin + 100]]),
                 "item": torch.tensor(targets[begin:begin + 100])}
        optimizer.zero_grad()
        model.calculate_loss(batch).backward()
        optimizer.step()


def narm():
    sys.argv = ["main.py"]
    from main import NARM, RecSysDataset, collate_fn, trainForEpoch
    data = RecSysDataset(sessions.examples(sessions.draw(3000)))
    loader = torch.utils.data.DataLoader(data, batch_size=256, shuffle=True, collate_fn=collate_fn)
    model = NARM(sessions.ITEMS + 1, 50, 50, 256)
    trainForEpoch(loader, model, torch.optim.Adam(model.parameters()), 0, 1, torch.nn.CrossEntropyLoss())


def py_gat():
    """train.py is a script, which trains as it is imported."""
    import utils
    nodes, features, classes = 200, 64, 7
    near = (torch.rand(nodes, nodes) < 0.03).float() + torch.eye(nodes)
    parts = torch.arange(100), torch.arange(100, 150), torch.arange(150, 200)
    drawn = near, torch.rand(nodes, features), torch.randint(classes, (nodes,))
    utils.load_data = lambda: (*drawn, *parts)
    torch.save = lambda *_, **__: None
    sys.argv = ["train.py", "--epochs", "60"]
    import train


def gail():
    """The discriminator alone: the environments that the rest needs are not here."""
    algo = os.path.join("a2c_ppo_acktr", "algo")
    for name in ("h5py", "stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.running_mean_std"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["stable_baselines3.common.running_mean_std"].RunningMeanStd = lambda shape: None
    sys.path.insert(0, algo)
    from gail import Discriminator
    state, action = torch.randn(8192, 17), torch.randn(8192, 6)
    expert = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(state, action), batch_size=128, drop_last=True)

    class Rollouts:
        def feed_forward_generator(self, _, mini_batch_size):
            for begin in range(0, len(state), mini_batch_size):
                rows = torch.arange(begin, begin + mini_batch_size).flip(0)
                yield state[rows], None, action[rows]

    discriminator = Discriminator(23, 64, torch.device("cpu"))
    discriminator.update(expert, Rollouts(), lambda seen, update: seen)


PIPELINES = {
    "SR-GNN": session_graph,
    "NISER": session_graph,
    "TAGNN": session_graph,
    "GC-SAN": lambda: (on_cpu(), session_graph(opt=None, width=120)),
    "MKM-SR": mkm_sr,
    "GCE-GNN": gce_gnn,
    "NARM": narm,
    "DHCN": lambda: hypergraph("DHCN", layers=3, beta=0.01),
    "COTREC": lambda: hypergraph("COTREC", 0, layers=2, beta=0.005, lam=0.005, eps=0.2),
    "RecBole": rec_bole,
    "pyGAT": py_gat,
    "GAIL": gail,
}

if __name__ == "__main__":
    stand_ins()
    seeded()
    PIPELINES[sys.argv[1]]()
