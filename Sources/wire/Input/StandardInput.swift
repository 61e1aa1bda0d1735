// SPDX-License-Identifier: Apache-2.0

/// Bytes from standard input.
enum StandardInput {
    private static let pieceByteCount = 1 << 16
    /// A text that is held whole: far more than the JSON of the largest packet that makes sense.
    private static let maximumTextByteCount = 1 << 30

    /// Hands over all bytes as they come, in pieces of at most 64 KiB; what was printed is written before each wait.
    static func forEachPiece(
        _ console: Console, _ receiver: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        while true {
            let piece: [UInt8]
            try console.flush()
            do throws(SystemError) {
                piece = try System.read(System.Descriptor.standardInput, limit: pieceByteCount)
            } catch {
                throw failure(error)
            }
            guard !piece.isEmpty else { return }
            try receiver(piece)
        }
    }

    /// The text of an argument; all of standard input where there is none, or a dash.
    static func text(unlessGiven argument: String?) throws(CommandError) -> [UInt8] {
        guard let argument, argument != "-" else { return try text() }
        return Array(argument.utf8)
    }

    /// All of it.
    private static func text() throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            return try System.contents(of: System.Descriptor.standardInput, limit: maximumTextByteCount)
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: SystemError) -> CommandError {
        .failure("cannot read standard input: \(error.reason)")
    }
}
