// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Wireline

extension PacketSessionConfiguration {
    /// For machines that do many other things at the same time: what has ended is tried again at once, and for long.
    static let patient = PacketSessionConfiguration(
        client: .patient,
        reconnect: ReconnectPolicy(baseDelay: .milliseconds(1), maximumDelay: .milliseconds(50), retryLimit: nil),
        loginTimeout: .seconds(500))
}

extension ServerEndpoint {
    /// Where nobody listens: the tests' servers have other addresses, and may get any port.
    static let nobody = ServerEndpoint("127.0.0.3", port: 1)
}

extension PacketServer {
    var endpoint: ServerEndpoint { ServerEndpoint(address.ipAddress, port: address.port) }

    func session(
        conventions: SessionConventions<Definition> = SessionConventions(),
        login: (@Sendable (SessionLogin<Definition>) async throws -> Void)? = nil
    ) throws -> PacketSession<Definition> {
        try PacketSession.start(
            to: [endpoint], protocol: Definition.self, configuration: .patient, conventions: conventions, login: login)
    }
}
