// SPDX-License-Identifier: Apache-2.0

import Testing

/// A schema with something wrong in it, and everything that must be reported about it.
struct Refusal: CustomTestStringConvertible, Sendable {
    let title: String
    let source: String
    let report: String

    init(_ title: String, _ source: String, _ report: String) {
        self.title = title
        self.source = source
        self.report = report
    }

    var testDescription: String { title }
}
