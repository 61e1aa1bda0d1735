// SPDX-License-Identifier: Apache-2.0

// A program that imports this module also gets nodes, records, terms, and the configuration of servers.
@_exported public import Wireline
@_exported public import WirelineErlang
