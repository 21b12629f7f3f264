"""The network, which training and the server share."""

import torch
from torch import nn


class Network(nn.Module):
    """Scales its input and output, so that callers pass and get plain values."""

    def __init__(self, features, hidden):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, 1), nn.Flatten(0)
        )
        # Buffers are saved with the weights.
        self.register_buffer("mean", torch.zeros(features + 1))
        self.register_buffer("deviation", torch.ones(features + 1))

    def fit_scale(self, rows):
        self.mean, self.deviation = rows.mean(0), rows.std(0)

    def forward(self, features):
        scaled = (features - self.mean[:-1]) / self.deviation[:-1]
        return self.layers(scaled) * self.deviation[-1] + self.mean[-1]
