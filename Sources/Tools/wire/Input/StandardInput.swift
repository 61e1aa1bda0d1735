// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

enum StandardInput {
    private static let pieceByteCount = 1 << 16
    /// The largest text in memory, 256 MiB. The JSON of a packet of 16 MiB is smaller.
    static let maximumTextByteCount = 256 << 20

    /// Passes on all bytes as they arrive, in pieces of at most 64 KiB. Flushes standard output before each wait.
    static func forEachPiece(
        _ console: Console, _ receiver: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        while true {
            try console.flush()
            let piece = try piece()
            guard !piece.isEmpty else { return }
            try receiver(piece)
        }
    }

    /// Returns the next bytes, at most 64 KiB; empty at the end.
    static func piece() throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            return try System.read(System.Descriptor.standardInput, limit: pieceByteCount)
        } catch {
            throw failure(error)
        }
    }

    /// Whether a read would return at once, with bytes or the end.
    static var hasArrived: Bool { System.isReadable(System.Descriptor.standardInput, within: 0) }

    /// Waits for bytes or for the end.
    static func waitForArrival() async {
        await withCheckedContinuation { continuation in
            do throws(TransportError) {
                try BlockingCalls.shared.run {
                    _ = System.isReadable(System.Descriptor.standardInput)
                    continuation.resume()
                }
            } catch {
                // No thread could start, so the caller waits in its next read.
                continuation.resume()
            }
        }
    }

    /// Returns the argument as bytes. If it is nil or a dash, returns all of standard input.
    static func text(unlessGiven argument: String?) throws(CommandError) -> [UInt8] {
        guard let argument, argument != "-" else { return try text() }
        return Array(argument.utf8)
    }

    private static func text() throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            return try System.contents(of: System.Descriptor.standardInput, limit: maximumTextByteCount)
        } catch {
            if error.isTooLarge {
                throw .failure("standard input has more than \(maximumTextByteCount) bytes, too many for one message")
            }
            throw failure(error)
        }
    }

    private static func failure(_ error: SystemError) -> CommandError {
        .failure("cannot read standard input: \(error.reason)")
    }
}
