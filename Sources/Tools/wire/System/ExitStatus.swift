// SPDX-License-Identifier: Apache-2.0

enum ExitStatus: Int32 {
    /// The work is done, and the answer is yes.
    case success = 0
    /// The work has failed, or the answer is no.
    case failure = 1
    /// The arguments are wrong. Nothing was done.
    case usage = 2
}
