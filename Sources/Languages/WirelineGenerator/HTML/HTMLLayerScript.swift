// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// The data of a protocol with layers for the page's tool.
struct HTMLLayerScript {
    let plan: LayerPlan
    let hasStates: Bool

    /// The layers as the program needs them, in JSON.
    var table: JSONValue {
        .object([
            JSONValue.Member("kinds", .array(plan.kinds.map(kind))),
            JSONValue.Member(
                "keys",
                .array(
                    plan.keys.map { key in
                        .object([
                            JSONValue.Member("name", .string(key.name)),
                            JSONValue.Member(
                                "counts",
                                .array(
                                    key.byteCounts.map {
                                        .array([.integer(Int128($0.lowerBound)), .integer(Int128($0.upperBound))])
                                    })),
                        ])
                    })),
            JSONValue.Member("lasts", .boolean(plan.kinds.contains(where: \.hasLastingKeystream))),
            JSONValue.Member("threshold", .boolean(plan.hasThreshold)),
        ])
    }

    private func kind(_ kind: LayerKind) -> JSONValue {
        let text = kind.word + (kind.arguments.isEmpty ? "" : "(\(kind.arguments.joined(separator: ", ")))")
        let keys = plan.keys.map(\.name).filter { kind.arguments.contains($0) && kind.word != "custom" }
        return .object([
            JSONValue.Member("name", .string(kind.name)), JSONValue.Member("word", .string(kind.word)),
            JSONValue.Member("text", .string(text)), JSONValue.Member("keys", .array(keys.map { .string($0) })),
        ])
    }

    private var inflates: Bool { plan.kinds.contains { $0.mayInflate && $0.word != "custom" } }

    /// The element for keys and the threshold; nil if there are neither.
    var element: String? {
        guard !plan.keys.isEmpty || plan.hasThreshold else { return nil }
        return "<fieldset id=\"keys\" class=\"group\"><legend>Layers of the connection</legend></fieldset>"
    }

    /// The features of the program; its regions are named after them.
    var features: Set<String> {
        let features = [
            ("layers", true), ("inflates", inflates), ("aes", plan.hasAES), ("keys", !plan.keys.isEmpty),
            ("states", hasStates), ("threshold", plan.hasThreshold),
        ]
        return Set(features.filter(\.1).map(\.0))
    }
}
