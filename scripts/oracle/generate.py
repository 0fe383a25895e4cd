"""Writes test/fixtures/oracle/*.json: inputs, and what Python TensorFlow 2.21.0 answers for them. See README.md.

ops.json      single op calls: {name, op, inputs, options, output}, or {name, op, inputs, options, error} where Python
              raises; with `varies`, a sentence, where the answer is not the same on every processor
dtypes.json   what each dtype's values become: {casts: [{input, output}], constants: [{numbers, output}],
              widened: [{dtype, sha256}], texts: [{text, bytes}]}, see `dtypes`
attributes.json  raw ops with attributes of every kind of list, and tensors: {name, kinds, op, inputs: [[argument,
              tensor or list of tensors]], attrs, outputs}; a tensor as an attribute is {tensor}, see `attribute_cases`
scoring.json  the small-batch scoring function: 12 ops, batches of 1, 16 and 128

A tensor is {dtype, shape, data}, `data` being base64 of the little-endian values in row-major order, so NaN, -0.0 and
int64 arrive as they left. `error.code` is TensorFlow's status code, or null where Python raised before TensorFlow ran.
Random inputs are seeded by their own dtype and shape: a case added to a table changes no other case.
"""

import base64
import hashlib
import json
import os
import platform
import zlib
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

TENSORFLOW = "2.21.0"
FIXTURES = Path(__file__).resolve().parents[2] / "test" / "fixtures" / "oracle"

FLOATS = ("float32", "float64")
INTEGERS = ("int32", "int64")
DTYPES = FLOATS + INTEGERS

OPS = {
    "tf.matmul": tf.matmul,
    "tf.nn.bias_add": tf.nn.bias_add,
    "tf.nn.relu": tf.nn.relu,
    "tf.nn.tanh": tf.nn.tanh,
    "tf.nn.sigmoid": tf.nn.sigmoid,
    "tf.cos": tf.cos,
    "tf.nn.softmax": tf.nn.softmax,
    "tf.argmax": tf.argmax,
    "tf.add": tf.add,
    "tf.subtract": tf.subtract,
    "tf.multiply": tf.multiply,
    "tf.divide": tf.divide,
}


# Inputs


def draw(dtype, *shape, salt=0):
    """Normal floats, or integers of -9 to 9 without 0, always the same for the same arguments."""
    random = np.random.RandomState(zlib.crc32(repr((dtype, shape, salt)).encode()))
    if dtype in FLOATS:
        return random.standard_normal(shape).astype(dtype)
    return (random.randint(1, 10, shape) * random.choice([-1, 1], shape)).astype(dtype)


def pair(dtype, left, right):
    return draw(dtype, *left), draw(dtype, *right, salt=1)


def values(dtype, items):
    return np.array(items, dtype=dtype)


def smallest(dtype):
    """The smallest positive denormal."""
    return np.finfo(dtype).smallest_subnormal


def special(dtype):
    """Every kind of number that an elementwise kernel could treat in its own way."""
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        return values(dtype, [limits.min, limits.min + 1, -1, 0, 1, limits.max])
    limits, denormal = np.finfo(dtype), np.finfo(dtype).smallest_normal / 2
    positive = [0.0, smallest(dtype), denormal, limits.smallest_normal, limits.eps, 0.5, 1.0, 3.0, 20.0, 100.0, 1000.0]
    positive += [limits.max, np.inf]
    return values(dtype, [*positive, *(-number for number in positive), np.nan])


# Cases: (name, op, inputs, options)


