// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

enum ServerLoops {
    static func start(_ count: Int) throws(CommandError) -> EventLoopGroup {
        do throws(TransportError) {
            return try EventLoopGroup(threadCount: count)
        } catch {
            throw .failure("cannot start \(count) event loops: \(error)")
        }
    }

    static func count(_ arguments: Arguments) throws(CommandError) -> Int {
        guard let text = arguments[.threads] else { return 1 }
        // The limit is above the processors of any machine. Each loop uses a thread and a descriptor.
        return Int(try WholeNumber.value(of: text, in: 1...1_024, of: .threads))
    }
}

extension Option {
    static let threads = Option(
        "--threads", value: "N", "how many event loops to run, each on its own thread (default 1)")
}
