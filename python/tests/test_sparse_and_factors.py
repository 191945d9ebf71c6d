"""Sparse products, factors of matrices and CTC: their counts against loops that count one by one."""
from __future__ import annotations

import warnings

import pytest

torch = pytest.importorskip("torch")

import strata  # noqa: E402

DENSE = torch.zeros(5, 7)
for place in ((0, 1), (0, 6), (1, 3), (3, 3), (3, 0), (4, 5)):
    DENSE[place] = 1.0


class Product(torch.nn.Module):
    """A sparse matrix, and what is done with it and with the input."""

    def __init__(self, function, compressed=False):
        super().__init__()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # compressed tensors are new
            self.register_buffer("a", DENSE.to_sparse_csr() if compressed else DENSE.to_sparse())
        self.function = function

    def forward(self, x):
        return self.function(self.a, x)


def products(a, b):
    """How many products of two stored elements a matrix product has."""
    return sum(1 for i in range(a.shape[0]) for k in range(a.shape[1]) for j in range(b.shape[1])
               if a[i, k] != 0 and b[k, j] != 0)


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("function", [torch.sparse.mm, lambda a, x: a @ x])
def test_a_sparse_matrix_times_a_dense_one(function, compressed):
    total = strata.stat(Product(function, compressed), (7, 4)).total
    assert total.macs == products(DENSE, torch.ones(7, 4)) == 6 * 4
    assert total.flops == 2 * total.macs


def test_a_sparse_sum_and_product():
    total = strata.stat(Product(lambda a, x: torch.sparse.addmm(torch.ones(5, 4), a, x)), (7, 4)).total
    assert (total.macs, total.flops) == (24, 2 * 24 + 5 * 4)


def test_two_sparse_matrices_have_a_lower_bound():
    total = strata.stat(Product(lambda a, x: torch.sparse.mm(a, a.t())), (1,)).total
    exact = products(DENSE, DENSE.t())
    assert isinstance(total.macs, strata.AtLeast) and 0 < total.macs.value <= exact


def test_an_operator_on_sparse_tensors_is_not_counted_as_if_they_were_dense():
    profile = strata.stat(Product(lambda a, x: a * 2.0), (1,))
    assert profile.total.flops is None and "mul" in profile.facts["unknown_ops"][0]


def reflections(rows, columns):
    """Operations of Householder's QR, one by one: each column's reflection, on the columns behind it."""
    count = 0
    for k in range(min(rows, columns)):
        length = rows - k
        count += 3 * length  # the norm, and the vector
        count += (columns - k - 1) * 4 * length  # an inner product and a multiple of the vector for each column
    return count


@pytest.mark.parametrize("shape", [(200, 200), (400, 100), (100, 400)])
def test_reflections(shape):
    counted = strata.stat(lambda x: torch.linalg.qr(x, mode="r")[1], shape, mode="real").total.flops
    assert counted == pytest.approx(reflections(*shape), rel=0.02)


def tridiagonal(n):
    """Operations of reducing a symmetric matrix, column by column: a vector's norm, the product of the rest with it,
    six for each element of what the product becomes, and an update of half of the rest."""
    return sum(3 * k + 2 * k * k + 6 * k + 2 * k * (k + 1) for k in range(n))


def bidiagonal(rows, columns):
    """Reflections from both sides in turn: the vectors' norms, and four operations for each element that is left."""
    return sum(3 * (rows - k) + 4 * (rows - k) * (columns - k - 1)
               + 3 * (columns - k - 1) + 4 * (rows - k - 1) * (columns - k - 1) for k in range(columns))


def test_iterations_make_lower_bounds():
    # Where torch is watched, eigvalsh and svdvals compute vectors, too; the operators say what is wanted.
    def eigenvalues(x):
        return torch.ops.aten._linalg_eigh(x, "L", False)[0]

    def singular_values(x):
        return torch.ops.aten._linalg_svd(x, False, False)[1]

    total = strata.stat(eigenvalues, (120, 120), mode="real").total
    assert isinstance(total.flops, strata.AtLeast)
    assert 0.97 * tridiagonal(120) < total.flops.value <= tridiagonal(120)
    total = strata.stat(singular_values, (120, 120), mode="real").total
    assert isinstance(total.flops, strata.AtLeast)
    assert 0.97 * bidiagonal(120, 120) < total.flops.value <= bidiagonal(120, 120)
    # Vectors and general matrices cost more.
    values = strata.stat(eigenvalues, (60, 60), mode="real").total.flops.value
    both = strata.stat(lambda x: torch.linalg.eigh(x)[1], (60, 60), mode="real").total.flops.value
    general = strata.stat(lambda x: torch.linalg.eig(x)[1], (60, 60), mode="real").total.flops.value
    assert values < both < general
    # A long matrix is reduced by way of R, which is less than without it.
    long = strata.stat(singular_values, (1000, 20), mode="real").total.flops.value
    assert long < bidiagonal(1000, 20)


def ctc(times, targets):
    """Operations of the forward recursion, state by state: the largest of three, three differences, three
    exponentials, two sums, a logarithm, and two sums."""
    return sum(2 + 3 + 3 + 2 + 1 + 2 for time, length in zip(times, targets)
               for _ in range(1, time) for _ in range(2 * length + 1))


def test_ctc():
    targets = torch.randint(1, 6, (2, 4))
    lengths = ([9, 9], [4, 4])

    def loss(x):
        return torch.nn.functional.ctc_loss(x, targets, *lengths, reduction="none")

    profile = strata.stat(loss, (9, 2, 6), mode="real")
    assert profile.facts["unknown_ops"] == []
    assert next(row.flops for row in profile if "ctc" in row.layer) == ctc(*lengths)
