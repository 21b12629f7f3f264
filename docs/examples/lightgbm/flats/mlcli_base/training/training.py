"""Predicts the last column of a table from the others with LightGBM."""

from pathlib import Path

import lightgbm as lgb
import pandas as pd

DEFAULTS = {"rounds": 200, "learning_rate": 0.1, "num_leaves": 15}


def train(input_data_path, model_save_path, hyperparameters):
    parameters = {**DEFAULTS, **hyperparameters, "metric": "rmse", "verbosity": -1}
    rounds = parameters.pop("rounds")
    table = pd.concat(pd.read_csv(path) for path in Path(input_data_path).glob("*.csv"))
    table = table.sample(frac=1, random_state=0)
    split = len(table) // 5

    model = lgb.train(
        parameters,
        to_dataset(table[split:]),
        num_boost_round=rounds,
        valid_sets=[to_dataset(table[:split])],
        valid_names=["test"],
        callbacks=[lgb.early_stopping(20), lgb.log_evaluation(10)],
    )
    model.save_model(Path(model_save_path) / "model.txt")


def to_dataset(table):
    return lgb.Dataset(table.iloc[:, :-1], label=table.iloc[:, -1])
