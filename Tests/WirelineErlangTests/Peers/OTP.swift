// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport

/// What a real Erlang says about terms.
enum OTP {
    /// How many random terms there are for each test and direction: 2,000, or `WIRELINE_ERLANG_TERMS`.
    static let termCount = ProcessInfo.processInfo.environment["WIRELINE_ERLANG_TERMS"].flatMap { Int($0) } ?? 2_000

    static let terms = ErlangScript(
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Erlang/terms.escript"))
}
