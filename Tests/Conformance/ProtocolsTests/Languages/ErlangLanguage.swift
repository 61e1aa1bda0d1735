// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import WirelineGenerator

extension Language {
    /// Erlang, for packets with layers: others have tests with terms of Erlang. Erlang/OTP has no brotli.
    static let erlang: Language = Language(
        name: "Erlang", directory: "Erlang", absence: ErlangInterpreter.isWanted ? nil : ErlangInterpreter.absence,
        hasPlainSamples: false,
        files: { description in
            // The module first.
            ErlangGenerator(description).files().sorted { $0.path.hasSuffix(".erl") && !$1.path.hasSuffix(".erl") }
        },
        adapter: { ErlangGenerator($0).adapter() }, programs: [.adapter],
        job: { _, sample in ProgramJob(ErlangInterpreter.path ?? "escript", [sample.adapter.path]) },
        peer: { name, samples in
            ProgramJob(ErlangInterpreter.path ?? "escript", [erlang.peerFile(name).path] + samples.map(\.module.path))
        },
        checks: [LanguageCheck("a part of a message sets no state", "parts.escript", ["Streams"])])
}
