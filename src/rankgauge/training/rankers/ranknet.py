"""RankNet: a neural network that makes preferred documents likely to rank above others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.special import expit

from rankgauge.constraints import list_of, real_number, whole_number
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.training.documents import Preferences
from rankgauge.training.objective import Objective
from rankgauge.training.ranker import Ranker, Watch, learned_attribute, parameter


class RankNet(Ranker):
    """A network with 1 to 3 hidden layers of tanh units, for the mean of log(1 + exp(s_j − s_i)), i preferred to j.

    It learns by Adam from `batch` queries at a time, with `penalty` on the squares of the weights, and stops when
    `patience` epochs in a row were not the best on the validation set; without one it goes through all `epochs`, and
    only then the training value of each is measured. The features are standardised.

    Burges et al., Learning to rank using gradient descent, ICML 2005.
    """

    name = "ranknet"
    quick = {"epochs": 3}

    hidden: Sequence[int] = parameter(list_of(whole_number(), most=3), default=(10,))
    epochs: int = parameter(whole_number(), default=100)
    rate: float = parameter(real_number(positive=True), default=0.01)
    batch: int = parameter(whole_number(), default=8)
    penalty: float = parameter(real_number(), default=0.01)
    patience: int = parameter(whole_number(), default=20)

    parameters_: FloatArray = learned_attribute("parameters")
    means_: FloatArray = learned_attribute("means")
    scales_: FloatArray = learned_attribute("scales")

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        rng, network, matrix = self._generator(), self._network, train.documents.matrix
        self.means_, spread = matrix.mean(axis=0), matrix.std(axis=0)
        self.scales_ = np.where(spread > 0, spread, 1.0)
        judge = train if validation is None else validation
        judged, best = self._standardise(judge.documents.matrix), -np.inf
        parameters, penalties = network.initial(rng), self.penalty * network.weights
        adam = Adam(rate=self.rate, first=np.zeros_like(parameters), second=np.zeros_like(parameters))
        parts = batches(Preferences.of(train.documents), self.batch, rng)
        matrices = [self._standardise(matrix[part.rows]) for part in parts]
        for epoch in range(1, self.epochs + 1):
            for at in rng.permutation(len(parts)):
                outputs = network.outputs(parameters, matrices[at])
                slope = network.slope(parameters, outputs, parts[at].slopes(outputs[-1][:, 0]))
                parameters = parameters - adam.step(slope + penalties * parameters)
            value = judge.mean(network.scores(parameters, judged))
            if validation is None or self.best_round_ is None or value > best:
                best, self.best_round_, self.parameters_ = value, epoch, parameters
            watch(epoch, self.epochs, *((value, np.nan) if validation is None else (np.nan, value)))
            if epoch - self.best_round_ >= self.patience:
                break

    def _standardise(self, matrix: FloatArray) -> FloatArray:
        return np.asarray((matrix - self.means_) / self.scales_)

    def _scores(self, matrix: FloatArray) -> FloatArray:
        return self._network.scores(self.parameters_, self._standardise(matrix))

    @property
    def _network(self) -> Network:
        return Network(widths=(self.n_features_in_, *self.hidden, 1))


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """Documents of some queries, by falling grade in each, so that those below one are a range of places."""

    rows: IndexArray
    """The row of each document among all."""
    firsts: IndexArray
    counts: IndexArray
    """The place of the first document of a lower grade, and how many there are."""

    def pairs(self) -> tuple[IndexArray, IndexArray]:
        """Return the places of the preferred and the other document of each pair."""
        preferred = np.repeat(np.arange(len(self.counts)), self.counts)
        shifts = self.firsts - (np.cumsum(self.counts) - self.counts)
        return preferred, np.arange(len(preferred)) + shifts[preferred]

    def slopes(self, scores: FloatArray) -> FloatArray:
        """The derivative of the mean of log(1 + exp(s_j − s_i)) over the pairs, by the score of each document."""
        preferred, other = self.pairs()
        pulls = expit(scores[other] - scores[preferred]) / len(preferred)
        up, down = (np.bincount(places, pulls, len(scores)) for places in (preferred, other))
        return np.asarray(down - up)


def batches(preferences: Preferences, size: int, rng: np.random.Generator) -> list[Batch]:
    """Return the documents that have preferences, in random batches of about `size` queries."""
    count, batches = len(preferences.sizes), []
    for queries in np.array_split(rng.permutation(count), max(-(-count // size), 1)) if count else ():
        sizes = preferences.sizes[queries]
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1]) + np.repeat(preferences.starts[queries] - ends + sizes, sizes)
        query = np.repeat(np.arange(len(queries)), sizes)
        places = places[np.lexsort((-preferences.levels[places], query))]
        groups = query * preferences.height + (preferences.height - preferences.levels[places])
        firsts = np.searchsorted(groups, groups, side="right")
        batches.append(Batch(rows=preferences.rows[places], firsts=firsts, counts=np.repeat(ends, sizes) - firsts))
    return batches


@dataclass(frozen=True, kw_only=True, eq=False)
class Network:
    """The shape of a network. Its parameters are one vector: layer after layer the weights, then the biases.

    The last layer has no bias: it would shift all scores alike.
    """

    widths: tuple[int, ...]
    """The number of features, the units of each hidden layer, and 1."""

    @cached_property
    def size(self) -> int:
        """How many parameters there are."""
        return sum((before + 1) * after for before, after in pairwise(self.widths)) - self.widths[-1]

    @cached_property
    def weights(self) -> FloatArray:
        """1 for each parameter that is a weight, 0 for biases."""
        marks = np.zeros(self.size)
        for weights, _ in self.layers(marks):
            weights[...] = 1.0
        return marks

    def initial(self, rng: np.random.Generator) -> FloatArray:
        """Initial parameters: the input of a unit has a variance near 1, and biases are 0."""
        parameters = np.zeros(self.size)
        for weights, _ in self.layers(parameters):
            weights[...] = rng.normal(0.0, 1 / np.sqrt(len(weights)), weights.shape)
        return parameters

    def layers(self, parameters: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the weights and the biases of each layer, as views of the vector."""
        at = 0
        for before, after in pairwise(self.widths):
            end = at + before * after
            yield parameters[at:end].reshape(before, after), parameters[end : end + after]
            at = end + after

    def outputs(self, parameters: FloatArray, matrix: FloatArray) -> list[FloatArray]:
        """Return the output of each layer: first the features, last the scores."""
        layers_, layers = [matrix], list(self.layers(parameters))
        for weights, biases in layers[:-1]:
            layers_.append(np.tanh(layers_[-1] @ weights + biases))
        return [*layers_, layers_[-1] @ layers[-1][0]]

    def scores(self, parameters: FloatArray, matrix: FloatArray) -> FloatArray:
        """Return the score of each document."""
        return self.outputs(parameters, matrix)[-1][:, 0]

    def slope(self, parameters: FloatArray, outputs: list[FloatArray], pulls: FloatArray) -> FloatArray:
        """Return the gradient of a loss by the parameters, from its derivative by each document's score."""
        gradient = np.empty(self.size)
        layers, slopes = list(self.layers(parameters)), list(self.layers(gradient))
        back = pulls[:, np.newaxis]
        np.matmul(outputs[-2].T, back, out=slopes[-1][0])
        for at in reversed(range(len(layers) - 1)):
            back = (back @ layers[at + 1][0].T) * (1 - outputs[at + 1] ** 2)
            np.matmul(outputs[at].T, back, out=slopes[at][0])
            np.sum(back, axis=0, out=slopes[at][1])
        return gradient


@dataclass(kw_only=True)
class Adam:
    """Steps against a gradient, each parameter at a rate of its own (Kingma & Ba, Adam, ICLR 2015)."""

    rate: float
    first: FloatArray
    second: FloatArray
    steps: int = 0

    def step(self, gradient: FloatArray) -> FloatArray:
        """Return what to subtract from the parameters."""
        self.steps += 1
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.001 * (gradient**2 - self.second)
        mean, spread = self.first / (1 - 0.9**self.steps), self.second / (1 - 0.999**self.steps)
        return np.asarray(self.rate * mean / (np.sqrt(spread) + 1e-8))
