// SPDX-License-Identifier: Apache-2.0

/// The reason why a command ended without its result.
enum CommandError: Error, Equatable {
    /// The arguments are wrong, for example an unknown or missing word. The exit status is 2.
    case usage(String, hint: String? = nil)
    /// The work has failed. The exit status is 1.
    case failure(String, hint: String? = nil)
    /// The answer is no, and the reasons have been printed. The exit status is 1.
    case answerIsNo
    /// Nobody reads the output any more. The rest of it is dropped silently. The exit status is 0.
    case outputIsClosed
}
