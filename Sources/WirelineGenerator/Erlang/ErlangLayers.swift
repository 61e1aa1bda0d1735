// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what a module has besides if packets have layers, by a ``LayerPlan``: what its parts are, and what opens and seals one layer.
struct ErlangLayers {
    let types: ErlangTypes
    private var description: ProtocolDescription { types.description }
    private var layout: PacketLayout { description.layout }
    private var plan: LayerPlan? { types.code.layers }

    var functions: [ErlangFunction] {
        guard let plan else { return [] }
        return choosing(plan) + numbers(plan) + transforms(plan) + contents
    }

    private func function(_ name: String, _ parameters: [ErlangCode] = [], _ value: ErlangCode) -> ErlangFunction {
        ErlangFunction(name, parameters, [value])
    }

    private func flag(_ value: Bool) -> ErlangCode { Expression.boolean(value).code }

    // MARK: Parts

    /// Returns the functions that call those of a shape.
    private func choosing(_ plan: LayerPlan) -> [ErlangFunction] {
        func each(
            _ name: String, _ parameters: [ErlangCode], _ value: (LayerPlan.Shape) -> ErlangCode
        ) -> ErlangFunction {
            ErlangFunction(name, plan.shapes.map { .init([.number($0.number)] + parameters, [value($0)]) })
        }
        let sender: [ErlangCode] = types.code.fixedHeaderFields.isEmpty ? [] : ["from"]
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

    /// Returns limits, names of header fields, and what is done with the field that counts the content.
    private func numbers(_ plan: LayerPlan) -> [ErlangFunction] {
        let counter = plan.shapes.lazy.compactMap(\.counter).first
        let own: [ErlangCode] = ["counter", "shape", "sender", "id", "header", "payload", "context"]
        // A packet with none but the layers before that field has 0.
        let before = Expression.binary(.lessOrEqual, "n", .place(counter?.firstLayer ?? 0)).code
        let (hasBefore, list) = ((counter?.firstLayer ?? 0) > 0, ErlangCode.list(["n"], tail: .ignored))
        let lasting = layout.content.layers.indices.filter { layout.content.layers[$0].kind.hasLastingKeystream }
        return [
            function("max_inflated", [], .number(plan.maximumByteCount)),
            function("max_nested", [], .number(plan.maximumDepth)),
            function("content_constant", [], .number(counter?.constant ?? 0)),
            ErlangFunction(
                "counted_size",
                (hasBefore ? [.init("n", .ignored, "before", when: before, body: ["before"])] : [])
                    + [.init(.ignored, "content", .ignored, body: [Expression.byteSize("content").code])]),
            ErlangFunction(
                "count_around",
                (hasBefore
                    ? [
                        .init(
                            list, "fields", when: before,
                            body: [.call("set_content_count", [.literal("none"), "fields"])])
                    ]
                    : []) + [.init(.ignored, "fields", body: ["fields"])]),
            function("with_content_count", own, plan.hasThreshold ? .call("with_settable_count", own) : "header"),
            function("settable_keys", [], types.headerKeys(plan.settable)),
            function("id_keys", [], types.headerKeys(plan.identifiers)),
            ErlangFunction(
                "layer",
                plan.kinds.isEmpty
                    ? [.init(.ignored, body: [.tagged("none", .text("layer"))])]
                    : plan.kinds.enumerated().map {
                        .init(.number($0 + 1), body: [.tuple([term(of: $1), .text($1.name)])])
                    }),
            ErlangFunction(
                "is_lasting",
                lasting.map { .init(.number($0 + 1), body: [flag(true)]) } + [.init(.ignored, body: [flag(false)])]),
        ]
    }

    /// The functions that connect the layers with the protocol's messages.
    private var contents: [ErlangFunction] {
        let hasHeader = description.hasHeaderConditions
        let isFramed = layout.isFramed
        let next: [ErlangCode] = ["sender", "depth", "b", "st"]
        let header: [ErlangCode] = hasHeader ? ["header"] : []
        let fixes = !types.code.fixedHeaderFields.isEmpty
        return [
            function("next_packet", next, .call(isFramed ? "framed_next" : "open_packet", next)),
            function(
                "content_message", ["sender", "id", "b", "end", "header"],
                .call("message", ["sender", "id", "b", "end"] + header)),
            function("message_payload", ["message", "header"], .call("payload", ["message"] + header)),
            function(
                "completed_header", ["message", "header"], fixes ? .call("fix", ["message", "header"]) : "header"),
            function("framed_packet", ["packet"], isFramed ? .call("frame", ["packet"]) : "packet"),
            function(
                "next_context", ["sender", "ids", "context"],
                layout.dependsOnStates
                    ? .call(
                        "lists:foldr",
                        [.function(.init(["n", "c"], [.call("sets", ["sender", "n", "c"])])), "context", "ids"])
                    : "context"),
        ]
    }

    // MARK: Transforms

    /// Returns the functions that open and seal one layer, with a clause for each transform of the packet.
    private func transforms(_ plan: LayerPlan) -> [ErlangFunction] {
        let kinds = plan.kinds.reduce(into: [LayerKind]()) { if !$0.contains($1) { $0.append($1) } }
        func each(
            _ name: String, _ parameters: [ErlangCode], _ value: (LayerKind) -> ErlangCode, _ other: ErlangCode
        ) -> ErlangFunction {
            ErlangFunction(
                name,
                kinds.isEmpty
                    ? [.init([.literal("none")] + parameters, [other])]
                    : kinds.map { .init([term(of: $0)] + parameters, [value($0)]) })
        }
        let size = Expression.byteSize("b").code
        let unchanged = ErlangCode.tuple(["b", "context"])
        return [
            each(
                "opened_layer", ["name", "b", "header", "place", "left", "context"], { transform($0, isOpened: true) },
                unchanged),
            each(
                "sealed_layer", ["name", "b", "header", "place", "context"], { transform($0, isOpened: false) },
                unchanged),
            // A cipher's content is as long as what it opens: it does not count against the limit.
            each("made", ["b"], { $0.mayInflate ? size : 0 }, size),
        ]
    }

    /// Returns what opens a layer, or seals it.
    private func transform(_ kind: LayerKind, isOpened: Bool) -> ErlangCode {
        let word = isOpened ? "opened" : "sealed"
        func byProgram(_ name: ErlangCode) -> ErlangCode {
            let place: [ErlangCode] = ["name", "b", "header", "place"] + (isOpened ? ["left"] : []) + ["context"]
            return .call(word + "_by_program", [name] + place)
        }
        func compression(_ windowBits: Int) -> ErlangCode {
            let bits = ErlangCode.number(windowBits)
            let bytes: ErlangCode =
                isOpened ? .call("inflated", ["b", bits, "left", "name"]) : .call("deflated", ["b", bits, "context"])
            return .tuple([bytes, "context"])
        }
        switch kind {
        case .zlib: return compression(15)
        case .deflate: return compression(-15)
        case .gzip: return compression(31)
        case .brotli: return byProgram(.literal("brotli"))
        case .custom(let name): return byProgram(key(name))
        case .aesCBC(let name, let vector): return .call(word + "_aes_cbc", [key(name), start(vector)] + Self.place)
        case .xor(let name): return .call("xor_layer", [key(name)] + Self.place)
        case .rc4(let name): return .call("rc4_layer", [key(name)] + Self.place)
        case .aesCTR(let name, .key(let vector)):
            return .call("aes_ctr_layer", [key(name), key(vector)] + Self.place)
        case .aesCTR(let name, let vector): return .call("aes_ctr_packet", [key(name), start(vector)] + Self.place)
        }
    }

    private static let place: [ErlangCode] = ["name", "b", "place", "context"]

    /// Returns the 16 bytes with which a packet begins.
    private func start(_ vector: LayerKind.Vector) -> ErlangCode {
        switch vector {
        case .key(let name): .call("key", [key(name), "name", .call("element", [1, "place"]), 16, 16, "context"])
        case .field(let name): .call("maps:get", [headerKey(name), "header"])
        }
    }

    /// Returns the term that stands for a transform: `zlib`, `{'xor', session}`.
    private func term(of kind: LayerKind) -> ErlangCode {
        let word = ErlangCode.atom(kind.word)
        switch kind {
        case .zlib, .deflate, .gzip, .brotli: return word
        case .xor(let name), .rc4(let name), .custom(let name): return .tuple([word, key(name)])
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

    /// Whether there are keys and a layer without one.
    var hasKeyless: Bool { layout.content.layers.contains { $0.kind.arguments.isEmpty } }

    /// The members of the type of contexts.
    ///
    /// A layer of the program opens and seals a content; it may return what changes of itself for the next packet.
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
