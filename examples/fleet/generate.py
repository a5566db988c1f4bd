#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a table of training jobs like those of a large cluster of 2019, for `steptime fleet`.

    generate.py --jobs 100000 --seed 1 > jobs.csv
    generate.py --let PS_ABOVE_80=0.5 > other.csv      # any figure below

The jobs are drawn, not recorded. README.md says which published figures they are fitted to, and what was left free.
"""
import argparse
import bisect
import itertools
import math
import random
import sys

# ---- what was published (Wang et al. 2019; README.md has each with how sure it is) ----

JOB_SHARE = {"1w1g": 0.59, "1wng": 0.12, "ps-worker": 0.29}
PS_SHARE_OF_CNODES = 0.81
PS_JOBS_ABOVE_8 = 0.5
JOBS_ABOVE_128, THEIR_SHARE_OF_CNODES = 0.007, 0.16
WEIGHT_SHARE = 0.62  # mean over cNodes
MEMORY_BOUND, COMPUTE_BOUND = 0.22, 0.13  # the same
PS_INPUT_SHARE = 0.03  # of ps-worker and 1wng
SINGLE_INPUT_SHARE, SINGLE_ABOVE_HALF = 0.10, 0.05  # of 1w1g: mean, and jobs that spend more than half on it
PS_ABOVE_80 = 0.40  # jobs with more than 80 % of their time in communication
WEIGHTS_BELOW_10_GB = 0.90
PS_NOT_GAINING = 0.226  # jobs of which a single cNode is no faster on linked GPUs whose server's PCIe they share

# ---- what was left free, chosen once ----

LOCAL_CNODES = (2, 4, 8)  # of 1wng, each as often
LEAST_PS, MOST_CNODES = 2, 1024
SMALL_SLOPE = 1.0  # ps-worker jobs of n cNodes, up to 8, are as many as n to the power of minus this
INPUT_CONCENTRATION = 0.0  # a + b of the beta of the input's share of ps-worker and 1wng; 0: that of 1w1g
MEMORY_CONCENTRATION = 4.0  # the same of the memory-bound share of computing
STEP_MS, STEP_SPREAD = 300.0, 1.0  # median of the step, and the standard deviation of its logarithm
BATCHES = (32, 64, 128, 256, 512, 1024, 2048)
SMALL_WEIGHTS_BYTES = 2e8  # median of the stored weights
HUGE_TABLES = 0.01  # jobs whose embedding tables have 100 to 300 GB

# ---- the paper's base configuration ----

EFFICIENCY = 0.7
FLOPS, MEMORY, PCIE, ETHERNET, NVLINK = 11e12, 1e12, 10e9, 25e9 / 8, 50e9
GPUS_PER_SERVER = 8

QUANTILES = 4096
COLUMNS = ("job,architecture,cnodes,batch,input_bytes,flops,memory_bytes,weight_bytes,dense_weight_bytes,"
           "embedding_weight_bytes,duration_s,team")


# ---- distributions ----

def softplus(x):
    return x if x > 30 else math.log1p(math.exp(x))


class Beta:
    """A beta distribution as a table: its distribution function over the logarithm of the odds, summed up in small steps."""
    EDGE, STEPS = 60.0, 3000

    def __init__(self, mean, concentration):
        a, b = mean * concentration, (1 - mean) * concentration
        odds = [self.EDGE * (2 * i / self.STEPS - 1) for i in range(self.STEPS + 1)]
        self.x = [1 / (1 + math.exp(-y)) for y in odds]
        self.below = list(itertools.accumulate(math.exp(-a * softplus(-y) - b * softplus(y)) for y in odds))
        self.below = [part / self.below[-1] for part in self.below]

    def above(self, bound):
        at = bisect.bisect(self.x, bound)
        part = (bound - self.x[at - 1]) / (self.x[at] - self.x[at - 1])
        return 1 - self.below[at - 1] - part * (self.below[at] - self.below[at - 1])

    def quantiles(self, count):
        """The middles of `count` equally likely parts, for a draw by one random number."""
        drawn, at = [], 0
        for i in range(count):
            wanted = (i + 0.5) / count
            while self.below[at] < wanted:
                at += 1
            before = self.below[at - 1] if at else 0.0
            part = (wanted - before) / (self.below[at] - before)
            low = self.x[at - 1] if at else 0.0
            drawn.append(low + part * (self.x[at] - low))
        return drawn


def solve(function, low, high):
    """Where a falling function meets 0."""
    for _ in range(40):
        middle = math.sqrt(low * high) if low > 0 else (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


def concentration_of(mean, bound, share):
    """a + b of the beta of that mean of which `share` lies above `bound`."""
    return solve(lambda s: Beta(mean, s).above(bound) - share, 0.05, 200.0)


class PowerLaw:
    """Whole numbers from low to high, n as often as n to the power of -k."""

    def __init__(self, low, high, k):
        self.numbers = range(low, high + 1)
        self.weights = [n ** -k for n in self.numbers]

    def mean(self):
        return sum(n * w for n, w in zip(self.numbers, self.weights)) / sum(self.weights)

    @classmethod
    def of_mean(cls, low, high, mean):
        return cls(low, high, solve(lambda k: cls(low, high, k + 1e-9).mean() - mean, 0.0, 200.0))


def solved(matrix, right):
    """The solution of a few linear equations, by elimination."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for i in range(len(rows)):
        largest = max(range(i, len(rows)), key=lambda k: abs(rows[k][i]))
        rows[i], rows[largest] = rows[largest], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(len(rows)):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i])]
    return [row[-1] for row in rows]


