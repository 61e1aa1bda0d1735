// SPDX-License-Identifier: Apache-2.0

/// One implementation of one case: what becomes a cell of a table.
struct Benchmark {
    /// What is done, such as `cs_enc_16`.
    let caseName: String
    /// Who does it, such as `wireline`.
    let implementation: String
    /// The bytes that one iteration goes through; 0 where an iteration is one message.
    var byteCount = 0
    /// The packets in one iteration; 0 where there are only bytes.
    var packetCount = 1
    /// Throws unless the implementation makes the right bytes or values.
    let check: () throws -> Void
    /// Does it so many times.
    let repeats: (Int) throws -> Void

    /// Whether an iteration goes through bytes that are no packets.
    var isOfBytes: Bool { packetCount == 0 }
    /// Whether an iteration splits a stream.
    var isOfStream: Bool { byteCount > 0 && !isOfBytes }

    /// How a single benchmark is asked for.
    var fullName: String { "\(caseName)/\(implementation)" }

    /// - Parameter selection: Part of a name, or exactly one `case/implementation`.
    func matches(_ selection: String) -> Bool {
        selection.contains("/") ? fullName == selection : fullName.contains(selection)
    }
}

/// An implementation did something else than it was measured for.
struct WrongResult: Error, CustomStringConvertible {
    var description: String

    /// Throws unless both are equal.
    static func unlessEqual<T: Equatable>(_ result: T, _ expected: T) throws {
        guard result == expected else {
            throw WrongResult(description: "made \(result), expected \(expected)")
        }
    }
}
