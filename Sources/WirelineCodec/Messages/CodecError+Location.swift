// SPDX-License-Identifier: Apache-2.0

extension CodecError {
    /// The same error, placed in a field of a message or structure.
    ///
    /// Generated code keeps the index of the field at hand in a variable, which costs nothing while all goes well, and
    /// calls this when something went wrong. Where a run of fields was cut off, the field that the cut goes through is
    /// looked for here.
    ///
    /// - Parameters:
    ///   - name: The message's name; empty for a structure, whose place is told by what contains it.
    ///   - fields: The names of all fields and the bytes that each takes in a run: `"SceneId 1 Line 4 message 2"`.
    ///   - index: Which field was at hand, from 0.
    ///   - item: Which item of a list was at hand, from 0; negative where none was.
    @inline(never)
    public func located(in name: StaticString, fields: StaticString, at index: Int, item: Int = -1) -> CodecError {
        let words = String(describing: fields).split(separator: " ")
        let table = stride(from: 0, to: words.count - 1, by: 2).map { (String(words[$0]), Int(words[$0 + 1]) ?? 0) }
        guard table.indices.contains(index) else { return prefixed(by: String(describing: name)) }
        var (error, field) = (self, index)
        // What stands in a list is no part of the run that ended with the list's count.
        if item < 0, isOfRun, case .truncated(_, var available) = reason, var offset {
            while field < table.count - 1, available >= table[field].1 {
                available -= table[field].1
                offset += table[field].1
                field += 1
            }
            error = CodecError(.truncated(needed: table[field].1, available: available), offset: offset)
        }
        error = error.prefixed(by: item < 0 ? table[field].0 : "\(table[field].0)[\(item)]")
        return name.utf8CodeUnitCount == 0 ? error : error.prefixed(by: String(describing: name))
    }
}
