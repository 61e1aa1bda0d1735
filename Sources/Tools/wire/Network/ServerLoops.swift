// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The event loops of a server, in the number that the command line asks for.
enum ServerLoops {
    /// Starts the loops.
    static func start(_ count: Int) throws(CommandError) -> EventLoopGroup {
        do throws(TransportError) {
            return try EventLoopGroup(threadCount: count)
        } catch {
            throw .failure("cannot start \(count) event loops: \(error)")
        }
    }

    /// Returns the number of loops.
    static func count(_ arguments: Arguments) throws(CommandError) -> Int {
        guard let text = arguments[.threads] else { return 1 }
        // More than any machine has processors; each loop has its own descriptor and thread.
        return Int(try WholeNumber.value(of: text, in: 1...1_024, of: .threads))
    }
}

extension Option {
    /// The number of event loops.
    static let threads = Option(
        "--threads", value: "N", "how many event loops to run, each on its own thread (default 1)")
}
