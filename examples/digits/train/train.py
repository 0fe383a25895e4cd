"""Trains the digit classifier of this example once, with Python TensorFlow, and writes ../model.

Run from anywhere; it needs Python 3.10 to 3.13:

    python3 -m venv oracle-venv
    oracle-venv/bin/pip install tensorflow-cpu==2.21.0
    oracle-venv/bin/python examples/digits/train/train.py

It reads ../data/digits.csv and writes three files:

    weights.json   the trained tensors, base64 of little-endian float32
    split.json     the rows that training never saw (0-based line numbers of digits.csv, sorted)
    expected.json  what TensorFlow eager answers for those weights, read back from weights.json, over all rows in one
                   batch: classes, and probabilities of shape [1797, 10] as base64 of little-endian float32

The input of the network is the raw pixel row, 0 to 16, as float32: `mean` and `scale` are in pixel units and do all the
scaling. Seed, one thread and deterministic ops make a rerun on the same machine write the same bytes. On a processor
with other vector instructions the last bits of every sum differ, and so may the training.
"""

import base64
import json
import os
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

TENSORFLOW = "2.21.0"
SEED = 20260
ROUNDS = 4
HELD_OUT_SHARE = 0.2
EPOCHS = 150
BATCH = 64
LEARNING_RATE = 3e-3
WEIGHT_DECAY = 1e-4
# A pixel that hardly ever varies (the border) is not blown up: no pixel is divided by less than one grey level.
SMALLEST_SCALE = 1.0

EXAMPLE = Path(__file__).resolve().parent.parent
MODEL = EXAMPLE / "model"
COMMAND = "python examples/digits/train/train.py"

LAYERS = {"in": (64, 32), "hidden": (32, 32), "out": (32, 10)}


def logits_of(x, p):
    h = (x - p["mean"]) / p["scale"]
    h = tf.nn.bias_add(tf.matmul(h, p["w_in"]), p["b_in"])
    for i in range(ROUNDS):
        h = tf.nn.bias_add(tf.matmul(h, p["w_hidden"]), p["b_hidden"])
        h = tf.nn.relu(h) if i % 2 == 0 else tf.nn.tanh(h)
    return tf.nn.bias_add(tf.matmul(h, p["w_out"]), p["b_out"])


def classify(x, p):
    probabilities = tf.nn.softmax(logits_of(x, p), axis=1)
    return probabilities, tf.argmax(probabilities, axis=1)


def read_digits():
    rows = np.loadtxt(EXAMPLE / "data" / "digits.csv", delimiter=",", dtype=np.int64)
    return rows[:, :-1].astype(np.float32), rows[:, -1]


def split_rows(count):
    order = np.random.RandomState(SEED).permutation(count)
    held_out = round(count * HELD_OUT_SHARE)
    return np.sort(order[held_out:]), np.sort(order[:held_out])


def train(x, labels):
    """Returns every parameter of `logits_of` by name, as float32 arrays."""
    random = np.random.RandomState(SEED)
    statistics = {
        "mean": x.mean(axis=0, dtype=np.float64).astype(np.float32),
        "scale": np.maximum(x.std(axis=0, dtype=np.float64), SMALLEST_SCALE).astype(np.float32),
    }
    trained = {}
    for name, (rows, columns) in LAYERS.items():
        glorot = np.sqrt(6.0 / (rows + columns))
        trained[f"w_{name}"] = tf.Variable(random.uniform(-glorot, glorot, (rows, columns)).astype(np.float32))
        trained[f"b_{name}"] = tf.Variable(np.zeros(columns, np.float32))
    variables = list(trained.values())
    steps = EPOCHS * (len(x) // BATCH)
    optimizer = tf.keras.optimizers.AdamW(
        tf.keras.optimizers.schedules.CosineDecay(LEARNING_RATE, steps), weight_decay=WEIGHT_DECAY
    )

    @tf.function
    def step(batch, batch_labels):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                batch_labels, logits_of(batch, statistics | trained)
            )
            loss = tf.reduce_mean(losses)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

    for _ in range(EPOCHS):
        order = random.permutation(len(x))
        for start in range(0, len(x) - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            step(tf.constant(x[rows]), tf.constant(labels[rows]))
    return statistics | {name: variable.numpy() for name, variable in trained.items()}


def base64_of(array):
    return base64.b64encode(np.ascontiguousarray(array, dtype="<f4").tobytes()).decode("ascii")


def encode(array):
    return {"dtype": "float32", "shape": list(array.shape), "data": base64_of(array)}


def decode(tensor):
    return np.frombuffer(base64.b64decode(tensor["data"]), dtype="<f4").reshape(tensor["shape"])


def write(name, document):
    """One top-level entry per line, so that a difference between two trainings can be read."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in document.items()]
    (MODEL / name).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main():
    if tf.__version__ != TENSORFLOW:
        raise SystemExit(f"This example is pinned to TensorFlow {TENSORFLOW}, but {tf.__version__} is installed.")
    tf.keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)

    x, labels = read_digits()
    training, held_out = split_rows(len(x))
    parameters = train(x[training], labels[training])

    MODEL.mkdir(exist_ok=True)
    write("split.json", {"seed": SEED, "heldOut": held_out.tolist()})
    tensors = {name: encode(array) for name, array in parameters.items()}
    write("weights.json", {"tensorflow": TENSORFLOW, "seed": SEED, "tensors": tensors})

    saved = json.loads((MODEL / "weights.json").read_text(encoding="utf-8"))["tensors"]
    weights = {name: tf.constant(decode(tensor)) for name, tensor in saved.items()}
    probabilities, classes = (tensor.numpy() for tensor in classify(tf.constant(x), weights))
    right = classes == labels
    accuracy = float(right[held_out].mean())
    expected = {
        "made_with": COMMAND,
        "tensorflow": TENSORFLOW,
        "heldOutAccuracy": accuracy,
        "classes": classes.tolist(),
        "probabilities": base64_of(probabilities),
    }
    write("expected.json", expected)

    first, second = np.sort(probabilities, axis=1)[:, :-3:-1].T
    print(f"trained on {len(training)} rows: {right[training].mean():.4f} right")
    print(f"held out   {len(held_out)} rows: {accuracy:.4f} right ({right[held_out].sum()} of {len(held_out)})")
    print(f"smallest distance between the two most probable classes of a row: {(first - second).min():.3g}")


if __name__ == "__main__":
    main()
