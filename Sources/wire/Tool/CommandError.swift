// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// Why a command ended without what was asked of it.
enum CommandError: Error, Equatable {
    /// The call was wrong: an unknown or missing word. Exit status 2.
    case usage(String, hint: String? = nil)
    /// The work failed. Exit status 1.
    case failure(String, hint: String? = nil)
    /// The answer is no, and what there is to say has been said. Exit status 1.
    case answerIsNo
    /// Nobody reads the output any more. The rest is left out quietly, exit status 0.
    case outputIsClosed
}

/// `did you mean …?`, where one of the candidates is near.
func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
    var spelling = Spelling()
    return spelling.suggestion(for: word, among: candidates).map { "did you mean `\($0)`?" }
}
