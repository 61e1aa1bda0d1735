# SPDX-License-Identifier: Apache-2.0

"""Loads generated modules by their paths."""

import importlib.util
import sys


def load(path):
    name = "wire_" + str(len(sys.modules))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    # A data class looks its module up.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
