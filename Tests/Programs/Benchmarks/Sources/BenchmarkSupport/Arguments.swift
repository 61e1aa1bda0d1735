// SPDX-License-Identifier: Apache-2.0

/// The command line makes no sense.
package struct BadUsage: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) {
        self.description = description
    }
}

/// What stands on a command line, from left to right.
package struct Arguments {
    private var rest: ArraySlice<String>
    private var option = ""

    package init(_ arguments: some Sequence<String>) {
        rest = ArraySlice(arguments)
    }

    /// The next argument; nil at the end.
    package mutating func next() -> String? {
        option = rest.popFirst() ?? ""
        return option.isEmpty ? nil : option
    }

    /// What stands after the option that ``next()`` has returned.
    package mutating func value() throws(BadUsage) -> String {
        guard let value = rest.popFirst() else { throw BadUsage(description: "`\(option)` needs a value") }
        return value
    }

    /// The same, a number.
    package mutating func number(from least: Int) throws(BadUsage) -> Int {
        let text = try value()
        guard let number = Int(text), number >= least, number < 1 << 40 else {
            throw BadUsage(description: "`\(option) \(text)` is not a number from \(least) on")
        }
        return number
    }
}
