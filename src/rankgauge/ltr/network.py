"""A neural network of tanh layers with a linear output, a document's score; its gradient, and Adam to descend it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray

__all__ = ["Adam", "Network"]


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
    def weights(self) -> BoolArray:
        """Which parameters are weights."""
        found = np.zeros(self.size, dtype=bool)
        for weights, _ in self.layers(found):
            weights[...] = True
        return found

    def initial(self, rng: np.random.Generator) -> FloatArray:
        """Initial parameters: the input of a unit has a variance near 1, and biases are 0."""
        parameters = np.zeros(self.size)
        for weights, _ in self.layers(parameters):
            weights[...] = rng.normal(0.0, 1 / np.sqrt(len(weights)), weights.shape)
        return parameters

    def layers(self, parameters: FloatArray | BoolArray) -> Iterator[tuple[FloatArray, FloatArray]]:
        """The weights and the biases of each layer, as views of the vector."""
        at = 0
        for before, after in pairwise(self.widths):
            end = at + before * after
            yield parameters[at:end].reshape(before, after), parameters[end : end + after]  # type: ignore[misc]
            at = end + after

    def outputs(self, parameters: FloatArray, matrix: FloatArray) -> list[FloatArray]:
        """The output of each layer: first the features, last the scores."""
        found, layers = [matrix], list(self.layers(parameters))
        for weights, biases in layers[:-1]:
            found.append(np.tanh(found[-1] @ weights + biases))
        return [*found, found[-1] @ layers[-1][0]]

    def scores(self, parameters: FloatArray, matrix: FloatArray) -> FloatArray:
        """The score of each document."""
        return self.outputs(parameters, matrix)[-1][:, 0]

    def slope(self, parameters: FloatArray, outputs: list[FloatArray], pulls: FloatArray) -> FloatArray:
        """The gradient of a loss by the parameters, from its derivative by each document's score."""
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
    steps: int = field(default=0)

    def step(self, gradient: FloatArray) -> FloatArray:
        """What to subtract from the parameters."""
        self.steps += 1
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.001 * (gradient**2 - self.second)
        mean, spread = self.first / (1 - 0.9**self.steps), self.second / (1 - 0.999**self.steps)
        return np.asarray(self.rate * mean / (np.sqrt(spread) + 1e-8))
