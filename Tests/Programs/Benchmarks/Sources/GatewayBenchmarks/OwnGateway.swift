// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import WirelineErlang
internal import WirelineGateway

/// Our gateway, as a program: with the schema that is read, as `wire gateway` does.
enum OwnGateway {
    /// Serves until the process is ended.
    static func run(epmdPort: UInt16, threadCount: Int) -> Never {
        signal(SIGTERM) { _ in _exit(0) }
        Task {
            do {
                let gateway = try await start(epmdPort, threadCount)
                print("listening on \(gateway.addresses[0])")
                fflush(nil)
                await gateway.waitUntilEnded()
            } catch {
                note("\(error)")
            }
            exit(1)
        }
        // Keeps the main thread out of the way, so that it costs nothing.
        while true { pause() }
    }

    private static func start(_ epmdPort: UInt16, _ threadCount: Int) async throws -> ErlangGateway {
        let node = ErlangNodeName(stringLiteral: GatewaySite.backend)
        var configuration = ErlangGatewayConfiguration(
            endpoints: [.init(.host("127.0.0.1", port: 0))], backends: .group("bench"), nodes: [node])
        configuration.node.portMapper = .epmd(host: "127.0.0.1", port: epmdPort)
        let records = ErlangRecords(try SceneSchema.description())
        return try await ErlangGateway.start(
            "gateway@127.0.0.1", cookie: .text(ErlangCluster.cookie), protocol: GatewayProtocol(records),
            on: EventLoopGroup(threadCount: threadCount), configuration: configuration)
    }
}
