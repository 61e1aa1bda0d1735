// SPDX-License-Identifier: Apache-2.0

/// The end of a connection that sends a message.
@frozen
public enum Sender: String, Equatable, Hashable, Sendable, CaseIterable {
    case client, server

    /// The other end.
    public var peer: Sender { self == .client ? .server : .client }
}
