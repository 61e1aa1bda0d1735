// SPDX-License-Identifier: Apache-2.0

/// The checks that an implementation is known to fail. Each line has a name as in reports; `#` begins a comment.
struct ExpectedFailures {
    let names: Set<String>

    static let none = ExpectedFailures([])

    private init(_ names: Set<String>) {
        self.names = names
    }

    init(file path: String) throws(CommandError) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try System.contents(ofFile: path, limit: 64 << 20)
        } catch {
            throw .failure("cannot read \(path): \(error.reason)")
        }
        var names: Set<String> = []
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            var text = line
            // A name can contain `#`, so a comment begins only at the start of a line or after a space.
            if line.first == "#" { text = "" }
            if let comment = text.firstRange(of: " #") { text = text[..<comment.lowerBound] }
            let name = String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
            guard !name.isEmpty, !name.hasPrefix("#") else { continue }
            guard names.insert(name).inserted else { throw .failure("\(path): \(name) stands twice") }
        }
        self.names = names
    }
}
