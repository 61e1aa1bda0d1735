// SPDX-License-Identifier: Apache-2.0

extension TypeDescription {
    /// How a value of variable length ends; nil for other types.
    package var extent: Extent? {
        switch self {
        case .string(let extent), .bytes(let extent), .list(_, let extent): extent
        default: nil
        }
    }

    /// Whether it is text or digits in a fixed number of bytes.
    package var isFixedText: Bool {
        switch self {
        case .string(.fixed), .digits: true
        default: false
        }
    }

    /// Whether the value extends to the end of its bytes.
    package var goesToEnd: Bool { self.extent == .rest || self.isProperties }

    private var isProperties: Bool { if case .properties = self { true } else { false } }
}
