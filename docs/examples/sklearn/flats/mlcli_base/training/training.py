"""Predicts the last column of a table from the others with a scikit-learn pipeline."""

from pathlib import Path

import joblib
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

DEFAULTS = {"degree": 2, "alpha": 1.0}


def train(input_data_path, model_save_path, hyperparameters):
    settings = {**DEFAULTS, **hyperparameters}
    table = pd.concat(pd.read_csv(path) for path in Path(input_data_path).glob("*.csv"))
    features, target = table.iloc[:, :-1], table.iloc[:, -1]

    model = make_pipeline(
        StandardScaler(),
        PolynomialFeatures(settings["degree"], include_bias=False),
        Ridge(settings["alpha"]),
    )
    scores = cross_val_score(model, features, target, cv=5, scoring="neg_mean_absolute_error")
    print(f"mean absolute error: {-scores.mean():.1f}")

    model.fit(features, target)
    joblib.dump(model, Path(model_save_path) / "model.joblib")
