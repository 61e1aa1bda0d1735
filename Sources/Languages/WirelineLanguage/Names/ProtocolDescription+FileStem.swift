// SPDX-License-Identifier: Apache-2.0

extension ProtocolDescription {
    /// The protocol's name for file names, in small letters with `_` between words: `scene`.
    package var fileStem: String {
        let words = NameWords.words(of: name).map { $0.lowercased() }
        let stem = words.isEmpty ? "wire" : words.joined(separator: "_")
        return (stem.first?.isNumber == true ? "wire_" : "") + stem
    }
}
