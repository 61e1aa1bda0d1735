// SPDX-License-Identifier: Apache-2.0

/// A connection's membership in a group of connections that get the same output. Only the connection's loop uses it.
///
/// The memberships of a connection form a linked list, which takes 8 bytes in a connection without any.
class Membership {
    final var next: Membership?

    /// Sends the group's messages that this member has not got yet, because other output follows.
    func sendPendingMessages() {}

    /// Ends the membership, because the connection takes no more output.
    func end() {}
}
