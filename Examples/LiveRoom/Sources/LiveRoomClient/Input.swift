import Foundation

/// The lines of standard input.
enum Input {
    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            // Reading blocks, so it has a thread of its own.
            Thread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }.start()
        }
    }
}
