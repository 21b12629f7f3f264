"""Trains a model that predicts the last column of a table from the others.

A linear regression, fitted by gradient descent, with nothing but the standard library. Replace it
with yours: what mlcli calls is `train`.
"""

import csv
import json
import os
from pathlib import Path

from linear_model import dot, predict, scale  # common/linear_model.py

DEFAULTS = {"epochs": 300, "learning_rate": 0.1}


def train(input_data_path, model_save_path, hyperparameters):
    """Called by mlcli. The third parameter is optional: leave it out if you have no use for it."""
    settings = {**DEFAULTS, **hyperparameters}
    columns, rows = read_tables(Path(input_data_path))

    # Every fifth row is kept aside: the error on rows that the model has seen says little.
    training_rows = [row for number, row in enumerate(rows) if number % 5 != 0]
    test_rows = [row for number, row in enumerate(rows) if number % 5 == 0]

    model = fit(training_rows, settings["epochs"], settings["learning_rate"])
    model["features"] = columns[:-1]
    model["target"] = columns[-1]
    metrics = evaluate(model, test_rows)
    print("trained on {} rows, tested on {}: {}".format(len(training_rows), len(test_rows), metrics))

    write_json(Path(model_save_path) / "model.json", model)
    write_json(output_directory() / "metrics.json", metrics)


def output_directory():
    """Where SageMaker keeps what is not the model. (It drops the rest of /opt/ml/output.)"""
    directory = Path(os.environ.get("SM_OUTPUT_DATA_DIR", "output/data"))
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def read_tables(directory):
    """The columns' names and the rows, as numbers, of all CSV files in the directory."""
    columns, rows = [], []
    for path in sorted(directory.glob("*.csv")):
        with path.open(newline="") as file:
            lines = csv.reader(file)
            columns = next(lines)
            rows.extend([float(cell) for cell in line] for line in lines if line)
    if len(rows) < 10:
        raise ValueError("need at least 10 rows of CSV in {}, found {}".format(directory, len(rows)))
    return columns, rows


def fit(rows, epochs, learning_rate):
    """Gradient descent on the mean squared error. The model is plain data, so that JSON holds it."""
    # Each column is scaled to mean 0 and deviation 1: one learning rate then fits them all.
    means = [sum(column) / len(rows) for column in zip(*rows)]
    deviations = [deviation(column) for column in zip(*rows)]
    scaled = [scale(row, means, deviations) for row in rows]

    weights = [0.0] * (len(means) - 1)
    for epoch in range(1, epochs + 1):
        errors = [dot(weights, row[:-1]) - row[-1] for row in scaled]
        for index in range(len(weights)):
            slope = sum(error * row[index] for error, row in zip(errors, scaled)) / len(rows)
            weights[index] -= learning_rate * slope
        if epoch % 30 == 0 or epoch == epochs:
            loss = sum(error * error for error in errors) / len(rows)
            print("epoch {}: loss {:.4f}".format(epoch, loss))
    return {"means": means, "deviations": deviations, "weights": weights}


def evaluate(model, rows):
    """How far off the predictions are: the root of the mean squared error, and R squared."""
    targets = [row[-1] for row in rows]
    mean = sum(targets) / len(targets)
    squared = sum((predict(model, row[:-1]) - row[-1]) ** 2 for row in rows)
    return {
        "rows": len(rows),
        "root_mean_squared_error": round((squared / len(rows)) ** 0.5, 4),
        "r_squared": round(1 - squared / sum((target - mean) ** 2 for target in targets), 4),
    }


def deviation(values):
    mean = sum(values) / len(values)
    # A column that never changes has deviation 0; 1 keeps it out of the sums without dividing by 0.
    return (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5 or 1.0


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")
