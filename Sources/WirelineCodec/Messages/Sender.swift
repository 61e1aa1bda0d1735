// SPDX-License-Identifier: Apache-2.0

/// Which end of a connection sends a message.
@frozen
public enum Sender: String, Equatable, Hashable, Sendable, CaseIterable {
    case client, server

    /// The other end.
    public var peer: Sender { self == .client ? .server : .client }
}
