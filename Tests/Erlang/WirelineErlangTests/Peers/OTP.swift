// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport

/// What a real Erlang says about terms.
enum OTP {
    /// How many random terms there are for each test and direction.
    static let termCount = Depth.rounds(100)

    static let terms = ErlangScript(
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Erlang/terms.escript"))
}