# ---- jobs of ps-worker: shares and cNodes together ----

# Of communication an NVLink saves so much; its input shares the PCIe with up to seven others.
SAVED = 1 - (1 / NVLINK) / (1 / ETHERNET + 1 / PCIE)


def gains_nothing(cnodes, weight, given):
    return given * (min(cnodes, GPUS_PER_SERVER) - 1) >= weight * SAVED


class Tilt:
    """The joint of cNodes, weight share and input share that is nearest to independence, in relative entropy, among those
    with the published figures: the independent one times exp(sum of factor x figure). cNodes stay as they are."""
    POINTS, STRIDE = 2584, 1597  # of a Fibonacci lattice: both shares evenly, and together
    BINS, ROUNDS = 16, 40

    def __init__(self, population):
        self.weight_mean, self.mean = population.weight_mean, sum(n * p for n, p in population.cnodes)
        self.wanted = (0.0, 0.0, PS_ABOVE_80, PS_NOT_GAINING)
        self.factors = [0.0] * len(self.wanted)
        bins = self.binned(population.cnodes)
        weights, inputs = population.weight.quantiles(self.POINTS), population.input.quantiles(self.POINTS)
        pairs = [(w, inputs[i * self.STRIDE % self.POINTS] * (1 - w)) for i, w in enumerate(weights)]
        self.kinds = [(p, [self.figures(n, w, d) for w, d in pairs]) for n, p in bins]
        self.fit()

    def binned(self, cnodes):
        """The numbers up to 8 each, those above in bins as likely, by their mean."""
        bins = [(n, p) for n, p in cnodes if n <= GPUS_PER_SERVER]
        rest, total, size = 0.0, 0.0, (1 - sum(p for _, p in bins)) / self.BINS
        for n, p in cnodes:
            if n > GPUS_PER_SERVER:
                rest, total = rest + p, total + n * p
                if rest >= size or n == cnodes[-1][0]:
                    bins.append((total / rest, rest))
                    rest, total = 0.0, 0.0
        return bins

    def figures(self, n, weight, given):
        """The means over cNodes as deviations, so that they are means over jobs of figures that shall be 0."""
        share = n / self.mean
        return (share * (weight - self.weight_mean), share * (given - PS_INPUT_SHARE), weight > 0.8,
                gains_nothing(n, weight, given))

    def moments(self, factors):
        """The dual, its slope and its curvature: log of the norm of each number of cNodes, means, covariances."""
        count = range(len(factors))
        value, slope, curve = 0.0, [-w for w in self.wanted], [[0.0] * len(factors) for _ in count]
        for p, figures in self.kinds:
            parts = [math.exp(sum(map(float.__mul__, factors, map(float, f)))) for f in figures]
            norm = sum(parts)
            value += p * math.log(norm / len(parts))
            weighed = [[e * f[i] for e, f in zip(parts, figures)] for i in count]
            means = [sum(column) / norm for column in weighed]
            for i in count:
                slope[i] += p * means[i]
                for k in range(i + 1):
                    both = sum(x * f[k] for x, f in zip(weighed[i], figures)) / norm - means[i] * means[k]
                    curve[i][k] += p * both
                    curve[k][i] = curve[i][k]
        return value - sum(x * w for x, w in zip(factors, self.wanted)), slope, curve

    def fit(self):
        """Newton's method on the dual, which is convex; a step that goes too far is halved."""
        value, slope, curve = self.moments(self.factors)
        for _ in range(self.ROUNDS):
            if max(map(abs, slope)) < 1e-5:
                return
            step = solved(curve, slope)
            for halving in range(30):
                tried = [x - y / 2 ** halving for x, y in zip(self.factors, step)]
                new = self.moments(tried)
                if new[0] <= value:
                    break
            self.factors, (value, slope, curve) = tried, new

    def log_of(self, n, weight, given):
        return sum(x * f for x, f in zip(self.factors, self.figures(n, weight, given)))

    def ceiling(self, n):
        """No log_of that number of cNodes is larger: linear in the shares, which end at the corners, plus both steps."""
        ends = [self.factors[0] * (w - self.weight_mean) + self.factors[1] * (d - PS_INPUT_SHARE)
                for w, d in ((0, 0), (1, 0), (0, 1))]
        return n / self.mean * max(ends) + sum(max(0.0, x) for x in self.factors[2:])


