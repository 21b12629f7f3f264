from pathlib import Path

import joblib
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import mean_absolute_error

DEFAULTS = {"trees": 200}


def train(input_data_path, model_save_path, hyperparameters):
    settings = {**DEFAULTS, **hyperparameters}
    training = pd.read_csv(Path(input_data_path) / "flats.csv")
    test = pd.read_csv(Path(input_data_path).parent / "test" / "flats.csv")

    model = RandomForestRegressor(settings["trees"], random_state=0)
    model.fit(training.drop(columns="price"), training["price"])
    predictions = model.predict(test.drop(columns="price"))
    print(f"mean absolute error: {mean_absolute_error(test['price'], predictions):.0f}")
    joblib.dump(model, Path(model_save_path) / "model.joblib")
