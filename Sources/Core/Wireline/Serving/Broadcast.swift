// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

enum Broadcast {
    /// Sends to many connections, without waiting for slow readers. In each turn, a loop sends to some of its
    /// receivers.
    ///
    /// - Parameter sendAtOnce: Sends on a connection, on its loop, if that is possible without waiting. Returns whether
    ///   it did; an error means that the connection has ended.
    /// - Returns: The receivers that got nothing. The loop's own limits never cause this, so the last receivers get
    ///   what the first ones get.
    static func send<Receiver: Sendable, Connection: LimitedConnection>(
        to receivers: [Receiver], over connection: any KeyPath<Receiver, Connection> & Sendable,
        _ sendAtOnce: @escaping @Sendable (Connection) throws(ConnectionError) -> Bool
    ) async -> [Receiver] {
        let groups = Dictionary(grouping: receivers) { ObjectIdentifier($0[keyPath: connection].loop) }
        var left: [Receiver] = []
        for group in groups.values {
            let loop = group[0][keyPath: connection].loop
            let wasSent = await loop.visit(each: group) { receiver in
                // A system call follows, now or at the end of the turn.
                loop.spendSending(0)
                let connection = receiver[keyPath: connection]
                return loop.ignoringShare {
                    // Tasks that already wait to send go first.
                    connection.resumeSenders()
                    return (try? sendAtOnce(connection)) == true
                }
            }
            left += zip(group, wasSent).filter { !$1 }.map(\.0)
        }
        return left
    }
}
