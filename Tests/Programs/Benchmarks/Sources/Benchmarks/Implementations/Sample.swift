// SPDX-License-Identifier: Apache-2.0

/// The values that every implementation encodes and decodes, and the packets they must become.
struct Sample {
    /// What the case's name ends in: the bytes of ``text``.
    let textByteCount: Int
    let text: String

    static let sceneID: UInt8 = 7
    static let line: UInt32 = 70_000
    static let result: UInt8 = 1
    static let serverSceneID: UInt32 = 123_456
    static let position: UInt8 = 3
    static let status: UInt8 = 4
    static let type: UInt8 = 5
    static let defaultCombat: UInt32 = 987_654_321

    /// All texts are ASCII; 12 bytes is below, 16 above what a Swift string holds without an allocation.
    static let all = [12, 16, 1024].map(Sample.init)

    init(textByteCount: Int) {
        self.textByteCount = textByteCount
        // Not a literal: those are never allocated and never freed.
        text = String(decoding: (0..<textByteCount).map { UInt8(ascii: "A") + UInt8($0 % 58) }, as: UTF8.self)
    }

    /// `Cs_20001` put together byte by byte.
    var clientPacket: [UInt8] {
        packet(of: [Self.sceneID] + Self.line.bigEndianBytes)
    }

    /// `Sc_20001` put together byte by byte.
    var serverPacket: [UInt8] {
        let place = [Self.result] + Self.serverSceneID.bigEndianBytes
        return packet(of: place + [Self.position, Self.status, Self.type] + Self.defaultCombat.bigEndianBytes)
    }

    private func packet(of fields: [UInt8]) -> [UInt8] {
        let payload = fields + UInt16(textByteCount).bigEndianBytes + Array(text.utf8)
        return UInt32(payload.count + 6).bigEndianBytes + UInt16(20_001).bigEndianBytes + payload
    }
}

extension FixedWidthInteger {
    /// The bytes in network order.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}

/// Which of the two messages a case is about, with the names of its cases.
enum SceneMessage: String {
    case client = "cs"
    case server = "sc"

    func encoding(_ sample: Sample) -> String { "\(rawValue)_enc_\(sample.textByteCount)" }
    func decoding(_ sample: Sample) -> String { "\(rawValue)_dec_\(sample.textByteCount)" }

    func packet(_ sample: Sample) -> [UInt8] {
        self == .client ? sample.clientPacket : sample.serverPacket
    }
}

/// A buffer that encoders write into again and again, as a connection does; it is never freed.
let outputBuffer = OutputBuffer()

struct OutputBuffer: @unchecked Sendable {
    // Benchmarks run one after another, on the main thread.
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 64)

    func prefix(_ count: Int) -> [UInt8] { Array(bytes.prefix(count)) }
}
