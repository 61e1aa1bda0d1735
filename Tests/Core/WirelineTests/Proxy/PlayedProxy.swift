// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import TestingSupport

/// A proxy on its own thread that follows a script for one client.
final class PlayedProxy: Sendable {
    let port: UInt16

    init(_ play: @escaping @Sendable (RawSocket) throws -> Void) throws {
        let listener = try RawSocket.listen()
        port = try listener.port()
        Thread.detachNewThread {
            guard let socket = try? listener.accept() else { return }
            try? play(socket)
        }
    }
}