def matmul_cases():
    op = "tf.matmul"
    shapes = [
        ("square", (2, 2), (2, 2), {}),
        ("plain", (2, 3), (3, 4), {}),
        ("row by column", (1, 3), (3, 1), {}),
        ("transpose_a", (3, 2), (3, 4), {"transpose_a": True}),
        ("transpose_b", (2, 3), (4, 3), {"transpose_b": True}),
        ("both transposed", (3, 2), (4, 3), {"transpose_a": True, "transpose_b": True}),
        ("batch of rank 3", (2, 2, 3), (2, 3, 2), {}),
        ("batch of rank 3, both transposed", (2, 3, 2), (2, 2, 3), {"transpose_a": True, "transpose_b": True}),
        ("rank 3 by rank 2", (2, 2, 3), (3, 2), {}),
        ("batch of rank 4, broadcast", (2, 1, 2, 3), (1, 3, 3, 2), {}),
        ("empty inner dimension", (2, 0), (0, 3), {}),
        ("no rows", (0, 3), (3, 2), {}),
        ("empty batch", (0, 2, 3), (0, 3, 2), {}),
    ]
    for dtype in DTYPES:
        for name, left, right, options in shapes:
            yield f"{name}, {dtype}", op, pair(dtype, left, right), options
    for dtype in FLOATS:
        a = values(dtype, [[np.inf, 1], [np.nan, 1], [-0.0, 0.0]])
        yield f"NaN, infinity and -0.0, {dtype}", op, (a, values(dtype, [[0, 1], [1, -1]])), {}
    for dtype in INTEGERS:
        limit = np.iinfo(dtype).max
        yield f"overflow, {dtype}", op, (values(dtype, [[limit, limit]]), values(dtype, [[1, 2], [1, 2]])), {}
    for name, left, right in [
        ("inner dimensions differ", (2, 3), (2, 3)),
        ("inner dimensions differ in a batch", (2, 2, 3), (2, 2, 3)),
        ("batch dimensions do not broadcast", (2, 2, 3), (3, 3, 2)),
        ("rank 1 by rank 2", (3,), (3, 2)),
        ("rank 0 by rank 0", (), ()),
    ]:
        yield name, op, pair("float32", left, right), {}
    yield "inner dimensions differ, int32", op, pair("int32", (2, 3), (2, 3)), {}
    yield "rank 1 by rank 2, int32", op, pair("int32", (3,), (3, 2)), {}
    yield "dtypes differ", op, (draw("float32", 2, 2), draw("int32", 2, 2)), {}


def bias_add_cases():
    op = "tf.nn.bias_add"
    channels_last, channels_first = {"data_format": "NHWC"}, {"data_format": "NCHW"}
    shapes = [
        ("rank 2", (2, 3), 3, {}),
        ("rank 2 NHWC", (2, 3), 3, channels_last),
        ("rank 2 NCHW", (2, 3), 3, channels_first),
        ("rank 3", (2, 2, 3), 3, {}),
        ("rank 3 NCHW", (2, 3, 2), 3, channels_first),
        ("rank 4 NHWC", (2, 1, 2, 3), 3, channels_last),
        ("rank 4 NCHW", (2, 3, 1, 2), 3, channels_first),
        ("rank 5 NCHW", (1, 3, 1, 2, 2), 3, channels_first),
        ("no rows", (0, 3), 3, {}),
        ("no channels", (2, 0), 0, {}),
    ]
    for dtype in DTYPES:
        for name, shape, channels, options in shapes:
            yield f"{name}, {dtype}", op, pair(dtype, shape, (channels,)), options
    for name, shape, bias, options in [
        ("bias length differs", (2, 3), (2,), {}),
        ("bias length differs, NCHW", (2, 3, 4), (4,), channels_first),
        ("value of rank 1", (3,), (3,), {}),
        ("bias of rank 2", (2, 3), (1, 3), {}),
        ("bias of rank 0", (2, 3), (), {}),
        ("data_format NWHC means NHWC", (2, 3), (3,), {"data_format": "NWHC"}),
        ("data_format NC means NCHW", (2, 3, 4), (3,), {"data_format": "NC"}),
        ("data_format CHWN does not exist", (2, 3), (3,), {"data_format": "CHWN"}),
        ("data_format in lower case", (2, 3), (3,), {"data_format": "nhwc"}),
    ]:
        yield name, op, pair("float32", shape, bias), options
    yield "dtypes differ", op, (draw("float32", 2, 3), draw("int32", 3)), {}


