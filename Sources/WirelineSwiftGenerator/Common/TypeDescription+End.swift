// SPDX-License-Identifier: Apache-2.0

package import WirelineLanguage

extension TypeDescription {
    /// Whether the value extends to the end of its bytes.
    package var goesToEnd: Bool {
        switch self {
        case .string(.rest), .bytes(.rest), .list(_, .rest), .properties: true
        default: false
        }
    }
}
