"""The nearest of many vectors for each of them: exact, in blocks, on all cores. Numbers only; `neighbours` knows names.

Products of blocks in single precision find who may be among the nearest; these alone are reckoned in double precision
and rounded to six decimals. So neither the blocks nor the cores nor what else is compared change a result, and vectors
that are equally near stand in the order of their rows, or in an order that is given.

Where all are compared with all, each pair is looked at once, and mostly by a part of its numbers: the vectors are
turned so that the first numbers hold most of them, and the product of two is at most that of these parts plus that of
the lengths of the rests (Cauchy and Schwarz). A pair that can't come in by that bound is left.
"""

import itertools
import os
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]
Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]
Found = tuple[Rows, Rows, Matrix]
"""Rows, the row that each may have as a neighbour, and about how near the two are."""

MILLION = 1_000_000
"""Cosines are kept as whole millionths."""
_BLOCK = 384
_WIDE = 4_096
_PAIRS = 32_768
_ENOUGH = 3_000_000
_MANY = 0.02
"""The share of a block's pairs from which its whole product is faster than one product for each of them."""
_NEAR_BLOCKS = 6
_WIDTHS = (2, 3, 4, 6, 8)
"""Sixteenths of the numbers of a vector that a head may hold."""
_NOTHING = -2 * MILLION


@dataclass
class Best:
    """The nearest rows of each row so far: `others` and `millionths`, both (rows, limit), the nearest first.

    An empty place holds row -1. `floor` is what a row must at least come near to be among them, less what a product in
    single precision may be wrong. `ranks`: the place of each row among those that are equally near; its own number
    where none are given.
    """

    matrix: Matrix
    limit: int
    least: float
    ranks: Rows | None = None
    others: NDArray[np.int64] = field(init=False)
    millionths: NDArray[np.int64] = field(init=False)
    floor: Matrix = field(init=False)

    def __post_init__(self) -> None:
        rows, dimension = self.matrix.shape
        self.slack = np.float32(4 * dimension * 2.0**-24)
        self.others = np.full((rows, self.limit), -1, np.int64)
        self.millionths = np.full((rows, self.limit), _NOTHING, np.int64)
        self.floor = np.full(rows, self.least, np.float32) - self.slack

    def take(self, rows: Rows, others: Rows, values: Matrix) -> None:
        """Take in what was found: each pair once, either way round counting as another."""
        rows, others = self._likely(rows, others, values)
        millionths = exact(self.matrix, rows, others)
        good = millionths >= self.least * MILLION
        rows, others, millionths = rows[good], others[good], millionths[good]
        touched = np.unique(rows)
        rows = np.concatenate([rows, np.repeat(touched, self.limit)])
        others = np.concatenate([others, self.others[touched].ravel()])
        millionths = np.concatenate([millionths, self.millionths[touched].ravel()])
        places = others if self.ranks is None else self.ranks[others]
        order = np.lexsort((places, -millionths, rows))
        order = order[_rank(rows[order]) < self.limit]
        self.others[touched] = others[order].reshape(-1, self.limit)
        self.millionths[touched] = millionths[order].reshape(-1, self.limit)
        last = np.maximum(self.millionths[touched, -1] / MILLION, self.least)
        self.floor[touched] = last.astype(np.float32) - self.slack

    def _likely(self, rows: Rows, others: Rows, values: Matrix) -> tuple[Rows, Rows]:
        """Those that may be among the nearest of their row, judged by values that may be a little wrong."""
        keep = values >= self.floor[rows]
        rows, others, values = rows[keep], others[keep], values[keep]
        # One whole number for both: by row, then the nearer first, to a millionth. Faster than sorting twice.
        order = np.argsort((rows << 22) + ((2 - values) * MILLION).astype(np.int64))
        rows, others, values = rows[order], others[order], values[order]
        rank = _rank(rows)
        last = np.flatnonzero(rank == self.limit - 1)
        bound = np.full(len(self.floor), -2, np.float32)
        bound[rows[last]] = values[last] - 2 * self.slack
        keep = (rank < self.limit) | (values >= bound[rows])
        return rows[keep], others[keep]


def _rank(rows: Rows) -> Rows:
    """The place of each entry among those of its row, in sorted rows."""
    if not len(rows):
        return np.zeros(0, np.int64)
    begins = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]]))
    lengths = np.diff(np.concatenate([begins, [len(rows)]]))
    return np.arange(len(rows)) - np.repeat(begins, lengths)


def exact(matrix: Matrix, rows: Rows, others: Rows) -> NDArray[np.int64]:
    """The cosines of pairs of rows of length 1 in whole millionths: the same for a pair whatever else is asked."""
    found = np.empty(len(rows), np.int64)
    for first in range(0, len(rows), _PAIRS):
        some = slice(first, first + _PAIRS)
        products = np.einsum("ij,ij->i", matrix[rows[some]].astype(np.float64), matrix[others[some]].astype(np.float64))
        found[some] = np.rint(np.clip(products, -1, 1) * MILLION)
    return found


