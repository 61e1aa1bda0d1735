// SPDX-License-Identifier: Apache-2.0

#include "CWirelineSystem.h"

_Thread_local void *wireline_thread_loop;
