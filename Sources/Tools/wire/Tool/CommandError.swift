// SPDX-License-Identifier: Apache-2.0

/// The reason why a command ended without its result.
enum CommandError: Error, Equatable {
    /// The arguments were wrong: an unknown or missing word. Exit status 2.
    case usage(String, hint: String? = nil)
    /// The work failed. Exit status 1.
    case failure(String, hint: String? = nil)
    /// The answer is no, and everything has been printed. Exit status 1.
    case answerIsNo
    /// The output has no reader any more. The rest is dropped silently. Exit status 0.
    case outputIsClosed
}