def nearest_of_all(matrix: Matrix, limit: int, least: float, ranks: Rows | None = None) -> Best:
    """For each row of length 1 its nearest others, as far as they are as near as `least`."""
    best = Best(matrix, limit, least, ranks)
    if len(matrix) > 1:
        turned = _Turned(matrix, best)
        turned.compare()
    return best


def nearest_of(
    matrix: Matrix,
    of: Rows,
    limit: int,
    least: float,
    ranks: Rows | None = None,
    hidden: NDArray[np.bool_] | None = None,
) -> Best:
    """The same for some of the rows; the places of all others stay empty. Rows that are `hidden` are near to none."""
    best = Best(matrix, limit, least, ranks)
    for first in range(0, len(of), _BLOCK):
        rows = of[first : first + _BLOCK]
        for begin in range(0, len(matrix), _WIDE):
            products = matrix[rows] @ matrix[begin : begin + _WIDE].T
            if hidden is not None:
                products[:, hidden[begin : begin + _WIDE]] = -2
            places, others = _candidates(products, best.floor[rows], best)
            found, others = rows[places], others + begin
            apart = found != others
            best.take(found[apart], others[apart], products[places, others - begin][apart])
    return best


def _candidates(products: Matrix, floor: Matrix, best: Best) -> tuple[Rows, Rows]:
    """Where in a block of products those are that may count, row by row; itself may be among the nearest of a row."""
    mask = products >= floor[:, None]
    enough = best.limit + 1
    if products.shape[1] > enough and np.count_nonzero(mask) > 2 * enough * len(products):
        last = np.partition(products, -enough, axis=1)[:, -enough]
        mask &= products >= (last - 2 * best.slack)[:, None]
    return _places(mask)


def _places(mask: NDArray[np.bool_]) -> tuple[Rows, Rows]:
    """Rows and columns of what is true: where that is little, many times as fast as numpy's `nonzero`."""
    rows, columns = np.divmod(np.flatnonzero(mask), mask.shape[1])
    return rows, columns


class _Room(threading.local):
    """Room for a block's products and masks, of each thread: asked for anew each time it would cost more than they."""

    products: Matrix
    masks: Masks

    def of(self, rows: int, columns: int) -> "_Room":
        """Room for so many rows and columns."""
        if getattr(self, "shape", None) != (rows, columns):
            self.shape = (rows, columns)
            self.products = np.empty(self.shape, np.float32)
            self.masks = np.empty(self.shape, bool), np.empty(self.shape, bool)
        return self


