#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The statistics of core/report/stats equal scipy's, over random cases.

scipy is installed by pip into a virtual environment below the build directory,
once, in which this script then runs itself again.
"""

import functools
import math
import os
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tap

HERE = Path(os.environ["CTPROF_BUILD"]) / "tests/analysis"
ENVIRONMENT = HERE / "scipy"
INSTALL_SECONDS = 600
CASES = 2000
EXACT_MOST = 50  # values of both sides together
NEAR = 1e-12
SEED = 8


# ---- the environment ---------------------------------------------------------

def run_or_skip(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=INSTALL_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise tap.Skip(f"scipy cannot be installed: {error}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it says nothing"]
        raise tap.Skip(f"scipy cannot be installed: {' '.join(command[1:4])}: {said[-1]}")


def has_scipy(python):
    try:
        return subprocess.run([python, "-c", "import scipy.stats"], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def run_in_environment():
    """Runs this script with scipy, or explains why it cannot."""
    python = str(ENVIRONMENT / "bin/python3")
    if not has_scipy(python):
        try:
            run_or_skip(sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT))
            run_or_skip(python, "-m", "pip", "install", "--quiet", "--only-binary=:all:",
                        "--disable-pip-version-check", "--retries=1", "--timeout=15",
                        "scipy>=1.11")
        except tap.Skip as why:
            print(f"1..0 # SKIP {why}")
            sys.exit(0)
    os.execv(python, [python, __file__, *sys.argv[1:]])


if not (ENVIRONMENT.exists() and os.path.samefile(sys.prefix, ENVIRONMENT)):
    run_in_environment()

import numpy  # noqa: E402
from scipy import stats  # noqa: E402


# ---- scipy's results ------------------------------------------------------------

def permuted(a, b):
    """p and the smallest p, of all permutations."""
    ranks = stats.rankdata(numpy.concatenate([a, b]))
    mean = len(b) * (len(ranks) + 1) / 2
    done = stats.permutation_test(
        (ranks[:len(a)], ranks[len(a):]),
        lambda _, of_b, axis: numpy.abs(numpy.sum(of_b, axis=axis) - mean),
        permutation_type="independent", alternative="greater", n_resamples=numpy.inf,
        vectorized=True)
    return done.pvalue, numpy.mean(done.null_distribution >= done.null_distribution.max())


def split_ends(a, b):
    """The two arrangements in which one side has the smallest values."""
    pool = numpy.sort(numpy.concatenate([a, b]))
    return [(pool[:len(a)], pool[len(a):]), (pool[len(b):], pool[:len(b)])]


def tested(a, b):
    """p and the smallest p."""
    has_ties = len(set(a) | set(b)) < len(a) + len(b)
    if has_ties and len(a) + len(b) <= EXACT_MOST:
        return permuted(a, b)
    method = "exact" if len(a) + len(b) <= EXACT_MOST else "asymptotic"
    return (stats.mannwhitneyu(b, a, method=method).pvalue,
            min(stats.mannwhitneyu(y, x, method=method).pvalue for x, y in split_ends(a, b)))


@functools.lru_cache(maxsize=None)
def p_of_u(n, m, u):
    """p of tie-free values with this U: all differences b - a are distinct."""
    a, b = m * numpy.arange(n), numpy.arange(m) + 0.5
    method = "exact" if n + m <= EXACT_MOST else "asymptotic"
    result = stats.mannwhitneyu(b - (m - u), a, method=method)
    assert result.statistic == u, (n, m, u)
    return result.pvalue


def interval(a, b, alpha):
    """The ends and the level of the interval of shifts that are not
    rejected."""
    n, m = len(a), len(b)
    low, high = 0, n * m // 2
    while low < high:
        middle = (low + high) // 2
        # Such as 22 of 220, which scipy rounds to less than 0.1.
        if p_of_u(n, m, middle) < alpha * (1 - NEAR):
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return -math.inf, math.inf, 1
    differences = numpy.sort(numpy.subtract.outer(b, a), axis=None)
    return differences[low - 1], differences[-low], 1 - p_of_u(n, m, low - 1)


# ---- cases ---------------------------------------------------------------------

def draw(randoms, n, m):
    """Two sides from one of several kinds of values, some of them shifted."""
    apart = randoms.choice([0, 0, 1, 3])
    kind = randoms.choice(["ties", "many ties", "normal", "wild"])
    if kind == "wild":
        one = lambda at: math.exp(randoms.gauss(at, 8))
    elif kind == "normal":
        one = lambda at: randoms.gauss(at, 1)
    else:
        values = 8 if kind == "ties" else 2
        one = lambda at: float(randoms.randrange(values) + at)
    return [one(0) for _ in range(n)], [one(apart) for _ in range(m)]


def sizes(randoms, number):
    """Few values, so that all permutations can be tried; many without ties; more than are
    counted exactly."""
    kind = ("few", "untied", "beyond")[number % 3]
    if kind == "few":  # permutation_test wants 2
        return kind, randoms.randint(2, 8), randoms.randint(2, 8)
    n = randoms.randint(1, 25 if kind == "untied" else 80)
    if kind == "untied":
        return kind, n, randoms.randint(1, 25)
    return kind, n, randoms.randint(max(1, EXACT_MOST + 1 - n), 80)


def cases():
    randoms = random.Random(SEED)
    for number in range(CASES):
        kind, n, m = sizes(randoms, number)
        a, b = draw(randoms, n, m)
        while kind == "untied" and len(set(a + b)) < n + m:
            a, b = draw(randoms, n, m)
        yield numpy.array(a), numpy.array(b), randoms.choice([0.05, 0.01, 0.1, randoms.random()])


def answers(lines):
    done = subprocess.run([HERE / "stats-cases"], input="\n".join(lines), text=True,
                          capture_output=True, check=True)
    return [[float(number) for number in line.split()] for line in done.stdout.splitlines()]


def text_of(numbers):
    return " ".join(f"{number:.17g}" for number in numbers)


def is_near(ours, theirs):
    """Relative for large numbers, absolute for small ones; p too is compared by both."""
    return ours == theirs or abs(ours - theirs) <= NEAR * max(1, abs(theirs))


def is_near_p(ours, theirs):
    return is_near(ours, theirs) and (theirs < 1e-200 or abs(ours / theirs - 1) < NEAR)


# ---- tests ---------------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def asked():
    """Each case with the result of core/report/stats."""
    every = list(cases())
    return list(zip(every, answers(f"sides {alpha:.17g} {len(a)} {len(b)} {text_of(a)} {text_of(b)}"
                                   for a, b, alpha in every), strict=True))


def test_p_and_smallest_p():
    for (a, b, _), (u, p, least, *_) in asked():
        expected, smallest = tested(a, b)
        assert u == stats.mannwhitneyu(b, a, method="asymptotic").statistic, (a, b)
        assert is_near_p(p, expected), (a, b, p, expected)
        assert is_near_p(least, smallest), (a, b, least, smallest)


def test_shift():
    for (a, b, _), answer in asked():
        expected = numpy.median(numpy.subtract.outer(b, a))
        assert is_near(answer[4], expected), (a, b, answer, expected)


def test_interval():
    for (a, b, alpha), answer in asked():
        expected = interval(a, b, alpha)
        assert all(map(is_near, answer[5:8], expected)), (a, b, alpha, answer, expected)


def test_many():
    randoms = random.Random(SEED)
    for _ in range(200):
        n, alpha = randoms.randint(1, 60), randoms.choice([0.05, 0.2])
        p = [randoms.choice([randoms.random(), randoms.random() ** 9, 0.01]) for _ in range(n)]
        least = [min(one, randoms.choice([1, 0.01, 0])) for one in p]
        kept = [i for i in range(n) if least[i] < alpha]
        expected = dict(zip(kept, stats.false_discovery_control([p[i] for i in kept])
                            if kept else [], strict=True))
        [q] = answers([f"many {alpha} {n} {text_of(p)} {text_of(least)}"])
        for i in range(n):
            assert math.isnan(q[i]) if i not in expected else is_near(q[i], expected[i]), (p, q, i)


tap.main(globals())
