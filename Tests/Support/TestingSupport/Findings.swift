// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The findings of a program that checks others.
public final class Findings: @unchecked Sendable {
    // The lock for `@unchecked Sendable`.
    private let lock = NSLock()
    private var failureCount = 0

    public init() {}

    /// Prints a finding. If it is wrong, the program will end with a failure.
    public func check(_ isRight: Bool, _ text: String) {
        lock.withLock {
            print(isRight ? "   \(text)" : "!! \(text)")
            flush()
            if !isRight { failureCount += 1 }
        }
    }

    /// The same for a list of complaints, which should be empty.
    public func check(_ complaints: [String], _ text: String) {
        check(complaints.isEmpty, complaints.isEmpty ? text : "\(text): \(complaints.joined(separator: "; "))")
    }

    /// Ends the program if something was wrong.
    public func finish() {
        let count = lock.withLock { failureCount }
        if count > 0 { fail("\(count) things are not as they should be", code: 1) }
    }
}

/// Ends the program.
public func fail(_ text: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(code)
}

/// Flushes what has been printed.
public func flush() { fflush(nil) }
