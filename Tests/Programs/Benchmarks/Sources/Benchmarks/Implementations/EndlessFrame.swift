// SPDX-License-Identifier: Apache-2.0

internal import WirelineWebSocket

/// A frame that goes on for longer than any benchmark runs, as an engine of Wireline's reads it.
///
/// An engine is the smallest part that programs can have of what unmasks payloads and checks texts. It puts them into memory
/// of the program's; after a frame's header it adds next to nothing to that.
final class EndlessFrame {
    enum Kind: UInt8 {
        case text = 1
        case binary = 2
    }

    private var engine: WebSocketEngine

    /// - Parameters:
    ///   - kind: What the message is.
    ///   - sender: Whose frame it is.
    ///   - key: What it is masked with, where it is a client's.
    init(_ kind: Kind, of sender: WebSocketRole, key: [UInt8] = []) {
        var configuration = WebSocketEngine.Configuration()
        configuration.frameLimit = .max
        configuration.messageLimit = .max
        engine = WebSocketEngine(sender == .client ? .server : .client, configuration: configuration)
        let mask: UInt8 = sender == .client ? 0x80 : 0
        header = [0x80 | kind.rawValue, mask | 127] + (UInt64(1) << 62).bigEndianBytes + key
    }

    /// What stands in front of the payload, until it is read.
    private var header: [UInt8]

    /// Reads so much of the payload.
    ///
    /// - Parameter destination: As long as that.
    func read(_ payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) throws {
        if !header.isEmpty {
            var nothing = OutputRawSpan()
            let header = header
            _ = try engine.read(header.span.bytes, into: &nothing, at: .zero)
            self.header = []
        }
        var room = OutputRawSpan(buffer: destination, initializedCount: 0)
        let reading = try engine.read(payload.bytes, into: &room, at: .zero)
        guard reading.byteCount == payload.count, room.finalize(for: destination) == payload.count else {
            throw WrongResult(description: "read \(reading.byteCount) bytes of \(payload.count)")
        }
    }
}
