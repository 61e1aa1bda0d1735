// SPDX-License-Identifier: Apache-2.0

/// A connection's membership in a group of connections that get the same output. Only the connection's loop uses it.
///
/// The memberships of a connection are a list, each of them with the next one: that takes 8 bytes in a connection
/// without any.
class Membership {
    /// The connection's next membership.
    final var next: Membership?

    /// Sends what the group has sent and this member has not got yet, because other output follows.
    func settle() {}

    /// Ends the membership, because the connection takes no more output.
    func end() {}
}