class _Turned:
    """All rows, those that are alike side by side, turned so that their first numbers hold most of them."""

    def __init__(self, matrix: Matrix, best: Best) -> None:
        self.best = best
        self.order = _alike_together(matrix)
        sorted_rows = matrix[self.order]
        _, axes = np.linalg.eigh((sorted_rows.T @ sorted_rows).astype(np.float64))
        self.rows = np.empty_like(sorted_rows)
        for some in self._blocks():
            self.rows[some] = sorted_rows[some].astype(np.float64) @ axes[:, ::-1]
        self.head: Matrix | None = None
        self.room = _Room()

    def compare(self) -> None:
        """Compare all with all."""
        from threadpoolctl import threadpool_limits

        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        blocks = list(self._blocks())
        # Threads of our own do the rest of the work side by side too, which those of the products would not.
        with threadpool_limits(limits=1), ThreadPoolExecutor(cores) as pool:
            self._take(pool.map(self._inside, blocks))
            for pairs in self._stages(blocks):
                self.head = self._best_head(blocks)
                strips = [(blocks[one], [blocks[other] for other in sorted(rest)]) for one, rest in pairs.items()]
                self._take(pool.map(self._strip, strips))

    def _stages(self, blocks: list[slice]) -> Iterator[dict[int, set[int]]]:
        """Each block with some of those after it: first those that are most alike, which tell how near a row's
        neighbours are, then ever more of the rest.
        """
        near = self._near_blocks(blocks)
        yield near
        last = len(blocks) - 1
        for first, end in itertools.pairwise((0, last // 16, last // 4, last)):
            yield {one: set(range(one + 1, len(blocks))) - near[one] for one in range(first, end)}

    def _blocks(self) -> Iterator[slice]:
        for first in range(0, len(self.order), _BLOCK):
            yield slice(first, min(first + _BLOCK, len(self.order)))

    def _take(self, strips: Iterable[list[Found]]) -> None:
        """Take in what was found, many at a time."""
        waiting: list[Found] = []
        for strip in strips:
            waiting += strip
            if sum(len(rows) for rows, _, _ in waiting) > _ENOUGH:
                self._give(waiting)
                waiting = []
        self._give(waiting)

    def _give(self, parts: list[Found]) -> None:
        if parts:
            rows = np.concatenate([rows for rows, _, _ in parts])
            others = np.concatenate([others for _, others, _ in parts])
            values = np.concatenate([values for _, _, values in parts])
            self.best.take(self.order[rows], self.order[others], values)

    def _floor(self, block: slice) -> Matrix:
        return self.best.floor[self.order[block]]

    def _inside(self, block: slice) -> list[Found]:
        """A block with itself."""
        products = self.rows[block] @ self.rows[block].T
        np.fill_diagonal(products, -2)
        rows, others = _candidates(products, self._floor(block), self.best)
        return [(rows + block.start, others + block.start, products[rows, others])]

    def _strip(self, strip: tuple[slice, list[slice]]) -> list[Found]:
        """A block with each of some others."""
        block, others = strip
        floor = self._floor(block)
        return [part for other in others for part in self._pair(block, other, floor)]

    def _pair(self, block: slice, other: slice, floor: Matrix) -> list[Found]:
        """Two blocks, each as the other's neighbours."""
        across = self._floor(other)
        if self.head is not None:
            room = self.room.of(len(floor), len(across))
            mask = _either(
                np.matmul(self.head[block], self.head[other].T, out=room.products), floor, across, room.masks
            )
            if np.count_nonzero(mask) <= _MANY * mask.size:
                rows, others = _places(mask)
                values = self._products(rows + block.start, others + other.start)
                mine, theirs = values >= floor[rows], values >= across[others]
                return [
                    (rows[mine] + block.start, others[mine] + other.start, values[mine]),
                    (others[theirs] + other.start, rows[theirs] + block.start, values[theirs]),
                ]
        products = self.rows[block] @ self.rows[other].T
        rows, others = _candidates(products, floor, self.best)
        back, forth = _candidates(np.ascontiguousarray(products.T), across, self.best)
        return [
            (rows + block.start, others + other.start, products[rows, others]),
            (back + other.start, forth + block.start, products[forth, back]),
        ]

    def _products(self, rows: Rows, others: Rows) -> Matrix:
        return np.einsum("ij,ij->i", self.rows[rows], self.rows[others])

    def _head(self, width: int) -> Matrix:
        """The first numbers of each row and the length of its rest: the product of two of these is the bound."""
        head = np.empty((len(self.rows), width + 1), np.float32)
        head[:, :width] = self.rows[:, :width]
        for some in self._blocks():
            rest = self.rows[some, width:].astype(np.float64)
            head[some, width] = np.sqrt(np.einsum("ij,ij->i", rest, rest))
        return head

    def _near_blocks(self, blocks: list[slice]) -> dict[int, set[int]]:
        """For each block those after it that are among its most alike, or it among theirs."""
        centres = np.array([self.rows[block].mean(axis=0) for block in blocks])
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-9)
        near: dict[int, set[int]] = {place: set() for place in range(len(blocks))}
        for place, one in enumerate(np.argsort(-(centres @ centres.T), axis=1)[:, : _NEAR_BLOCKS + 1]):
            for other in one.tolist():
                if other != place:
                    near[min(place, other)].add(max(place, other))
        return near

    def _best_head(self, blocks: list[slice]) -> Matrix | None:
        """The head that costs least, by a few pairs of blocks; none where whole products do."""
        last = len(blocks) - 1
        pairs = [(place * last // 8, last - place * last // 16) for place in range(8)]
        pairs = [(blocks[one], blocks[other]) for one, other in pairs if one < other]
        dimension = self.rows.shape[1]
        best, least = None, float(dimension)
        for width in (dimension * part // 16 for part in _WIDTHS) if pairs else ():
            head = self._head(width)
            cost = float(width)
            for one, other in pairs:
                mask = _either(head[one] @ head[other].T, self._floor(one), self._floor(other))
                cost += min(np.count_nonzero(mask) / mask.size / _MANY, 1) * dimension / len(pairs)
            if cost < least:
                best, least = head, cost
        return best


def _either(bounds: Matrix, floor: Matrix, across: Matrix, room: Masks | None = None) -> NDArray[np.bool_]:
    """Where a bound is enough for the row or for the column."""
    one, other = room or (None, None)
    mask = np.greater_equal(bounds, floor[:, None], out=one)
    mask |= np.greater_equal(bounds, across[None, :], out=other)
    return mask


def _alike_together(matrix: Matrix) -> Rows:
    """The rows in an order in which those with one nearest pivot, of some rows, stand together, as do the pivots."""
    pivots = matrix[:: max(1, int(len(matrix) ** 0.5))]
    pivots = pivots[_chain(pivots @ pivots.T)]
    nearest = np.empty(len(matrix), np.int64)
    for first in range(0, len(matrix), _WIDE):
        nearest[first : first + _WIDE] = np.argmax(matrix[first : first + _WIDE] @ pivots.T, axis=1)
    return np.argsort(nearest, kind="stable")


def _chain(near: Matrix) -> list[int]:
    """Places from the first on, each followed by the nearest that is left."""
    left = np.ones(len(near), bool)
    chain = [0]
    while len(chain) < len(near):
        left[chain[-1]] = False
        chain.append(int(np.argmax(np.where(left, near[chain[-1]], -2))))
    return chain
