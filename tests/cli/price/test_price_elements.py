# SPDX-License-Identifier: Apache-2.0
"""steptime price: tensors that a script fills number by number, or pickles; and what is not known for being made like what is."""
import unittest

from price_case import Case, section, value
from support import INPUT

TRAIN = """
    net = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        net(torch.ones(2, 4)).sum().backward()
        optimizer.step()
"""
FILLED = """
    import numpy, torch
    small, many = torch.zeros(30, 2, dtype=torch.long), torch.LongTensor(300000)
    for i in range(30):
        small[i, 0] = i
        small[numpy.int64(i), -1] = numpy.int64(2 * i)
    assert small.tolist() == [[i, 2 * i] for i in range(30)]
    for i in range(300000):
        many[i] = i % 7
    for index in (30, (0, 2), (0, 0, 0)):
        try:
            small[index] = 1
        except IndexError:
            continue
        raise ValueError(f"{index} is none of its places")
    small[0] = 5
    assert small.tolist()[0] == [5, 5]
""" + TRAIN
PICKLED = """
    import pickle, torch
    given = {"known": torch.arange(30), "net": torch.nn.Linear(3, 4).cuda()}
    again = pickle.loads(pickle.dumps(given))
    assert again["known"].tolist() == list(range(30))
    weight = again["net"].weight
    assert isinstance(weight, torch.nn.Parameter) and weight.is_cuda and weight.requires_grad and weight.shape == (4, 3)
""" + TRAIN
# What index and others make is like a known tensor, but what lies there is chance: taken for values, it would be no place of `few`.
LIKE_KNOWN = """
    import torch
    table, few = torch.zeros(100, dtype=torch.long), torch.ones(5, 2)
    for _ in range(50):
        few[table[torch.randint(100, size=(64,))]]
        few[torch.empty_like(table) * 0 + torch.randint(5, size=(100,))]
""" + TRAIN
# Tensors without data are of a class of their own: `==` may not tell, though `is` does.
TYPES = """
    import torch
    given = torch.zeros(3).cuda()
    assert type(given) == torch.Tensor and torch.Tensor == type(given) and given.__class__ == torch.Tensor
    assert not type(given) != torch.Tensor and not torch.Tensor != type(given)
    assert type(given) in (int, torch.Tensor) and type(given) not in (list, torch.nn.Parameter)
    assert type(given) != torch.nn.Parameter and not type(given) == int and type(given) == type(given)
    assert {type(given): 1}[type(torch.ones(2))] == 1
""" + TRAIN
# A script's own kinds of tensors; their methods are not for operators, which are below Python in a real run.
KINDS = """
    import torch
    class Named(torch.Tensor):
        @staticmethod
        def __new__(cls, x, labels=None): return super().__new__(cls, x)
        def __init__(self, x, labels=None): self.labels = labels
        def doubled(self): return 2 * self
    class Plain(torch.Tensor): pass
    x = Named(torch.ones(8, 4), labels=list("abcd"))
    assert type(x) == Named and isinstance(x, Named) and x.labels == list("abcd") and x.doubled().shape == (8, 4)
    net = torch.nn.Linear(4, 4)
    y = net(x.cuda())
    assert isinstance(y, Named) and y.requires_grad, type(y)
    z = torch.ones(3, 2).as_subclass(Plain)
    assert isinstance(z, Plain) and isinstance(z + 1, Plain) and isinstance(torch.ones(2), torch.Tensor) and not isinstance(torch.ones(2), Plain)
    assert isinstance(torch.Tensor._make_subclass(Plain, torch.ones(2), True), Plain)
    assert type(torch.Tensor.as_subclass(x, torch.Tensor)) == torch.Tensor
    class Strict(torch.Tensor):
        def to(self, *_, **__):
            raise ValueError("no operator comes here")
    torch.ones(4).as_subclass(Strict).float().cuda().mean().item()
""" + TRAIN
# What an assert asks holds; numbers that were drawn are known, so what lies between two is as long as in a real run.
CHECKED = """
    import torch
    chance = torch.randn(3).sum()
    assert chance > 0 and chance < 5, "not so"
    assert not chance > 0 or chance > 7
    begin = torch.randint(0, 90, (1,))
    assert torch.zeros(200)[begin:begin + 100].shape == (100,)
    assert sorted(torch.randperm(9).tolist()) == list(range(9))
""" + TRAIN
# A name that NumPy has no longer is the script's own error, whatever stand-ins came before.
GONE = """
    import numpy, torch
    float(torch.randn(3).sum())
    numpy.float(1)
"""


class Elements(Case):
    def test_numbers_that_a_storage_is_asked_for(self):
        priced = self.priced("""
            import torch
            net = torch.nn.Linear(4, 4)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(3):
                loss = net(torch.randn(2, 4)).sum()
                loss.backward()
                optimizer.step()
                said = loss.data.storage().tolist()
                assert len(said) == 1 and type(said[0]) is float
        """)
        self.assertEqual(value(priced, "dry_run", "steps"), 3)

    def test_checks_pass(self):
        told = self.priced(CHECKED, "--fallback", "never", "--limit", "50")
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        self.assertEqual({row[0] for row in section(told, "dry_run")["tables"][0]["rows"]}, {"branch"})

    def test_known_and_quick(self):
        for text in (FILLED, PICKLED, LIKE_KNOWN, TYPES, KINDS):
            told = self.priced(text, "--fallback", "never", "--limit", "50")
            self.assertEqual(value(told, "dry_run", "steps"), 3)
            self.assertEqual(section(told, "dry_run")["tables"], [])

    def test_a_name_that_is_gone_is_its_own_error(self):
        done = self.price(self.script(GONE), "--hw", "H100", code=INPUT)
        self.assertIn(self.line_of("numpy.float"), done.err)
        self.assertNotIn("with data on the CPU", done.err)


if __name__ == "__main__":
    unittest.main()
