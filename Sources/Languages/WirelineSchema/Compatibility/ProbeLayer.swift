// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers

/// A made-up transform in place of a program's: it writes a mark, then the content XOR the mark.
///
/// So a packet shows whether both versions have the same transforms in the same order.
struct ProbeLayer: PacketLayer {
    let mark: UInt8

    mutating func open(_ sealed: RawSpan, _ header: PacketHeader, limit: Int) throws(CodecError) -> [UInt8] {
        let bytes = [UInt8](copying: sealed)
        guard bytes.first == mark else { throw CodecError(.invalidLayer(.damaged)) }
        guard bytes.count - 1 <= limit else { throw CodecError(.inflatedTooLong(limit: limit)) }
        return bytes.dropFirst().map { $0 ^ mark }
    }

    mutating func seal(_ content: RawSpan, _ header: PacketHeader) throws(CodecError) -> [UInt8] {
        [mark] + [UInt8](copying: content).map { $0 ^ mark }
    }
}

extension LayerKind {
    /// The names that a program uses: those of keys, or of its own transform.
    var programNames: [String] { if case .custom(let name) = self { [name] } else { keyNames } }

    /// The text of the `layer` line.
    var text: String { "layer " + word + (arguments.isEmpty ? "" : "(" + arguments.joined(separator: ", ") + ")") }

    /// Returns the same layer with other names.
    ///
    /// - Parameters:
    ///   - key: Returns another name for a key or a transform.
    ///   - field: Returns another name for a header field.
    func renamed(key: (String) -> String, field: (String) -> String) -> LayerKind {
        func renamed(_ vector: Vector) -> Vector {
            switch vector {
            case .key(let name): .key(key(name))
            case .field(let name): .field(field(name))
            }
        }
        switch self {
        case .zlib, .deflate, .gzip, .brotli: return self
        case .xor(let name): return .xor(key: key(name))
        case .rc4(let name): return .rc4(key: key(name))
        case .custom(let name): return .custom(key(name))
        case .aesCTR(let name, let vector): return .aesCTR(key: key(name), vector: renamed(vector))
        case .aesCBC(let name, let vector): return .aesCBC(key: key(name), vector: renamed(vector))
        }
    }
}
