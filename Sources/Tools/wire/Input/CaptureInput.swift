// SPDX-License-Identifier: Apache-2.0

enum CaptureInput {
    private static let pieceByteCount = 1 << 16

    /// Passes on all bytes of a file in pieces of at most 64 KiB. A dash means standard input.
    static func forEachPiece(
        of path: String, _ console: Console, _ receiver: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        if path == "-" { return try StandardInput.forEachPiece(console, receiver) }
        let descriptor: Int32
        do throws(SystemError) {
            descriptor = try System.openForReading(path)
        } catch {
            throw failure(path, error)
        }
        defer { System.close(descriptor) }
        var isFirst = true
        while true {
            let piece: [UInt8]
            do throws(SystemError) {
                piece = try System.read(descriptor, limit: pieceByteCount)
            } catch {
                throw failure(path, error)
            }
            guard !piece.isEmpty else { return }
            if isFirst, piece.starts(with: [0x1F, 0x8B]) {
                throw .failure("\(path) is compressed", hint: "gzip -dc \(path) | \(Tool.name) decode")
            }
            isFirst = false
            try receiver(piece)
        }
    }

    private static func failure(_ path: String, _ error: SystemError) -> CommandError {
        .failure("cannot read \(path): \(error.reason)")
    }
}
