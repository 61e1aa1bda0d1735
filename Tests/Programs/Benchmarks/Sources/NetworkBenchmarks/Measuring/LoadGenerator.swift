// SPDX-License-Identifier: Apache-2.0

internal import CNetwork

/// How a stream is cut on its way to the server.
enum Delivery: String, CaseIterable {
    case singleBytes = "one byte a call"
    case randomCuts = "random cuts"
    case bursts = "bursts of 1 MiB"
    case longPackets = "packets of 64 KiB to 3 MiB"

    fileprivate var value: network_delivery {
        switch self {
        case .singleBytes: network_single_bytes
        case .randomCuts: network_random_cuts
        case .bursts: network_bursts
        case .longPackets: network_long_packets
        }
    }
}

/// Puts every server under the same load.
struct LoadGenerator {
    private static let payloadByteCount = 17
    private static let longPayloadByteCount = 16 << 10
    private let seconds: Double
    private let idleConnections: Int
    private let seed: UInt64
    private let serverProcessor: Int32

    /// Which processors are used.
    let processors: String

    init(seconds: Double, idleConnections: Int, seed: UInt64) {
        self.seconds = seconds
        self.idleConnections = idleConnections
        self.seed = seed
        var server: Int32 = -1
        var load: Int32 = -1
        let areTwo = network_processors(&server, &load)
        network_stay_on(load)
        serverProcessor = server
        processors = areTwo ? "Server and load on a processor each." : "Server and load share one processor."
    }

    /// Throws unless a server sends every byte back, however the stream is cut, and then in all scenarios.
    func verify(_ server: Server, in scenarios: [Scenario]) throws {
        for usesTLS in server.usesTLS ? [false, true] : [false] {
            try server.running(on: serverProcessor, usesTLS: usesTLS) { process in
                for delivery in Delivery.allCases {
                    let figures = network_deliver(process, delivery.value, seed)
                    try checked(figures, server, "\(delivery.rawValue), seed \(seed)")
                }
                for scenario in scenarios where scenario.usesTLS == usesTLS && server.measures(scenario) {
                    _ = try figures(of: scenario, on: server, process)
                }
            }
        }
    }

    /// Throws unless every load finds what the servers do wrong.
    func findFaults(_ identity: ServerIdentity?) throws {
        // Some of them lose packets, and the load waits for these in vain.
        network_wait_at_most(1)
        defer { network_wait_at_most(120) }
        for own in OwnServer.faulty {
            let server = Server(own, identity)
            for delivery in Delivery.allCases {
                let figures = try server.running(on: serverProcessor) { network_deliver($0, delivery.value, seed) }
                try requireFailure(figures, server, delivery.rawValue)
            }
            // One packet at a time: nobody would send after the one that is missing, and that takes long to find.
            let scenarios =
                own.changesByte ? Scenario.allCases : [own.speaksWebSocket ? .webSocketShort : .pipelined]
            for scenario in scenarios where server.measures(scenario) {
                // What it does wrong comes after its first replies: on a busy machine that may take longer than usual.
                var figures = network_figures()
                for factor in [1.0, 10, 100] where figures.failure.isEmpty {
                    figures = try server.running(on: serverProcessor, usesTLS: scenario.usesTLS) {
                        load(scenario, $0, for: factor * seconds)
                    }
                }
                try requireFailure(figures, server, scenario.rawValue)
            }
        }
    }

    private func requireFailure(_ figures: network_figures, _ server: Server, _ load: String) throws {
        guard figures.failure.isEmpty else { return }
        throw WrongReply(description: "\(server.name), \(load): the load does not find what is wrong")
    }

    /// Measures once, in a new process. Throws unless every reply is right.
    func figures(of scenario: Scenario, on server: Server) throws -> network_figures {
        try server.running(on: serverProcessor, usesTLS: scenario.usesTLS) {
            try figures(of: scenario, on: server, $0)
        }
    }

    private func figures(
        of scenario: Scenario, on server: Server, _ process: UnsafePointer<network_server>
    ) throws -> network_figures {
        try checked(load(scenario, process, for: seconds), server, scenario.rawValue)
    }

    private func load(
        _ scenario: Scenario, _ process: UnsafePointer<network_server>, for seconds: Double
    ) -> network_figures {
        let payload = Self.payloadByteCount
        return switch scenario {
        case .pipelined, .sealedPipelined: network_echo(process, 1, 1024, payload, seconds)
        case .connections, .sealedConnections: network_echo(process, 64, 16, payload, seconds)
        case .sealedLong: network_echo(process, 4, 8, Self.longPayloadByteCount, seconds)
        case .pingPong: network_echo(process, 1, 1, payload, seconds)
        case .ingest: network_ingest(process, payload, seconds)
        case .idle: network_idle(process, Int32(idleConnections))
        case .sealedIdle: network_idle(process, Int32(min(1000, idleConnections)))
        case .sealedHandshakes: network_handshakes(process, false, seconds)
        case .sealedResumptions: network_handshakes(process, true, seconds)
        case .webSocketShort: network_echo(process, 1, 1024, 64, seconds)
        case .webSocketMedium: network_echo(process, 1, 128, 1 << 10, seconds)
        case .webSocketLong: network_echo(process, 1, 8, 64 << 10, seconds)
        case .webSocketsShort: network_echo(process, 64, 16, 64, seconds)
        case .webSocketsMedium: network_echo(process, 64, 16, 1 << 10, seconds)
        case .webSocketsLong: network_echo(process, 64, 2, 64 << 10, seconds)
        }
    }

    @discardableResult
    private func checked(_ figures: network_figures, _ server: Server, _ load: String) throws -> network_figures {
        guard figures.failure.isEmpty else { throw figures.failure.error(of: "\(server.name), \(load)") }
        return figures
    }
}

/// A server has not done what all have to do.
struct WrongReply: Error, CustomStringConvertible {
    var description: String
}

extension network_failure {
    var isEmpty: Bool { text.0 == 0 }

    var message: String { withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } }

    func error(of subject: String) -> WrongReply {
        WrongReply(description: "\(subject): \(message)")
    }
}
