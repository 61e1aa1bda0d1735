# SPDX-License-Identifier: Apache-2.0

"""Runs programs one after another. Each line of input is one: what it reads, what it writes, its file and its arguments, with tabs
between."""

import os
import runpy
import sys
import traceback

for line in sys.stdin.read().splitlines():
    source, target, program, *arguments = line.split("\t")
    sys.argv, sys.path[0] = [program, *arguments], os.path.dirname(program)
    with open(source, encoding="utf-8") as sys.stdin, open(target, "w", encoding="utf-8") as sys.stdout:
        try:
            runpy.run_path(program, run_name="__main__")
        except Exception:
            traceback.print_exc(file=sys.stdout)
