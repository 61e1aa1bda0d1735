// SPDX-License-Identifier: Apache-2.0

internal import CNetwork
internal import Foundation

/// The servers that are part of this program. Each runs in a process of its own.
enum OwnServer: String, CaseIterable {
    case epoll = "c-epoll"
    case asyncWireline = "wireline-async"
    case batchWireline = "wireline-batch"
    case tunedNIO = "nio-tuned"
    case documentedNIO = "nio"
    case asyncNIO = "nio-async"
    case changingByte = "c-epoll-changes-byte"
    case droppingPacket = "c-epoll-drops-packet"
    case repeatingPacket = "c-epoll-repeats-packet"

    /// What the load has to find; they are no rows.
    static let faulty: [OwnServer] = [.changingByte, .droppingPacket, .repeatingPacket]

    /// Serves until the process is ended.
    func run() throws {
        signal(SIGTERM) { _ in _exit(0) }
        switch self {
        case .epoll: _ = network_serve_epoll(network_no_fault)
        case .asyncWireline: runUntilEnded { try await serveWithWireline() }
        case .batchWireline: runUntilEnded { try await serveWithBatchesOfWireline() }
        case .tunedNIO: try serveWithTunedNIO()
        case .documentedNIO: try serveWithDocumentedNIO()
        case .changingByte: _ = network_serve_epoll(network_changes_byte)
        case .droppingPacket: _ = network_serve_epoll(network_drops_packet)
        case .repeatingPacket: _ = network_serve_epoll(network_repeats_packet)
        case .asyncNIO: runUntilEnded { try await serveWithAsyncNIO() }
        }
    }
}

/// Keeps the main thread out of the way, so that it costs nothing.
private func runUntilEnded(_ server: @escaping @Sendable () async throws -> Void) -> Never {
    Task {
        do {
            try await server()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
        }
        exit(1)
    }
    while true { pause() }
}

/// Says what every server has to say when it can be reached.
func announceListening(port: Int) {
    print("listening on 127.0.0.1:\(port)")
    fflush(nil)
}
