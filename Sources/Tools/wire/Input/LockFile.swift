// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// A released schema in one file, in canonical format, with a checksum in its first line.
struct LockFile {
    let bytes: [UInt8]

    private static let mark = ", written by `wire diff --write-lock`; not to be edited. CRC-32: "

    /// - Parameter files: The files of a schema without errors.
    init(of files: [SourceFile], protocol name: String) {
        let texts = files.compactMap { file in
            if case .formatted(let bytes) = file.formatted(), !bytes.isEmpty { bytes } else { [UInt8]?.none }
        }
        let body = Array(texts.joined(separator: [UInt8(ascii: "\n")]))
        // A name can contain a newline.
        let harmless = name.unicodeScalars.filter { $0.value >= 0x20 }
        let first =
            "// The protocol \(String(String.UnicodeScalarView(harmless)))\(Self.mark)\(Self.checksum(body[...]))\n\n"
        bytes = Array(first.utf8) + body
    }

    enum State: Equatable {
        /// The checksum matches the content.
        case whole
        case changed
        /// The first line is not that of a lock file.
        case none
    }

    static func state(of bytes: [UInt8]) -> State {
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let first = String(decoding: bytes[..<end], as: UTF8.self)
        guard let range = first.firstRange(of: mark) else { return .none }
        return first[range.upperBound...] == checksum(bytes.dropFirst(end + 2)) ? .whole : .changed
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
        let body = Array(bytes)
        let span = body.span
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let checksum = unsafe CRC32.checksum(of: span.bytes)
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
