// SPDX-License-Identifier: Apache-2.0

// A program that imports this module also gets the loops that carry connections.
@_exported public import WirelineTransport
