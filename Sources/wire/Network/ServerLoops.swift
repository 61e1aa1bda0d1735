// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The event loops of a server, as many as the command line asks for.
enum ServerLoops {
    /// Starts the loops.
    static func start(_ arguments: Arguments) throws(CommandError) -> EventLoopGroup {
        let count = try count(arguments[.threads])
        do throws(TransportError) {
            return try EventLoopGroup(threadCount: count)
        } catch {
            throw .failure("cannot start \(count) event loops: \(error)")
        }
    }

    /// How many loops a text asks for.
    private static func count(_ text: String?) throws(CommandError) -> Int {
        guard let text else { return 1 }
        // More than any machine has processors; each has a descriptor and a thread of its own.
        guard let count = Int(text), (1...1_024).contains(count) else {
            throw .failure("\(Option.threads.name) is a number from 1 to 1024; `\(text)` is not")
        }
        return count
    }
}

extension Option {
    /// How many loops serve.
    static let threads = Option("--threads", value: "N", "event loops, each on a thread of its own (default 1)")
}
