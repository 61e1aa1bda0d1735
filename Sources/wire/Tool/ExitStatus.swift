// SPDX-License-Identifier: Apache-2.0

/// What the process ends with.
enum ExitStatus: Int32 {
    /// Yes, or done.
    case success = 0
    /// The answer is no, or the work failed.
    case failure = 1
    /// The call was wrong: nothing was tried.
    case usage = 2
}
