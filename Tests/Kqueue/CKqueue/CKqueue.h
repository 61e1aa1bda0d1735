// SPDX-License-Identifier: Apache-2.0

// libkqueue has a header of the name that Darwin's has.

#ifndef WIRELINE_KQUEUE_H
#define WIRELINE_KQUEUE_H

#include <sys/event.h>

#endif