def elementwise_cases():
    for op in ("tf.nn.relu", "tf.nn.tanh", "tf.nn.sigmoid", "tf.cos"):
        for dtype in DTYPES if op == "tf.nn.relu" else FLOATS:
            for shape in [(), (5,), (2, 3), (2, 2, 3), (0,), (2, 0)]:
                yield f"shape {list(shape)}, {dtype}", op, (draw(dtype, *shape),), {}
            yield f"special values, {dtype}", op, (special(dtype),), {}
        if op != "tf.nn.relu":
            for dtype in INTEGERS:
                yield f"{dtype} is not accepted", op, (draw(dtype, 3),), {}
    # Alone and at rank 0 a value goes through the scalar path of a kernel, not through its vector path.
    for op in ("tf.nn.relu", "tf.nn.tanh", "tf.nn.sigmoid"):
        for number in (np.nan, np.inf, -np.inf, -0.0, smallest("float32")):
            yield f"scalar {number}", op, (values("float32", number),), {}


def softmax_cases():
    op = "tf.nn.softmax"
    for dtype in FLOATS:
        for shape in [(4,), (2, 3), (2, 40), (2, 3, 2)]:
            for axis in [None, -1, 0, *([1] if len(shape) > 1 else [])]:
                options = {} if axis is None else {"axis": axis}
                yield f"shape {list(shape)}, axis {axis}, {dtype}", op, (draw(dtype, *shape),), options
        for name, rows in [
            ("large values", [[1000, 1000, 1000], [1000, 0, -1000], [-1000, -1000, -1001]]),
            ("a row with NaN", [[1, np.nan, 2], [1, 2, 3]]),
            ("-infinity", [[-np.inf, 0, 1], [-np.inf, -np.inf, 0]]),
            ("nothing but -infinity", [[-np.inf, -np.inf], [0, 1]]),
            ("infinity", [[np.inf, 0], [0, 1]]),
        ]:
            yield f"{name}, {dtype}", op, (values(dtype, rows),), {}
    yield "no rows", op, (draw("float32", 0, 3),), {}
    yield "no columns", op, (draw("float32", 2, 0),), {}
    yield "rank 0", op, (draw("float32"),), {}
    yield "axis out of range", op, (draw("float32", 2, 3),), {"axis": 2}
    yield "int32 is not accepted", op, (draw("int32", 3),), {}


def argmax_cases():
    op = "tf.argmax"
    for dtype in DTYPES:
        for shape in [(4,), (2, 3), (2, 3, 2)]:
            for axis in [None, 0, -1, *([1] if len(shape) > 1 else [])]:
                options = {} if axis is None else {"axis": axis}
                yield f"shape {list(shape)}, axis {axis}, {dtype}", op, (draw(dtype, *shape),), options
        for output_type in INTEGERS:
            options = {"axis": 1, "output_type": output_type}
            yield f"output_type {output_type}, {dtype}", op, (draw(dtype, 2, 3),), options
        ties = values(dtype, [[1, 3, 3], [2, 2, 2], [3, 1, 3]])
        for axis in (0, 1):
            yield f"ties, axis {axis}, {dtype}", op, (ties,), {"axis": axis}
    for dtype in FLOATS:
        for name, rows in [
            ("NaN first, in the middle, last", [[np.nan, 1, 2], [1, np.nan, 2], [1, 2, np.nan]]),
            ("NaN after the maximum", [[5, np.nan, 2], [5, 2, np.nan], [np.nan, np.nan, np.nan]]),
            ("infinities", [[-np.inf, -np.inf, -np.inf], [-np.inf, 0, np.inf], [np.inf, np.inf, 0]]),
            ("0.0 and -0.0", [[0.0, -0.0], [-0.0, 0.0]]),
            ("the lowest finite number after -infinity", [[-np.inf, np.finfo(dtype).min], [-np.inf, -1]]),
        ]:
            for axis in (0, 1):
                yield f"{name}, axis {axis}, {dtype}", op, (values(dtype, rows),), {"axis": axis}
    # 17 and 40 columns fill a vector register: the scan need not be the one that three columns get.
    for columns in (17, 40):
        row = np.zeros(columns, np.float32)
        row[[columns - 2, 5, 11]] = 1
        yield f"ties over {columns} columns", op, (row[np.newaxis],), {"axis": 1}
        row = np.arange(columns, dtype=np.float32)
        row[7] = np.nan
        yield f"NaN among {columns} columns", op, (row[np.newaxis],), {"axis": 1}
    yield "extremes, int64", op, (special("int64"),), {}
    yield "no rows", op, (draw("float32", 0, 3),), {"axis": 1}
    yield "the reduced dimension is empty", op, (draw("float32", 2, 0),), {"axis": 1}
    yield "rank 0", op, (draw("float32"),), {}
    yield "axis out of range", op, (draw("float32", 2, 3),), {"axis": 2}


