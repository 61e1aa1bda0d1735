// SPDX-License-Identifier: Apache-2.0

// Whoever imports Wireline has messages, layouts and errors, policies, event loops and addresses, and what WebSockets are
// made of, too.
@_exported public import WirelineCodec
@_exported public import WirelineSession
@_exported public import WirelineTLS
@_exported public import WirelineTransport
@_exported public import WirelineWebSocket
