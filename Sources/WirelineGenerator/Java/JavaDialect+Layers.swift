// SPDX-License-Identifier: Apache-2.0

/// What Java has for layers.
extension JavaDialect {
    var runtime: RuntimeFile { JavaRuntime.file(for: plan) }

    func respelled(_ text: String) -> String {
        let words = [("internal static readonly ", "static final "), ("‹", ""), ("›", "")]
        return words.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
