// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the types of unions: enums whose cases are the arms.
struct SwiftUnions {
    let types: SwiftTypes

    private static let members: Set<String> = [
        "armName", "bodyByteCount", "customMirror", "debugDescription", "description", "payloadByteCount", "tag",
        "writePayload", "writeValue",
    ]

    /// Returns the names of arms, without backticks.
    static func armNames(_ union: UnionDescription) -> [String] {
        let wanted = union.arms.map { SwiftWords.lowerCamel($0.alias ?? $0.name, fallback: "value") }
        return SwiftIdentifier.members(wanted, reserved: members)
    }

    func write(_ union: UnionDescription, at index: Int, as name: SwiftTypeName, to source: inout SwiftSource) {
        let plan = types.plan.unions[index]
        let arms = arms(of: union, plan)
        let coding = SwiftUnionCoding(types: types, plan: plan, arms: arms)
        source.documentation(union.documentation)
        source.block("public enum \(SwiftIdentifier.quoted(name.declared)): Swift::Equatable, Swift::Sendable") {
            source in
            for (arm, description) in zip(arms, union.arms) { writeCase(arm, description, union.tag, to: &source) }
            source.blank()
            writeTag(union, arms, to: &source)
            source.blank()
            coding.writeReading(to: &source)
            source.blank()
            coding.writeSizing(to: &source)
            source.blank()
            coding.writeWriting(to: &source)
        }
    }

    private func arms(of union: UnionDescription, _ plan: UnionPlan) -> [SwiftArm] {
        zip(plan.arms, Self.armNames(union)).map { arm, name in
            let field = arm.field.map { field in
                SwiftField(
                    plan: field, name: "value", storage: "value", isLocal: true, valueType: types.text(field.type),
                    defaultValue: nil)
            }
            return SwiftArm(plan: arm, name: name, field: field)
        }
    }

    private func writeCase(
        _ arm: SwiftArm, _ description: UnionDescription.Arm, _ tag: TypeDescription, to source: inout SwiftSource
    ) {
        source.documentation(description.documentation)
        // The generated code itself uses every case, so a deprecation attribute would warn there.
        if let reason = description.field?.deprecation { source.documentation("Deprecated: " + reason) }
        var text = "case " + SwiftIdentifier.quoted(arm.name)
        if let field = arm.field {
            text += arm.plan.tag == nil ? "(tag: \(types.text(tag)), bytes: [Swift::UInt8])" : "(\(field.valueType))"
        }
        source.line(text)
    }

    private func writeTag(_ union: UnionDescription, _ arms: [SwiftArm], to source: inout SwiftSource) {
        source.documentation("What stands on the wire before the value, and says which arm it is.")
        source.block("public var tag: \(types.text(union.tag))") { source in
            source.line("switch self {")
            for arm in arms {
                if let tag = arm.plan.tag {
                    source.line("case .\(arm.quoted): \(types.value(.integer(tag), of: union.tag))")
                } else {
                    source.line("case .\(arm.quoted)(let tag, _): tag")
                }
            }
            source.line("}")
        }
    }

    // MARK: Showing

    /// Writes a union's conformance for printing: by its arm, without sensitive values.
    func writePrinting(
        _ union: UnionDescription, at index: Int, as name: SwiftTypeName, to source: inout SwiftSource
    ) {
        let arms = arms(of: union, types.plan.unions[index])
        source.blank()
        source.block("extension \(name.reference): WirelineCodec::ArmwiseDescription") { source in
            source.block("public var armName: Swift::String") { source in
                source.line("switch self {")
                for arm in arms { source.line("case .\(arm.quoted): \(SwiftText.literal(arm.name))") }
                source.line("}")
            }
        }
        guard union.fields.contains(where: \.isSensitive) else { return }
        source.blank()
        source.exceptInEmbedded { source in
            source.block("extension \(name.reference): Swift::CustomReflectable") { source in
                source.documentation("What `print`, `dump` and the like show: all but the values of sensitive arms.")
                source.block("public var customMirror: Swift::Mirror") { source in
                    source.line("switch self {")
                    for arm in arms { source.line(mirror(arm)) }
                    source.line("}")
                }
            }
        }
    }

    private func mirror(_ arm: SwiftArm) -> String {
        var (pattern, children) = ("." + arm.quoted, ":")
        if let field = arm.field {
            let isHidden = field.description.isSensitive
            pattern += arm.plan.tag == nil ? "(let tag, let value)" : "(let value)"
            let value = arm.plan.tag == nil ? "(tag: tag, bytes: value)" : "value"
            children =
                SwiftText.literal(arm.name) + ": "
                + (isHidden ? "WirelineCodec::HiddenValue(\(value))" : value + " as Any")
        }
        return "case \(pattern): .init(self, children: [\(children)], displayStyle: .enum)"
    }
}

struct SwiftArm {
    let plan: PlannedArm
    /// The name of the case, without backticks.
    let name: String
    /// The value, in a local variable; nil if there is none.
    let field: SwiftField?

    var quoted: String { SwiftIdentifier.quoted(name) }
    /// The value as the fields of a body.
    var fields: [SwiftField] { [field].compactMap(\.self) }
}