# ---- the population ----

class Population:
    """What the published figures leave: distributions of shares and of cNodes."""

    def __init__(self):
        local_mean = sum(LOCAL_CNODES) / len(LOCAL_CNODES)
        others = JOB_SHARE["1w1g"] + JOB_SHARE["1wng"] * local_mean
        self.cnodes_a_job = others / (1 - PS_SHARE_OF_CNODES)
        self.cnodes = self.fit_cnodes()
        # Single GPUs send no weights; the other jobs share what remains alike.
        self.weight_mean = WEIGHT_SHARE / (1 - JOB_SHARE["1w1g"] / self.cnodes_a_job)
        self.weight_concentration = concentration_of(self.weight_mean, 0.8, PS_ABOVE_80)
        self.weight = Beta(self.weight_mean, self.weight_concentration)
        # Of what is not communication, the share of input: as spread as that of single GPUs.
        self.input_concentration = concentration_of(SINGLE_INPUT_SHARE, 0.5, SINGLE_ABOVE_HALF)
        self.single_input = Beta(SINGLE_INPUT_SHARE, self.input_concentration)
        self.input_mean = PS_INPUT_SHARE / (1 - self.weight_mean)
        self.input = Beta(self.input_mean, INPUT_CONCENTRATION or self.input_concentration)
        self.memory = Beta(MEMORY_BOUND / (MEMORY_BOUND + COMPUTE_BOUND), MEMORY_CONCENTRATION)
        self.tilt = Tilt(self)

    def fit_cnodes(self):
        """Of ps-worker: three ranges with their shares of jobs; their slopes give the shares of cNodes."""
        ps = JOB_SHARE["ps-worker"]
        large = JOBS_ABOVE_128 / ps
        mean = PS_SHARE_OF_CNODES * self.cnodes_a_job / ps
        large_mean = THEIR_SHARE_OF_CNODES * self.cnodes_a_job / JOBS_ABOVE_128
        small = PowerLaw(LEAST_PS, 8, SMALL_SLOPE)
        middle_share = PS_JOBS_ABOVE_8 - large
        middle_mean = (mean - (1 - PS_JOBS_ABOVE_8) * small.mean() - large * large_mean) / middle_share
        ranges = [(1 - PS_JOBS_ABOVE_8, small), (middle_share, PowerLaw.of_mean(9, 128, middle_mean)),
                  (large, PowerLaw.of_mean(129, MOST_CNODES, large_mean))]
        return [(n, share * w / sum(law.weights)) for share, law in ranges for n, w in zip(law.numbers, law.weights)]

    def describe(self):
        ps_mean = sum(n * p for n, p in self.cnodes)
        return (f"cNodes a job {self.cnodes_a_job:.2f}, of ps-worker {ps_mean:.2f}; "
                f"weight share: beta of mean {self.weight_mean:.4f} and a + b {self.weight_concentration:.3f}; "
                f"input share of the rest: mean {self.input_mean:.4f} (1w1g {SINGLE_INPUT_SHARE}), "
                f"a + b {self.input_concentration:.3f}; "
                f"ps-worker jobs times exp of {', '.join(f'{x:.3f}' for x in self.tilt.factors)}")


