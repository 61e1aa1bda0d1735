// SPDX-License-Identifier: Apache-2.0

// Tests of a client or server use the types of Wireline, so one import is enough for both.
@_exported public import Wireline
