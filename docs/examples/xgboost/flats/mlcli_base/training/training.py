"""Predicts the last column of a table from the others with XGBoost."""

from pathlib import Path

import pandas as pd
import xgboost as xgb

DEFAULTS = {"rounds": 200, "eta": 0.1, "max_depth": 4}


def train(input_data_path, model_save_path, hyperparameters):
    parameters = {**DEFAULTS, **hyperparameters}
    rounds = parameters.pop("rounds")
    table = pd.concat(pd.read_csv(path) for path in Path(input_data_path).glob("*.csv"))
    table = table.sample(frac=1, random_state=0)
    split = len(table) // 5

    model = xgb.train(
        parameters,
        to_matrix(table[split:]),
        num_boost_round=rounds,
        evals=[(to_matrix(table[:split]), "test")],
        verbose_eval=10,
        callbacks=[xgb.callback.EarlyStopping(rounds=20, save_best=True)],
    )
    model.save_model(Path(model_save_path) / "model.json")


def to_matrix(table):
    return xgb.DMatrix(table.iloc[:, :-1], label=table.iloc[:, -1])
