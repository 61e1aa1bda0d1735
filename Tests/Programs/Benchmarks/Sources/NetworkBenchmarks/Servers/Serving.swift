// SPDX-License-Identifier: Apache-2.0

internal import CNetwork
internal import Foundation

/// The servers that are part of this program. Each runs in a process of its own.
enum OwnServer: String, CaseIterable {
    case epoll = "c-epoll"
    case asyncWireline = "wireline-async"
    case documentedWireline = "wireline"
    case handlersWireline = "wireline-handlers"
    case repliesWireline = "wireline-replies"
    case roomWireline = "wireline-handlers-room"
    case packetWireline = "wireline-async-packets"
    case batchWireline = "wireline-batch"
    case tunedNIO = "nio-tuned"
    case documentedNIO = "nio"
    case asyncNIO = "nio-async"
    case webSocketEpoll = "c-epoll-websocket"
    case webSocketWireline = "wireline-websocket"
    case webSocketNIO = "nio-websocket"
    case changingByte = "c-epoll-changes-byte"
    case droppingPacket = "c-epoll-drops-packet"
    case repeatingPacket = "c-epoll-repeats-packet"
    case changingWebSocketByte = "c-epoll-websocket-changes-byte"
    case droppingMessage = "c-epoll-websocket-drops-packet"
    case repeatingMessage = "c-epoll-websocket-repeats-packet"

    /// What the load has to find; they are no rows.
    static let faulty: [OwnServer] = [
        .changingByte, .droppingPacket, .repeatingPacket, .changingWebSocketByte, .droppingMessage, .repeatingMessage,
    ]

    /// Whether it loses and changes nothing but bytes, which every load has to find.
    var changesByte: Bool { self == .changingByte || self == .changingWebSocketByte }

    var speaksWebSocket: Bool {
        switch self {
        case .webSocketEpoll, .webSocketWireline, .webSocketNIO: true
        case .changingWebSocketByte, .droppingMessage, .repeatingMessage: true
        case .epoll, .asyncWireline, .documentedWireline, .handlersWireline, .repliesWireline, .roomWireline,
            .packetWireline, .batchWireline, .tunedNIO, .documentedNIO, .asyncNIO:
            false
        case .changingByte, .droppingPacket, .repeatingPacket: false
        }
    }

    /// Whether it can show a certificate.
    var speaksTLS: Bool {
        switch self {
        case .tunedNIO, .documentedNIO, .asyncNIO: Self.nioSpeaksTLS
        case .epoll, .asyncWireline, .documentedWireline, .handlersWireline, .repliesWireline, .roomWireline,
            .packetWireline, .batchWireline:
            true
        case .changingByte, .droppingPacket, .repeatingPacket: true
        case .webSocketEpoll, .webSocketWireline, .webSocketNIO: false
        case .changingWebSocketByte, .droppingMessage, .repeatingMessage: false
        }
    }

    /// Serves until the process is ended.
    ///
    /// - Parameter identity: The certificate that it shows, with TLS; without, there is none.
    func run(_ identity: ServerIdentity?) throws {
        signal(SIGTERM) { _ in _exit(0) }
        switch self {
        case .epoll: serveInC(network_no_fault, identity)
        case .asyncWireline: runUntilEnded { try await serveWithWireline(try identity?.wirelineContext) }
        case .documentedWireline: runUntilEnded { try await serveWithMessagesOfWireline(try identity?.wirelineContext) }
        case .handlersWireline: runUntilEnded { try await serveWithHandlersOfWireline(try identity?.wirelineContext) }
        case .repliesWireline: runUntilEnded { try await serveWithRepliesOfWireline(try identity?.wirelineContext) }
        case .roomWireline: runUntilEnded { try await serveWithRoomOfWireline(try identity?.wirelineContext) }
        case .packetWireline: runUntilEnded { try await serveWithPacketsOfWireline(try identity?.wirelineContext) }
        case .batchWireline: runUntilEnded { try await serveWithBatchesOfWireline(try identity?.wirelineContext) }
        case .tunedNIO: try serveWithTunedNIO(try identity?.nioContext)
        case .documentedNIO: try serveWithDocumentedNIO(try identity?.nioContext)
        case .changingByte: serveInC(network_changes_byte, identity)
        case .droppingPacket: serveInC(network_drops_packet, identity)
        case .repeatingPacket: serveInC(network_repeats_packet, identity)
        case .asyncNIO: runUntilEnded { try await serveWithAsyncNIO(try identity?.nioContext) }
        case .webSocketEpoll: exit(network_serve_websocket(network_no_fault))
        case .webSocketWireline: runUntilEnded { try await serveWebSocketsWithWireline() }
        case .webSocketNIO: try serveWebSocketsWithNIO()
        case .changingWebSocketByte: exit(network_serve_websocket(network_changes_byte))
        case .droppingMessage: exit(network_serve_websocket(network_drops_packet))
        case .repeatingMessage: exit(network_serve_websocket(network_repeats_packet))
        }
    }
}

private func serveInC(_ fault: network_fault, _ identity: ServerIdentity?) {
    exit(network_serve_epoll(fault, identity?.certificate, identity?.key))
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
