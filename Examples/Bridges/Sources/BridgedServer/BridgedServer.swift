// SPDX-License-Identifier: Apache-2.0

import LifecycleBridge
import Logging
import LoggingBridge
import MetricsBridge
import Scene
import ServiceLifecycle
import Wireline

/// An echo server with the logs, metrics and services of other packages: `BridgedServer PORT`.
@main
enum BridgedServer {
    static func main() async throws {
        let port = CommandLine.arguments.dropFirst().first.flatMap { UInt16($0) } ?? 9001
        let logger = Logger(label: "game")
        let service = PacketService {
            var configuration = ServerConfiguration()
            configuration.log = TrafficLog(of: SceneProtocol.self, to: logger, level: .info)
            configuration.listening.report(to: logger)
            let server = try await PacketServer.start(
                at: "127.0.0.1", port: port, protocol: SceneProtocol.self, configuration: configuration
            ) { client in
                while let packet = try await client.nextPacket() { try await client.forward(packet) }
            }
            logger.notice("listening on \(server.address)")
            // Not awaited: it ends with the server.
            Task { await report(server) }
            return server
        }
        // ServiceLifecycle handles SIGTERM, so `runUntilSignal` is not needed.
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: service)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
        logger.notice("the server has ended")
    }

    /// Reports a server's metrics until it drains. Call `MetricsSystem.bootstrap(_:)` first to see them somewhere.
    private static func report(_ server: PacketServer<SceneProtocol>) async {
        let reporter = ServerReporter(dimensions: [("server", "scene")])
        while !server.isDraining {
            await reporter.report(server.metrics())
            try? await Task.sleep(for: .seconds(5))
        }
    }
}