def binary_cases():
    shapes = [
        ((2, 2), (2, 2)),
        ((2, 2), (1, 2)),
        ((2, 2), (2, 1)),
        ((1, 2), (2, 1)),
        ((2, 2), ()),
        ((), (2, 2)),
        ((), ()),
        ((2, 3, 2), (3, 1)),
        ((2, 1, 2), (1, 3, 1)),
        ((0, 2), (1, 2)),
    ]
    for op in ("tf.add", "tf.subtract", "tf.multiply", "tf.divide"):
        for dtype in DTYPES:
            for left, right in shapes:
                yield f"{list(left)} and {list(right)}, {dtype}", op, pair(dtype, left, right), {}
            numbers = special(dtype)
            yield f"special values with their reverse, {dtype}", op, (numbers, numbers[::-1]), {}
            yield f"special values with themselves, {dtype}", op, (numbers, numbers), {}
            signed = [3, 0, -3] if dtype in INTEGERS else [3, 0.0, -0.0, -3, np.inf, np.nan]
            yield f"with zero, {dtype}", op, (values(dtype, signed), values(dtype, 0)), {}
            if dtype in FLOATS:
                yield f"with negative zero, {dtype}", op, (values(dtype, signed), values(dtype, -0.0)), {}
        yield "shapes do not broadcast", op, pair("float32", (2, 3), (2,)), {}
        yield "shapes do not broadcast, int64", op, pair("int64", (2, 3), (3, 2)), {}
        yield "dtypes differ", op, (draw("float32", 2), draw("int32", 2)), {}
        yield "integer widths differ", op, (draw("int64", 2), draw("int32", 2)), {}


ONEDNN_NAN = (
    "oneDNN spreads a NaN over part of the row only, which part depends on the vector width; Eigen over all of it"
)
VARIES = {
    ("tf.nn.softmax", "a row with NaN, float32"): ONEDNN_NAN,
    ("tf.nn.softmax", "infinity, float32"): ONEDNN_NAN,
    ("tf.nn.softmax", "rank 0"): "ABORTED with oneDNN, INVALID_ARGUMENT without it",
}

TABLES = (matmul_cases, bias_add_cases, elementwise_cases, softmax_cases, argmax_cases, binary_cases)


def answer(name, op, inputs, options):
    case = {"name": name, "op": op, "inputs": [encode(array) for array in inputs], "options": options}
    if (op, name) in VARIES:
        case["varies"] = VARIES[op, name]
    arguments = {key: tf.as_dtype(value) if key == "output_type" else value for key, value in options.items()}
    try:
        return case | {"output": encode(OPS[op](*map(tf.constant, inputs), **arguments).numpy())}
    except tf.errors.OpError as error:
        return case | {"error": describe(error, error.error_code, error.message)}
    except (TypeError, ValueError) as error:
        return case | {"error": describe(error, None, str(error))}


def describe(error, code, message):
    return {"class": type(error).__name__, "code": code, "message": message}


# Dtypes

