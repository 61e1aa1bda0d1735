// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Declares `padding n;`.
    static let declaringPadding = #"""
        function declare_value.padding(field, filter)
            field.item = declare(filter, field.name, ftypes.BYTES, field.about)
        end

        """#

    /// Reads `padding n;`: its bytes are shown, and not looked at.
    static let readingPadding = #"""
        function read.padding(reader, tree, kind, field)
            need(reader, kind.bytes)
            show(reader, tree, field.item, reader.at, reader.at + kind.bytes)
            reader.at = reader.at + kind.bytes
        end

        """#
}
