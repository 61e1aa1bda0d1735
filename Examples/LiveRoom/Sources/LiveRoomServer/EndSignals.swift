@preconcurrency import Dispatch
import Foundation

/// Ctrl-C and SIGTERM as a sequence.
enum EndSignals {
    static func stream() -> AsyncStream<Void> {
        AsyncStream { continuation in
            let sources = [SIGINT, SIGTERM].map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { continuation.yield() }
                source.resume()
                return source
            }
            continuation.onTermination = { _ in
                for source in sources { source.cancel() }
            }
        }
    }
}