HALVES = ("float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
CASTABLE = FLOATS + HALVES + SIGNED + UNSIGNED + ("bool",) + COMPLEX


def numpy_type(dtype):
    return tf.as_dtype(dtype).as_numpy_dtype


def castable(source, target):
    """Values of `source` for which C++ says what they are in `target`: within the range of an integer one."""
    if source == "bool":
        return [False, True]
    if source in SIGNED + UNSIGNED:
        limits = np.iinfo(source)
        return [0, 1, 2, 100, limits.max, limits.max - 1, limits.min, limits.min + 1]
    numbers = [0.0, -0.0, 0.25, 1.0, 1.5, 1.9921875, 2.5, 3.0, 100.0, 127.0]
    if target in SIGNED:
        numbers += [-0.5, -1.0, -1.5, -2.5, -128.0]
    if target not in SIGNED + UNSIGNED:
        numbers += [-1.0, -1.5, 1e-3, 3e4, 7e4, 1e30, np.inf, -np.inf, np.nan]
    if source in COMPLEX:
        return [complex(number, 0.5) for number in numbers]
    return numbers


# Numbers whose nearest half is worth a look: ties, denormals, overflow, and what is rounded to float32 first.
NUMBERS = [0.0, -0.0, 1.0, 0.1, -2.7, 1e-8, 2.0**-24, 2.0**-25, 3 * 2.0**-25, 2.0**-25 * 1.0001, 6.1e-5, 2.0**-14]
NUMBERS += [65504.0, 65519.9, 65520.0, -65520.0, 1e6, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-8, 1 + 3 * 2.0**-8]
NUMBERS += [1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8 + 2.0**-40, 3.4e38, 3.3961775e38, 1e-40, 1e-45, 1e300, np.inf, -np.inf, np.nan]

TEXTS = ["", "a", "\0", "a\0b", "é", "€", "𝄞", "ﬁ\ufeff", "x" * 22, "x" * 23, "x" * 24, "é" * 11, "日本語テキスト"]


def plain(array):
    """As `encode`, also for bfloat16, whose bytes NumPy cannot swap. The order is this machine's: little-endian."""
    array = np.asarray(array)
    name = "bfloat16" if array.dtype == numpy_type("bfloat16") else array.dtype.name
    return {"dtype": name, "shape": list(array.shape), "data": base64.b64encode(array.tobytes()).decode("ascii")}


def widened(dtype):
    halves = np.arange(1 << 16, dtype=np.uint16).view(numpy_type(dtype))
    floats = tf.cast(tf.constant(halves), tf.float32).numpy()
    return {"dtype": dtype, "sha256": hashlib.sha256(floats[~np.isnan(floats)].tobytes()).hexdigest()}


def dtypes():
    casts, constants = [], []
    for source in CASTABLE:
        for target in CASTABLE:
            array = np.array(castable(source, target)).astype(numpy_type(source))
            casts.append({"input": plain(array), "output": plain(tf.cast(tf.constant(array), target).numpy())})
    for dtype in HALVES:
        # TensorFlow flushes what is a denormal in float32 when it makes bfloat16 of it; the nearest is not always 0.
        numbers = [n for n in NUMBERS if dtype == "float16" or not 0 < abs(n) < np.finfo(np.float32).smallest_normal]
        constants.append({"numbers": plain(np.array(numbers)), "output": plain(tf.constant(numbers, dtype).numpy())})
    numbers = [complex(a, b) for a, b in [(1, -2), (0.1, 0.0), (-0.0, -0.0), (np.inf, -np.inf), (1e300, 1e-320)]]
    for dtype in COMPLEX:
        pairs = np.array(numbers).view(np.float64)
        constants.append({"numbers": plain(pairs), "output": plain(tf.constant(numbers, dtype).numpy())})
    texts = [{"text": text, "bytes": base64.b64encode(tf.constant(text).numpy()).decode("ascii")} for text in TEXTS]
    return {"casts": casts, "constants": constants, "widened": [widened(dtype) for dtype in HALVES], "texts": texts}


# Attributes


def example():
    """An Example message with a vector of floats, a number, and values without a length."""
    features = {
        "pair": tf.train.Feature(float_list=tf.train.FloatList(value=[1.5, -2.0])),
        "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[7])),
        "tags": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", "é".encode()])),
        "counts": tf.train.Feature(int64_list=tf.train.Int64List(value=[3, 1, 2])),
    }
    message = tf.train.Example(features=tf.train.Features(feature=features))
    return message.SerializeToString(deterministic=True)


def attribute_cases():
    """(name, kinds of attributes, op, inputs by argument, attributes)"""
    image = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    filters = np.array([1, -1, 2, 0.5], np.float32).reshape(2, 2, 1, 1)
    yield "pooling", ["list(int)"], "MaxPool", {"input": image}, {
        "ksize": [1, 2, 2, 1], "strides": [1, 1, 2, 1], "padding": "VALID"}
    yield "explicit padding", ["list(int)"], "Conv2D", {"input": image, "filter": filters}, {
        "strides": [1, 2, 1, 1], "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0],
        "dilations": [1, 1, 2, 1]}
    yield "boundaries", ["list(float)"], "Bucketize", {"input": np.array([-5, 0.1, 0.25, 3], np.float32)}, {
        "boundaries": [-0.5, 0.1, 0.25]}
    yield "ratios", ["list(float)"], "FractionalAvgPool", {"value": image}, {
        "pooling_ratio": [1.0, 1.44, 1.73, 1.0], "deterministic": True, "seed": 5, "seed2": 7, "overlapping": True}
    for kinds, partitions in [(["ROW_SPLITS"], [[0, 2, 2, 3]]), (["FIRST_DIM_SIZE", "VALUE_ROWIDS"], [3, [0, 0, 2]])]:
        yield " and ".join(kinds), ["list(string)"], "RaggedTensorToTensor", {
            "shape": np.array([-1, -1], np.int64), "values": np.array([1, 2, 3], np.float32),
            "default_value": np.float32(-1), "row_partition_tensors": [np.array(partition, np.int64) for partition in partitions],
        }, {"row_partition_types": kinds}
    yield "a parsed message", ["list(string)", "list(type)", "list(shape)"], "ParseSingleExample", {
        "serialized": np.array(example(), object),
        "dense_defaults": [np.array([], np.float32), np.array([], np.int64)],
    }, {
        "num_sparse": 2, "sparse_keys": ["tags", "counts"], "dense_keys": ["pair", "id"],
        "sparse_types": ["string", "int64"], "dense_shapes": [[2], []]}
    yield "columns", ["list(type)"], "DecodeCSV", {
        "records": np.array(["1,2.5,a", "-3,,b"], object),
        "record_defaults": [np.array([], np.int32), np.array([0.5], np.float32), np.array([], object)],
    }, {"OUT_TYPE": ["int32", "float32", "string"], "select_cols": [0, 1, 2]}
    yield "several", ["list(type)"], "IdentityN", {"input": [np.float64(2), np.array([True, False])]}, {
        "T": ["float64", "bool"]}
    for value in [np.array([[1.5, -0.0]], np.float32), np.array(["a", "é"], object), np.int64(7)]:
        dtype = tf.constant(value).dtype.name
        yield f"a constant of {dtype}", ["tensor"], "Const", {}, {"value": value, "dtype": dtype}
    yield "a constant of the host", ["tensor"], "HostConst", {}, {"value": np.array([3, 4], np.int32), "dtype": "int32"}


def any_tensor(array):
    """As `plain`; strings are a list of base64 texts."""
    array = np.asarray(array)
    if array.dtype != object:
        return plain(array)
    items = [item.encode() if isinstance(item, str) else item for item in array.ravel()]
    data = [base64.b64encode(item).decode("ascii") for item in items]
    return {"dtype": "string", "shape": list(array.shape), "data": data}


def attributes():
    cases = []
    for name, kinds, op, inputs, attrs in attribute_cases():
        given = {key: [tf.constant(one) for one in value] if isinstance(value, list) else tf.constant(value)
                 for key, value in inputs.items()}
        if op in ("Const", "HostConst"):
            outputs = [tf.constant(attrs["value"])]
        else:
            # Python reads these from the inputs, and takes them from nobody.
            told = {key: value for key, value in attrs.items() if key not in ("T", "OUT_TYPE")}
            outputs = tf.nest.flatten(getattr(tf.raw_ops, op)(**given, **told))
        cases.append({
            "name": name, "kinds": kinds, "op": op,
            "inputs": [[key, [any_tensor(one) for one in value] if isinstance(value, list) else any_tensor(value)]
                       for key, value in inputs.items()],
            "attrs": {key: {"tensor": any_tensor(value)} if key == "value" else value for key, value in attrs.items()},
            "outputs": [any_tensor(output.numpy()) for output in outputs],
        })
    return {"cases": cases}


# Scoring

WIDTH, CLASSES, ROUNDS, BATCHES = 32, 8, 4, (1, 16, 128)


def score(x, p):
    h = tf.divide(tf.subtract(x, p["mean"]), p["scale"])
    h = tf.nn.bias_add(tf.matmul(h, p["w_feature"]), p["b_feature"])
    for i in range(ROUNDS):
        h = tf.nn.relu(h) if i % 2 == 0 else tf.nn.tanh(h)
    logits = tf.nn.bias_add(tf.matmul(h, p["w_head"]), p["b_head"])
    probabilities = tf.nn.softmax(logits, axis=1)
    return {"logits": logits, "probabilities": probabilities, "classes": tf.argmax(probabilities, axis=1)}


def score_parameters():
    def weights(rows, columns):
        return draw("float32", rows, columns) / np.float32(np.sqrt(rows))

    return {
        "mean": draw("float32", WIDTH),
        "scale": np.exp(draw("float32", WIDTH, salt=1) / 4),
        "w_feature": weights(WIDTH, WIDTH),
        "b_feature": draw("float32", WIDTH, salt=2) / 4,
        "w_head": weights(WIDTH, CLASSES) * np.float32(4),
        "b_head": draw("float32", CLASSES) / 4,
    }


def recorded_ops(x, parameters):
    """The ops of `score`, as TensorFlow's own tracer counts them."""
    graph = tf.function(score).get_concrete_function(x, parameters).graph
    return [op.type for op in graph.get_operations() if op.type not in ("Placeholder", "Const", "Identity")]


def scoring():
    arrays = score_parameters()
    parameters = {name: tf.constant(array) for name, array in arrays.items()}
    batches = []
    for batch in BATCHES:
        x = draw("float32", batch, WIDTH)
        outputs = {name: encode(tensor.numpy()) for name, tensor in score(tf.constant(x), parameters).items()}
        batches.append({"batch": batch, "x": encode(x)} | outputs)
    ops = recorded_ops(tf.constant(x), parameters)
    if len(ops) != 12:
        raise SystemExit(f"The scoring function must stay at 12 ops, but has {len(ops)}: {', '.join(ops)}.")
    shared = {name: encode(array) for name, array in arrays.items()}
    return {"rounds": ROUNDS, "ops": ops, "parameters": shared, "batches": batches}


# Files


def encode(array):
    array = np.asarray(array)
    data = base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode("ascii")
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}


