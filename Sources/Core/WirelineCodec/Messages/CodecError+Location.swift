// SPDX-License-Identifier: Apache-2.0

extension CodecError {
    /// Throws the same error with the name of its field, and the message, in its path: what
    /// ``located(in:fields:at:item:)`` returns.
    ///
    /// Generated code calls this: a call that throws takes fewer instructions than one that returns an error to throw.
    ///
    /// - Parameters:
    ///   - name: The message's name; empty for a structure.
    ///   - fields: The names of all fields and the bytes that each takes in a run.
    ///   - index: The index of the current field, from 0.
    ///   - item: The index of the current item of a list, from 0; negative if there is none.
    /// - Throws: Always.
    @inline(never)
    public func throwLocated(
        in name: StaticString, fields: StaticString, at index: Int, item: Int = -1
    ) throws(CodecError) -> Never {
        throw located(in: name, fields: fields, at: index, item: item)
    }

    /// Returns the same error with the name of its field, and the message, in its path.
    ///
    /// Generated code keeps the index of the current field in a variable, which costs nothing as long as no error
    /// occurs. After an error, this adds its name. If a run of fields was cut off, this finds the field that is cut.
    ///
    /// - Parameters:
    ///   - name: The message's name; empty for a structure, because the message that contains it adds the name.
    ///   - fields: The names of all fields and the bytes that each takes in a run: `"SceneId 1 Line 4 message 2"`.
    ///   - index: The index of the current field, from 0.
    ///   - item: The index of the current item of a list, from 0; negative if there is none.
    @inline(never)
    public func located(in name: StaticString, fields: StaticString, at index: Int, item: Int = -1) -> CodecError {
        let words = fields.description.split(separator: " ")
        let table = stride(from: 0, to: words.count - 1, by: 2).map { (String(words[$0]), Int(words[$0 + 1]) ?? 0) }
        guard table.indices.contains(index) else { return prefixed(by: name.description) }
        var (error, field) = (self, index)
        // The items of a list are not part of the run that ended with the list's count.
        if item < 0, isOfRun, case .truncated(_, var available) = reason, var offset {
            while field < table.count - 1, available >= table[field].1 {
                available -= table[field].1
                offset += table[field].1
                field += 1
            }
            error = CodecError(.truncated(needed: table[field].1, available: available), offset: offset)
        }
        error = error.prefixed(by: item < 0 ? table[field].0 : "\(table[field].0)[\(item)]")
        return name.utf8CodeUnitCount == 0 ? error : error.prefixed(by: name.description)
    }
}
