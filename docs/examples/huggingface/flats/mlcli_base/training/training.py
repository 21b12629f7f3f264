"""Trains a tiny text classifier from scratch: a tokenizer and a BERT of one layer.

To fine-tune a model instead, load both with from_pretrained from a channel with its files.
"""

import pandas as pd
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

DEFAULTS = {"epochs": 20, "learning_rate": 0.005}


def train(input_data_path, model_save_path, hyperparameters):
    settings = {**DEFAULTS, **hyperparameters}
    torch.manual_seed(0)
    table = pd.read_csv(f"{input_data_path}/listings.csv")
    texts, names = list(table["text"]), sorted(table["label"].unique())

    tokenizer = train_tokenizer(texts)
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=1,
            num_attention_heads=2,
            id2label=dict(enumerate(names)),
            label2id={name: id for id, name in enumerate(names)},
        )
    )

    batch = tokenizer(texts, padding=True, return_tensors="pt")
    labels = torch.tensor([names.index(name) for name in table["label"]])
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings["learning_rate"])
    for epoch in range(1, settings["epochs"] + 1):
        loss = model(**batch, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"epoch {epoch}: loss {loss:.4f}")

    model.save_pretrained(model_save_path)
    tokenizer.save_pretrained(model_save_path)


def train_tokenizer(texts):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    special = ["[PAD]", "[UNK]"]
    tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(special_tokens=special))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]")