def write(name, document):
    """One line per top-level entry and per list item, so that a changed case is a changed line."""
    header = {
        "made_with": "python scripts/oracle/generate.py",
        "versions": {"tensorflow": tf.__version__, "numpy": np.__version__, "python": platform.python_version()},
        "settings": {"oneDnn": True, "intraOpThreads": 1, "device": "CPU"},
    }
    entries = [f"{json.dumps(key)}: {lines_of(value)}" for key, value in (header | document).items()]
    path = FIXTURES / name
    path.write_text("{\n" + ",\n".join(entries) + "\n}\n", encoding="utf-8")
    print(f"{name}: {path.stat().st_size} bytes")


def lines_of(value):
    if isinstance(value, list) and isinstance(value[0], dict):
        return "[\n" + ",\n".join(json.dumps(item) for item in value) + "\n]"
    return json.dumps(value)


def main():
    if tf.__version__ != TENSORFLOW:
        raise SystemExit(f"The fixtures are pinned to TensorFlow {TENSORFLOW}, but {tf.__version__} is installed.")
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    cases = [answer(*case) for table in TABLES for case in table()]
    names = [(case["op"], case["name"]) for case in cases]
    if len(set(names)) != len(names):
        raise SystemExit(f"Two cases share a name: {next(name for name in names if names.count(name) > 1)}.")
    if not VARIES.keys() <= set(names):
        raise SystemExit(f"No such case: {next(name for name in VARIES if name not in names)}.")
    FIXTURES.mkdir(parents=True, exist_ok=True)
    write("ops.json", {"cases": cases})
    write("dtypes.json", dtypes())
    write("attributes.json", attributes())
    write("scoring.json", scoring())
    print(f"{len(cases)} cases, {sum('error' in case for case in cases)} of which Python refuses")


if __name__ == "__main__":
    main()
