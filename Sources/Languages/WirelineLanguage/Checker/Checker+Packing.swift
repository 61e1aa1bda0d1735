// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Fields that share bytes, because one of them begins or ends inside a byte: `uint4 kind; bit urgent; uint3 level;`.
extension Checker {
    /// Returns the fields with their places in bit groups, and reports fields that cannot share bytes.
    func packed(_ fields: [ResolvedField], _ list: [FieldSyntax], in owner: FieldOwner) -> [ResolvedField] {
        let runs = description.runs(of: fields.map(\.description))
        // A substitute for a reported part may make a group that the file does not have.
        let isKnown = zip(fields, list).allSatisfy { !$0.isFaulty && !formatlessTypes.contains($1.typeName.text) }
        if isKnown, !lacksParts {
            let isReported = refuseAbsence(fields, list)
            if !isReported, let fault = runs.fault { report(fault, fields, owner) }
        }
        return zip(zip(fields, list), runs.places).map { pair, place in
            var (field, syntax) = pair
            let packing = place.map { FieldPacking($0) }
            field.description.packing = packing
            if packing != nil, field.description.role == .derived,
                fields.contains(where: { $0.description.tagField == field.description.name })
            {
                refuseTag(field)
            }
            let isShort = packing.map { $0.runByteCount == 1 } ?? true
            if isShort, !field.isFaulty { warnAboutUselessOrder(of: field, syntax) }
            return field
        }
    }

    /// Refuses the tag of a union that shares bytes with other fields.
    private func refuseTag(_ field: ResolvedField) {
        reporter.error(
            "\(field.description.name.quoted) is the tag of a union, which cannot share bytes with other fields",
            at: field.nameSpan, help: "let it begin at a byte")
    }

    /// Refuses a list whose items would begin inside a byte.
    ///
    /// - Returns: Whether it was refused.
    func refusePackedItems(_ element: TypeDescription, _ field: FieldSyntax) -> Bool {
        guard let width = description.packedForm(of: element)?.format.bitWidth, width % 8 != 0 else { return false }
        let count = width % 4 == 0 ? 2 : width % 2 == 0 ? 4 : 8
        reporter.error(
            "a list of \(field.typeName.text.quoted) is not possible: its items would begin inside a byte",
            at: field.typeSpan,
            help: "put \(count) of them, or other fields up to the end of a byte, into a struct, and use a list of that"
        )
        return true
    }

    /// Refuses fields that have a part of a byte and may be missing.
    ///
    /// - Returns: Whether one was refused.
    private func refuseAbsence(_ fields: [ResolvedField], _ list: [FieldSyntax]) -> Bool {
        var isReported = false
        for (field, syntax) in zip(fields, list) where field.description.presence != .required {
            guard let form = description.packedForm(of: field.description.type), !form.format.isWholeBytes else {
                continue
            }
            isReported = true
            reporter.error(
                "\(field.description.name.quoted) takes a part of a byte, so it cannot be missing",
                at: syntax.optional ?? field.nameSpan,
                help: "give it whole bytes, or put it into a struct with the fields that share its bytes")
        }
        return isReported
    }

    private func report(_ fault: PackedRuns.Fault, _ fields: [ResolvedField], _ owner: FieldOwner) {
        func name(_ index: Int) -> String { fields[index].description.name.quoted }
        func names(_ run: Range<Int>) -> String {
            run.count == 1 ? name(run.lowerBound) : "\(name(run.lowerBound)) to \(name(run.upperBound - 1))"
        }
        switch fault {
        case .ends(let run, let bitCount):
            let isArm = if case .arm = owner { true } else { false }
            reporter.error(
                "the \(owner.noun) ends inside a byte: \(names(run)) \(run.count == 1 ? "takes" : "take") "
                    + "\(Self.bits(bitCount))",
                at: fields[run.upperBound - 1].nameSpan,
                help: isArm
                    ? "give it whole bytes, or put it into a struct with what fills its bytes"
                    : Self.help(filling: bitCount))
        case .interrupted(let run, let bitCount):
            reporter.error(
                "\(name(run.upperBound)) would begin inside a byte: \(names(run)) "
                    + "\(run.count == 1 ? "takes" : "take") \(Self.bits(bitCount))",
                at: fields[run.upperBound].nameSpan,
                help: "only integers, `bit`, enums and flags share bytes; before it, "
                    + Self.help(filling: bitCount))
        case .tooLong(let run):
            reporter.error(
                "\(names(run)) share bytes over more than 64 bits", at: fields[run.upperBound - 1].nameSpan,
                help: "order them so that a field ends at the end of a byte at least every 64 bits")
        case .mixedOrders(let run):
            reporter.error(
                "\(name(run.upperBound - 1)) shares bytes with \(name(run.lowerBound)), which has the other byte order",
                at: fields[run.upperBound - 1].nameSpan,
                help: "fields that share bytes are one number: give all of them the same byte order")
        }
    }

    private static func bits(_ count: Int) -> String { count == 1 ? "1 bit" : "\(count) bits" }

    private static func help(filling bitCount: Int) -> String {
        let missing = 8 - bitCount % 8
        return "add \(bits(missing)), such as `uint\(missing) reserved;`"
    }

    /// Warns about the byte order of a field that has only one byte, or a part of one.
    private func warnAboutUselessOrder(of field: ResolvedField, _ syntax: FieldSyntax) {
        guard description.packedForm(of: field.description.type) != nil else { return }
        for attribute in syntax.attributes {
            guard let kind = AttributeKind(rawValue: attribute.name.text), kind == .little || kind == .big else {
                continue
            }
            return warnAboutUselessOrder(of: field.description.type, kind, field.typeName, at: attribute.span)
        }
    }
}
