// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// An enum or flags, as back ends declare them.
struct ChoicePlan: Sendable {
    let name: String
    /// The cases, each with its name in the language.
    let cases: [(EnumerationDescription.Case, String)]
    let format: IntegerFormat
    let documentation: String
    let deprecation: String?
    let isFlags: Bool
    let isClosed: Bool
}

extension GeneratorModel {
    /// The enums, then the flags.
    var choices: [ChoicePlan] {
        zip(description.enumerations, names.enumerations).map { item, own in
            ChoicePlan(
                name: own.name, cases: Array(zip(item.cases, own.cases)), format: item.format,
                documentation: item.documentation, deprecation: item.deprecation, isFlags: false,
                isClosed: item.isClosed)
        }
            + zip(description.flagSets, names.flagSets).map { item, own in
                ChoicePlan(
                    name: own.name, cases: Array(zip(item.cases, own.cases)), format: item.format,
                    documentation: item.documentation, deprecation: item.deprecation, isFlags: true, isClosed: false)
            }
    }

    /// The members of a header: all fields but padding, by their positions.
    var headerMembers: [(position: Int, name: String, documentation: String)] {
        description.layout.fields.indices.filter { description.layout.fields[$0].role != .padding }.map { position in
            let isDocumented = description.packetFields.indices.contains(position)
            return (
                position, names.headerFields[position],
                isDocumented ? description.packetFields[position].documentation : ""
            )
        }
    }
}
