"""Predicts the last column of a table from the others with a PyTorch network."""

from pathlib import Path

import pandas as pd
import torch
from torch import nn

from network import Network  # common/network.py

DEFAULTS = {"epochs": 200, "learning_rate": 0.01, "hidden": 32}


def train(input_data_path, model_save_path, hyperparameters):
    settings = {**DEFAULTS, **hyperparameters}
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"

    table = pd.concat(pd.read_csv(path) for path in Path(input_data_path).glob("*.csv"))
    rows = torch.tensor(table.to_numpy(), dtype=torch.float32, device=device)
    rows = rows[torch.randperm(len(rows))]
    test, training = rows.split([len(rows) // 5, len(rows) - len(rows) // 5])

    size = {"features": rows.shape[1] - 1, "hidden": settings["hidden"]}
    network = Network(**size).to(device)
    network.fit_scale(training)
    loss_of = nn.L1Loss()
    optimizer = torch.optim.Adam(network.parameters(), lr=settings["learning_rate"])
    for epoch in range(1, settings["epochs"] + 1):
        optimizer.zero_grad()
        loss = loss_of(network(training[:, :-1]), training[:, -1])
        loss.backward()
        optimizer.step()
        if epoch % 20 == 0:
            with torch.no_grad():
                error = loss_of(network(test[:, :-1]), test[:, -1])
            print(f"epoch {epoch}: loss {loss:.1f}, test error {error:.1f}")

    torch.save({"size": size, "weights": network.cpu().state_dict()}, f"{model_save_path}/model.pt")
