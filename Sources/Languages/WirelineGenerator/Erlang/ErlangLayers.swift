// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes a module's additional code for packets with layers, from a ``LayerPlan``: its parts, and the runtime functions
/// that open and seal each layer.
struct ErlangLayers {
    let types: ErlangTypes
    private var description: ProtocolDescription { types.description }
    private var layout: PacketLayout { description.layout }
    private var plan: LayerPlan? { types.plan.layers }

    var functions: [ErlangFunction] {
        plan.map { choosing($0) + [layer($0), lasting] } ?? []
    }

    private func flag(_ value: Bool) -> ErlangCode { Expression.boolean(value).code }

    // MARK: Parts

    private func choosing(_ plan: LayerPlan) -> [ErlangFunction] {
        func each(
            _ name: String, _ parameters: [ErlangCode], _ value: (LayerPlan.Shape) -> ErlangCode
        ) -> ErlangFunction {
            ErlangFunction(name, plan.shapes.map { .init([.number($0.number)] + parameters, [value($0)]) })
        }
        let sender: [ErlangCode] = types.plan.fixedHeaderFields.isEmpty ? [] : ["from"]
        return [
            each("unwrap_outer", ["b"]) { .call("unwrap_outer_\($0.number)", ["b"]) },
            each("wrap_outer", ["content", "given"]) { shape in
                let given = ErlangCode.call("maps:with", [types.headerKeys(shape.outerSettable), "given"])
                return .call("wrap_outer_\(shape.number)", [0, "content", given])
            },
            each("unwrap_flat", ["from", "b"]) { .call("unwrap_flat_\($0.number)", sender + ["b"]) },
            each("wrap_flat", ["id", "header"]) { .call("wrap_flat_\($0.number)", ["id", .noBytes, "header"]) },
            each("sections", []) { shape in
                .list(shape.sections.enumerated().map { section($1, number: $0 + 1, of: shape) })
            },
            each("counter", []) { shape in
                guard let counter = shape.counter else { return .literal("none") }
                let name = ErlangCode.text(layout.fields[counter.field].name)
                return .tuple([.atom(types.naming.packetFields[counter.field]), name, flag(counter.isSettable)])
            },
        ]
    }

    private func section(_ section: LayerPlan.Section, number: Int, of shape: LayerPlan.Shape) -> ErlangCode {
        let layers = ErlangCode.list(section.layers.map { .number($0 + 1) })
        guard let settable = section.settable else { return .tuple([layers, .literal("none")]) }
        let suffix = "inside\(number)_\(shape.number)"
        let inside = [
            ErlangCode.reference("unwrap_" + suffix, arity: 1), .reference("wrap_" + suffix, arity: 3),
            types.headerKeys(settable),
        ]
        return .tuple([layers, .tuple(inside)])
    }

    // MARK: Layers

    private func layer(_ plan: LayerPlan) -> ErlangFunction {
        let layers = plan.kinds.enumerated().map { number, kind in
            ErlangCode.Clause(.number(number + 1), body: [.tuple([term(of: kind), .text(kind.name)])])
        }
        let none = ErlangCode.Clause(.ignored, body: [.tagged("none", .text("layer"))])
        return ErlangFunction("layer", layers.isEmpty ? [none] : layers)
    }

    private var lasting: ErlangFunction {
        let layers = layout.content.layers.enumerated().filter(\.element.kind.hasLastingKeystream)
        return ErlangFunction(
            "is_lasting",
            layers.map { .init(.number($0.offset + 1), body: [flag(true)]) } + [.init(.ignored, body: [flag(false)])])
    }

