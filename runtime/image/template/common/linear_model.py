"""What training/training.py and prediction/serve share: how the model predicts.

What lies in common/ is imported by its name in training, prediction and processing.
"""


def predict(model, features):
    """The target for one row of features."""
    if len(features) != len(model["features"]):
        raise ValueError("expected {}, got {} values".format(model["features"], len(features)))
    scaled = scale(features, model["means"], model["deviations"])
    return dot(model["weights"], scaled) * model["deviations"][-1] + model["means"][-1]


def scale(row, means, deviations):
    return [(value - mean) / spread for value, mean, spread in zip(row, means, deviations)]


def dot(left, right):
    return sum(a * b for a, b in zip(left, right))
