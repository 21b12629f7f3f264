from pathlib import Path

import joblib
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

DEFAULTS = {"alpha": 1.0}


def train(input_data_path, model_save_path, hyperparameters):
    settings = {**DEFAULTS, **hyperparameters}
    table = pd.read_csv(Path(input_data_path) / "flats.csv")
    x_train, x_test, y_train, y_test = train_test_split(
        table[["rooms", "size", "district"]], table["price"], test_size=0.25, random_state=0
    )
    encoder = make_column_transformer((OneHotEncoder(), ["district"]), remainder="passthrough")
    model = make_pipeline(encoder, Ridge(settings["alpha"])).fit(x_train, y_train)
    error = mean_absolute_error(y_test, model.predict(x_test))
    print(f"mean absolute error: {error:.0f}")
    joblib.dump(model, Path(model_save_path) / "model.joblib")