    /// The runtime's functions that connect layers with the protocol; nil without layers.
    var text: String? {
        guard let plan else { return nil }
        let counter = plan.shapes.lazy.compactMap(\.counter).first
        let features = [
            ("frames", layout.isFramed), ("headerConditions", description.hasHeaderConditions),
            ("fixedHeaders", !types.plan.fixedHeaderFields.isEmpty), ("states", layout.dependsOnStates),
            ("layersBeforeCount", (counter?.firstLayer ?? 0) > 0), ("threshold", plan.hasThreshold),
        ]
        let constants = [
            "?MAX_INFLATED": String(plan.maximumByteCount), "?MAX_NESTED": String(plan.maximumDepth),
            "?HEADER_KEYS": types.keyList(plan.settable), "?ID_KEYS": types.keyList(plan.identifiers),
            "?CONTENT_CONSTANT": String(counter?.constant ?? 0),
            "?LAYERS_BEFORE_COUNT": String(counter?.firstLayer ?? 0),
        ]
        let transforms = plan.kinds.flatMap(\.erlangFeatures)
        return RuntimeFile.erlang.with(Set(features.filter(\.1).map(\.0) + transforms), constants).text("layering")
    }

    /// Functions of that text with clauses that this protocol may not reach.
    var textFunctions: [String] {
        guard let plan else { return [] }
        let isStreamed = plan.kinds.contains { $0.erlangFeatures.contains("streamed") }
        return ["is_lasting/1", "with_stream/3", "opened_layer/7", "sealed_layer/6"]
            + (isStreamed ? ["streamed_layer/6"] : [])
    }

    /// Returns the term for a transform: `{zlib, 15}`, `{'xor', session}`.
    private func term(of kind: LayerKind) -> ErlangCode {
        let word = ErlangCode.atom(kind.word)
        switch kind {
        case .zlib: return .tagged("zlib", 15)
        case .deflate: return .tagged("zlib", .number(-15))
        case .gzip: return .tagged("zlib", 31)
        case .brotli: return .tagged("program", .literal("brotli"))
        case .custom(let name): return .tagged("program", key(name))
        case .xor(let name), .rc4(let name): return .tuple([word, key(name)])
        case .aesCTR(let name, .key(let start)), .aesCBC(let name, .key(let start)):
            return .tuple([word, key(name), .tagged("key", key(start))])
        case .aesCTR(let name, .field(let start)), .aesCBC(let name, .field(let start)):
            return .tuple([word, key(name), .tagged("field", headerKey(start))])
        }
    }

    private func key(_ name: String) -> ErlangCode { .atom(types.naming.layers[name] ?? name) }

    private func headerKey(_ name: String) -> ErlangCode {
        .atom(description.packetField(named: name).map { types.naming.packetFields[$0] } ?? "none")
    }

    // MARK: Exported functions

    /// Whether the module exports `set_key/4`.
    var hasKeys: Bool {
        layout.content.layers.contains { if case .custom = $0.kind { false } else { !$0.kind.arguments.isEmpty } }
    }

    /// The members of the type of contexts.
    ///
    /// A program's layer opens and seals a content. It may return its changes for the next packet.
    var contextMembers: [String] {
        guard plan != nil else { return [] }
        func result(_ bytes: String) -> String { "{ok, \(bytes)} | {ok, \(bytes), map()} | {error, atom()}" }
        let open = "fun((binary(), header(), Limit :: non_neg_integer()) -> \(result("binary()")))"
        let seal = "fun((binary(), header()) -> \(result("iodata()")))"
        let own = "#{open := \(open), seal := \(seal)}"
        return [
            "keys => #{atom() => binary() | #{cs => binary(), sc => binary()}}",
            "layers => #{threshold => pos_integer(), zlib_level => 0..9, atom() => \(own) | #{cs => \(own), sc => \(own)}}",
            "streams => map()",
        ]
    }

    /// The type of packets in a packet, after other messages; empty if there are none.
    var innerMessages: String {
        layout.content.packets == nil
            ? "" : " |\n    {packets, Id :: non_neg_integer(), [message() | {header(), message()}]}"
    }
}

extension LayerKind {
    /// The regions of the runtime with its functions.
    fileprivate var erlangFeatures: [String] {
        switch self {
        case .zlib, .deflate, .gzip: ["inflated"]
        case .brotli, .custom: ["program"]
        case .aesCBC: ["aes_cbc"]
        case .xor, .rc4, .aesCTR(_, .key): [word, "streamed"]
        case .aesCTR(_, .field): ["aes_ctr_packet", "streamed"]
        }
    }
}
