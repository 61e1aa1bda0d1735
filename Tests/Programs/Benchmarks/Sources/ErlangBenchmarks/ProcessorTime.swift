// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The processor time of all threads of this program, in nanoseconds.
func processorNanoseconds() throws -> Double {
    let folder = "/proc/self/task"
    return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, thread in
        // A thread may have ended since.
        let text = try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)
        return sum + (text?.split(separator: " ").first.flatMap { Double($0) } ?? 0)
    }
}
