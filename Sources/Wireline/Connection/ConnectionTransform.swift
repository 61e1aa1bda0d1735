// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// What stands between a connection's packets and its socket, as the connection deals with it; for the loop's own thread.
protocol ConnectionTransform: StreamTransform {
    /// Is called once, when the two sides have come to an agreement or cannot any more.
    var onReady: (() -> Void)? { get set }

    /// What has made it fail, for whoever uses the connection.
    var connectionFailure: ConnectionError? { get }

    /// Whether it has failed because the peer has ended without taking leave.
    var isCut: Bool { get }
}
