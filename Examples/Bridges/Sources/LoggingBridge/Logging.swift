// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Wireline

extension TrafficLog {
    /// Makes a log of a protocol's messages that writes to a logger of swift-log.
    ///
    /// Each entry has the metadata `peer` and `connection`, so that the lines of one connection can be found.
    ///
    /// - Parameters:
    ///   - definition: The protocol, such as `SceneProtocol.self`.
    ///   - logger: The logger.
    ///   - level: The level of each entry (default: `debug`).
    public init<Definition: PacketProtocol>(
        of definition: Definition.Type, to logger: Logger, level: Logger.Level = .debug
    ) {
        self.init(of: definition) { entry in
            logger.log(
                level: level, "\(entry.event)",
                metadata: ["peer": "\(entry.peerAddress)", "connection": "\(entry.connectionID)"])
        }
    }
}

extension ListeningOptions {
    /// Reports connections that end with an error, a lack of descriptors, and handlers that block a loop to a logger of
    /// swift-log.
    public mutating func report(to logger: Logger) {
        connectionEnded = { peer, error in
            guard let error else { return }
            logger.info("a connection has ended", metadata: ["peer": "\(peer)", "error": "\(error)"])
        }
        acceptFailed = { error in
            logger.error("no further connection is taken", metadata: ["error": "\(error)"])
        }
        slowTurn = { duration in
            logger.warning("a handler has blocked an event loop", metadata: ["duration": "\(duration)"])
        }
    }
}
