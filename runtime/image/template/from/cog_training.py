"""The project of cog that this app comes from has no training that mlcli knows."""


def train(input_data_path, model_save_path):
    """What it writes into model_save_path, prediction/serve gets as weights for setup(weights)."""
    raise NotImplementedError("write the training of this model into training/training.py")