class Draws:
    """Draws from the population, quickly: a table for every distribution, one random number a draw."""

    def __init__(self, population, seed):
        self.random = random.Random(seed).random
        self.weight = population.weight.quantiles(QUANTILES)
        self.input = population.input.quantiles(QUANTILES)
        self.single_input = population.single_input.quantiles(QUANTILES)
        self.memory = population.memory.quantiles(QUANTILES)
        self.tilt = population.tilt
        self.ceilings = {n: self.tilt.ceiling(n) for n, _ in population.cnodes}
        numbers, chances = zip(*population.cnodes)
        self.numbers, self.chances = numbers, chances
        self.choices = random.Random(seed + 1).choices
        self.log_normal = [math.exp(quantile_of_normal((i + 0.5) / QUANTILES)) for i in range(QUANTILES)]
        self.step_s = [STEP_MS / 1e3 * x ** STEP_SPREAD for x in self.log_normal]
        spread = math.log(10e9 / SMALL_WEIGHTS_BYTES) / quantile_of_normal(WEIGHTS_BELOW_10_GB / (1 - HUGE_TABLES))
        self.stored = [SMALL_WEIGHTS_BYTES * x ** spread for x in self.log_normal]


    def shares(self, n):
        """Of a ps-worker job: its weight share and the input's share of the rest, drawn as if independent and kept as
        often as the tilt says."""
        rand = self.random
        while True:
            weight, of_rest = self.weight[int(QUANTILES * rand())], self.input[int(QUANTILES * rand())]
            if rand() < math.exp(self.tilt.log_of(n, weight, of_rest * (1 - weight)) - self.ceilings[n]):
                return weight, of_rest


def quantile_of_normal(p):
    """By bisection: drawn a few thousand times at the start, never by row."""
    low, high = -9.0, 9.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 + math.erf(middle / math.sqrt(2))) / 2 < p else (low, middle)
    return (low + high) / 2


def rows(population, count, seed):
    """`count` rows as text, in blocks."""
    draws = Draws(population, seed)
    rand, weight, inputs, single, memory = draws.random, draws.weight, draws.input, draws.single_input, draws.memory
    step_s, stored = draws.step_s, draws.stored
    one_gpu, to_local = JOB_SHARE["1w1g"], JOB_SHARE["1w1g"] + JOB_SHARE["1wng"]
    d_rate, f_rate, m_rate = EFFICIENCY * PCIE, EFFICIENCY * FLOPS, EFFICIENCY * MEMORY
    local_rate, ps_rate = EFFICIENCY * PCIE, EFFICIENCY / (1 / ETHERNET + 1 / PCIE)
    block = 10000
    for first in range(0, count, block):
        size = min(block, count - first)
        ps_cnodes = draws.choices(draws.numbers, draws.chances, k=size)
        lines = []
        for job, n in zip(range(first, first + size), ps_cnodes):
            kind = rand()
            if kind < one_gpu:
                name, n, rate, of_rest = "1w1g", 1, 0.0, single
            elif kind < to_local:
                name, n, rate, of_rest = "1wng", LOCAL_CNODES[int(3 * rand())], local_rate, inputs
            else:
                name, rate = "ps-worker", ps_rate
            t = step_s[int(QUANTILES * rand())]
            if name == "ps-worker":
                share, given = draws.shares(n)
            else:
                share = weight[int(QUANTILES * rand())] if rate else 0.0
                given = of_rest[int(QUANTILES * rand())]
            rest = t * (1 - share)
            d = given * rest
            m = memory[int(QUANTILES * rand())] * (rest - d)
            moved = share * t * rate
            kept = stored[int(QUANTILES * rand())]
            tables = 0.0 if rand() > HUGE_TABLES else 1e11 * (1 + 2 * rand())
            lines.append("j%d,%s,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.5g,t%d" % (
                job, name, n, BATCHES[int(7 * rand())], d * d_rate, (rest - d - m) * f_rate, m * m_rate, moved,
                kept, tables, 36000 * rand(), 40 * rand() * rand()))
        lines.append("")
        yield "\n".join(lines)


def let(setting):
    """Puts a figure of this file to another value."""
    name, _, value = setting.partition("=")
    if not isinstance(globals().get(name), (int, float)):
        raise argparse.ArgumentTypeError(f"'{name}' is no figure of this program")
    globals()[name] = type(globals()[name])(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--jobs", type=int, default=100000, help="rows (100000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (1): the same table every time")
    parser.add_argument("--let", type=let, action="append", metavar="FIGURE=VALUE", help="another value of a figure")
    parser.add_argument("--fit", action="store_true", help="show what the published figures give, and end")
    arguments = parser.parse_args()
    population = Population()
    if arguments.fit:
        print(population.describe())
        return
    print(COLUMNS)
    for block in rows(population, arguments.jobs, arguments.seed):
        sys.stdout.write(block)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.exit(1)
