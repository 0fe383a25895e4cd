"""Writes test/fixtures/oracle/config-proto.json: options of configure(), and the bytes of Python's own ConfigProto.

Run from the root of the repository: oracle-venv/bin/python scripts/oracle/config_proto.py
"""

import json
import os
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

from tensorflow.core.protobuf import config_pb2

FIXTURE = Path(__file__).resolve().parents[2] / "test" / "fixtures" / "oracle" / "config-proto.json"

CASES = [
    {},
    {"intraOpThreads": 1},
    {"interOpThreads": 1},
    {"intraOpThreads": 0, "interOpThreads": 300},
    {"intraOpThreads": 2**31 - 1},
    {"softPlacement": True},
    {"softPlacement": False},
    {"logDevicePlacement": True},
    {"threadSpinning": False},
    {"threadSpinning": True},
    {"deviceCount": {"CPU": 2}},
    {"deviceCount": {"GPU": 0, "CPU": 130}},
    {"deviceFilters": ["/job:localhost", "", "Gerät"]},
    {"gpu": {}},
    {"gpu": {"memoryFraction": 0.25, "allowGrowth": True, "visibleDevices": "0,1", "forceCompatible": True}},
    {"gpu": {"memoryFraction": 1e-3, "allowGrowth": False, "visibleDevices": ""}},
    {"intraOpThreads": 2, "interOpThreads": 3, "softPlacement": True, "logDevicePlacement": True,
     "threadSpinning": False, "deviceCount": {"CPU": 1}, "deviceFilters": ["x" * 200], "gpu": {"allowGrowth": True}},
]


def proto(options):
    config = config_pb2.ConfigProto()
    for key, field in {
        "intraOpThreads": "intra_op_parallelism_threads",
        "interOpThreads": "inter_op_parallelism_threads",
        "softPlacement": "allow_soft_placement",
        "logDevicePlacement": "log_device_placement",
    }.items():
        if key in options:
            setattr(config, field, options[key])
    for device, count in options.get("deviceCount", {}).items():
        config.device_count[device] = count
    config.device_filters.extend(options.get("deviceFilters", []))
    if options.get("threadSpinning") is False:
        config.experimental.disable_thread_spinning = True
    if "gpu" in options:
        config.gpu_options.SetInParent()
        for key, field in {
            "memoryFraction": "per_process_gpu_memory_fraction",
            "allowGrowth": "allow_growth",
            "visibleDevices": "visible_device_list",
            "forceCompatible": "force_gpu_compatible",
        }.items():
            if key in options["gpu"]:
                setattr(config.gpu_options, field, options["gpu"][key])
    return config.SerializeToString(deterministic=True).hex()


cases = [{"options": options, "hex": proto(options)} for options in CASES]
FIXTURE.write_text(json.dumps(cases, indent=2, ensure_ascii=False) + "\n")
