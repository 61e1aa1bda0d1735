// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Sends to many connections.
enum Broadcast {
    /// Sends to many connections; it visits each loop once and does not wait for slow readers.
    ///
    /// - Parameters:
    ///   - receivers: The receivers.
    ///   - connection: The connection of a receiver.
    ///   - sendAtOnce: Sends on a connection, on its loop, if that is possible without waiting. Returns whether it was
    ///     sent; an error means that the connection has ended.
    /// - Returns: The receivers to which it was not sent. The loop's own limits never cause this, so the last receivers
    ///   get what the first ones get.
    static func send<Receiver: Sendable, Connection: LimitedConnection>(
        to receivers: [Receiver], over connection: any KeyPath<Receiver, Connection> & Sendable,
        _ sendAtOnce: @escaping @Sendable (Connection) throws(ConnectionError) -> Bool
    ) async -> [Receiver] {
        let groups = Dictionary(grouping: receivers) { ObjectIdentifier($0[keyPath: connection].loop) }
        var left: [Receiver] = []
        for group in groups.values {
            let loop = group[0][keyPath: connection].loop
            left += await loop.run {
                loop.beGenerous {
                    group.filter { receiver in
                        let connection = receiver[keyPath: connection]
                        // Tasks that already wait to send go first.
                        connection.resumeSenders()
                        return (try? sendAtOnce(connection)) != true
                    }
                }
            }
            await loop.giveWay()
        }
        return left
    }
}
