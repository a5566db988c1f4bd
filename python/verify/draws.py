# SPDX-License-Identifier: Apache-2.0
"""For capture.py: what a script draws by chance, draw by draw, so that two runs can be compared.

It lies as steptime_verify_draws.py beside the sitecustomize.py that capture.py is. A line a draw:

    R <hash> <what> <place>   what: torch.randn, numpy.random.shuffle, os.urandom, ...; place: FILE:LINE of the script's own code

Generators of NumPy and objects of random.Random draw in C, unseen: where one is made without a seed, that is a draw of its own,
which no two runs have alike.
"""
import functools
import hashlib
import os
import sys

MOST = 200000  # draws; what comes behind is not compared
TORCH = ("rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial", "poisson", "rand_like", "randn_like",
         "randint_like", "dropout", "alpha_dropout", "feature_dropout", "rrelu")
TENSOR = ("normal_", "uniform_", "random_", "bernoulli_", "exponential_", "geometric_", "cauchy_", "log_normal_", "multinomial",
          "bernoulli")
FUNCTIONAL = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "rrelu", "gumbel_softmax")
PYTHON = ("random", "randint", "randrange", "uniform", "choice", "choices", "sample", "shuffle", "gauss", "normalvariate",
          "betavariate", "expovariate", "gammavariate", "triangular", "getrandbits", "randbytes")
NUMPY = ("rand", "randn", "randint", "random", "random_sample", "choice", "shuffle", "permutation", "normal", "uniform", "binomial",
         "poisson", "beta", "exponential", "standard_normal", "multinomial", "zipf", "geometric", "gamma", "lognormal", "bytes",
         "integers")


def is_the_scripts(path):
    """Neither Python's library nor an installed package, nor ours."""
    return not (path.startswith("<") or path == __file__ or os.path.basename(path).startswith(("steptime_", "sitecustomize"))
                or f"{os.sep}site-packages{os.sep}" in path or f"{os.sep}dist-packages{os.sep}" in path
                or path.startswith(os.path.dirname(os.__file__) + os.sep))


def place():
    frame = sys._getframe(2)
    while frame and not is_the_scripts(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else ""


def is_asked_by_the_script(frame):
    """Libraries name files and keys by chance while they are imported and later, which no loss depends on."""
    while frame and os.path.basename(frame.f_code.co_filename) in ("uuid.py", "secrets.py", "random.py"):
        frame = frame.f_back
    return bool(frame) and is_the_scripts(frame.f_code.co_filename)


def digest(value):
    """Of what a draw gave, or of what it was put into."""
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        value = value.detach().cpu()
        try:
            data = value.double().numpy().tobytes() if value.is_floating_point() else value.numpy().tobytes()
        except (RuntimeError, TypeError):
            data = repr(value.tolist()).encode()
    elif hasattr(value, "tobytes") and getattr(value, "dtype", None) != object:
        data = value.tobytes()
    else:
        data = repr(value).encode("utf-8", "replace")
    return hashlib.sha1(data).hexdigest()[:16]


class Draws:
    """One draw is within another where a library's function calls a second: the outermost counts."""

    def __init__(self, say):
        self.say, self.count, self.inside = say, 0, False

    def take(self, what, value):
        where = place()
        if not where or self.count >= MOST:
            return
        self.count += 1
        self.say(f"R {digest(value)} {what} {where.encode('unicode_escape').decode()}")

    def watch(self, holder, name, what, in_place=False, governed=True):
        """governed: by a seed, so that whoever draws moves what is drawn next."""
        function = getattr(holder, name, None)
        if function is None:
            return

        @functools.wraps(function)
        def wrapper(*arguments, **named):
            if self.inside or not (governed or is_asked_by_the_script(sys._getframe(1))):
                return function(*arguments, **named)
            self.inside = True
            try:
                result = function(*arguments, **named)
                drawn = arguments[0] if in_place and arguments else result
                self.take(what, drawn)
            finally:
                self.inside = False
            return result
        try:
            setattr(holder, name, wrapper)
        except (AttributeError, TypeError):
            pass

    def watch_maker(self, holder, name, what):
        """Of generators: those without a seed are told, whose draws nobody sees."""
        make = getattr(holder, name, None)
        if make is None:
            return

        @functools.wraps(make)
        def wrapper(*arguments, **named):
            seeds = [seed for seed in [*arguments, *named.values()] if seed is not None]
            if not seeds:
                self.take(what, os_urandom(8))
            return make(*arguments, **named)
        setattr(holder, name, wrapper)

    # ---- what is watched ----

    def watch_python(self):
        import random
        for name in PYTHON:
            self.watch(random, name, f"random.{name}", in_place=name == "shuffle")
        self.watch(os, "urandom", "os.urandom", governed=False)

    def watch_numpy(self, numpy):
        for name in NUMPY:
            self.watch(numpy.random, name, f"numpy.random.{name}", in_place=name == "shuffle")
        self.watch_maker(numpy.random, "default_rng", "numpy.random.default_rng() without a seed")

    def watch_torch(self, torch):
        for name in TORCH:
            self.watch(torch, name, f"torch.{name}")
        for name in TENSOR:
            self.watch(torch.Tensor, name, f"Tensor.{name}")
        functional = getattr(torch.nn, "functional", None)
        for name in FUNCTIONAL if functional else ():
            self.watch(functional, name, f"torch.nn.functional.{name}")
        self.watch(torch, "seed", "torch.seed() without a seed")


os_urandom = os.urandom
