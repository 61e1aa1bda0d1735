// SPDX-License-Identifier: Apache-2.0

// A test names clients, servers and messages anyway.
@_exported public import Wireline
