// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// What goes to many connections.
enum Broadcast {
    /// Sends something to many connections: each loop is gone to once, and nobody waits for a slow peer.
    ///
    /// - Parameters:
    ///   - receivers: To whom.
    ///   - connection: The connection of one.
    ///   - sendAtOnce: Sends it on a connection, on its loop, where that can be done without waiting, and says whether it is
    ///     sent.
    /// - Returns: Those to whom it was not sent. This side's loop is no reason for that: one of many does not go without
    ///   because so much has been sent to those before.
    static func send<Receiver: Sendable, Connection: SupervisedConnection>(
        to receivers: [Receiver], over connection: any KeyPath<Receiver, Connection> & Sendable,
        _ sendAtOnce: @escaping @Sendable (Connection) -> Bool
    ) async -> [Receiver] {
        let groups = Dictionary(grouping: receivers) { ObjectIdentifier($0[keyPath: connection].loop) }
        var left: [Receiver] = []
        for group in groups.values {
            let loop = group[0][keyPath: connection].loop
            left += await loop.run {
                loop.beGenerous {
                    group.filter { receiver in
                        let connection = receiver[keyPath: connection]
                        // Those who wait to send came earlier.
                        connection.resumeSenders()
                        return !sendAtOnce(connection)
                    }
                }
            }
            await loop.giveWay()
        }
        return left
    }
}
