// SPDX-License-Identifier: Apache-2.0

extension Set<String> {
    /// Inserts a name, with a number if the set already contains it, and returns the result.
    package mutating func insertUnique(_ wanted: String) -> String {
        var numbers: [String: Int] = [:]
        return insertUnique(wanted, numbers: &numbers)
    }

    /// Inserts one of many names, with a number if the set already contains it, and returns the result.
    ///
    /// - Parameter numbers: The next number for each name. Without it, many equal names would take quadratic time.
    package mutating func insertUnique(_ wanted: String, numbers: inout [String: Int]) -> String {
        var result = wanted
        var number = numbers[wanted] ?? 2
        while !insert(result).inserted {
            result = "\(wanted)_\(number)"
            number += 1
        }
        numbers[wanted] = number
        return result
    }
}
