"""Learns to read handwritten digits, and prints what a training mostly measures, epoch by epoch."""

import warnings
from pathlib import Path

import joblib
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier


def train(input_data_path, model_save_path, hyperparameters):
    images, digits = load_digits(return_X_y=True)
    data = train_test_split(images / 16, digits, test_size=0.4, random_state=0)
    rate = float(hyperparameters.get("learning_rate", 0.002))
    model = MLPClassifier((64,), learning_rate_init=rate, max_iter=1, warm_start=True, random_state=0)
    warnings.simplefilter("ignore", ConvergenceWarning)  # an epoch is no whole training
    for epoch in range(60):
        model.fit(data[0], data[2])
        for name, x, y in (("train", data[0], data[2]), ("val", data[1], data[3])):
            loss = log_loss(y, model.predict_proba(x))
            print("{0}_loss={1:.5f} {0}_accuracy={2:.4f}".format(name, loss, model.score(x, y)))
    joblib.dump(model, Path(model_save_path) / "model.joblib")
