def train(input_data_path, model_save_path):
    raise NotImplementedError("An MLflow model has no training code: write it in training/training.py")
