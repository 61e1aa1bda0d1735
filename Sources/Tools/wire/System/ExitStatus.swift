// SPDX-License-Identifier: Apache-2.0

/// The exit status of the process.
enum ExitStatus: Int32 {
    /// The answer is yes, or the work is done.
    case success = 0
    /// The answer is no, or the work failed.
    case failure = 1
    /// The arguments were wrong; nothing was done.
    case usage = 2
}
