// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what a module has of its layers: the tables of ``LayerPlan``, and the class for a connection.
struct TypeScriptLayers {
    let types: TypeScriptTypes
    let plan: LayerPlan

    private func own(_ fields: [Int]) -> String {
        TypeScriptText.list(fields.map { TypeScriptText.string(types.plan.names.headerFields[$0]) })
    }

    private func numbers(_ items: [Int]) -> String { TypeScriptText.list(items.map(String.init)) }

    /// The tables, as one text.
    var tables: String {
        """
        const layered‹: readonly Layered[]› = [
        \(plan.shapes.map { "  " + shape($0) + ",\n" }.joined())];

        const transforms‹: readonly Transform[]› = [
        \(plan.kinds.map { "  " + transform($0) + ",\n" }.joined())];

        const settableKeys‹: readonly string[]› = \(own(plan.settable));

        const idKeys‹: readonly string[]› = \(own(plan.identifiers));
        """
    }

    private func shape(_ shape: LayerPlan.Shape) -> String {
        let sections = shape.sections.enumerated().map { position, section in
            let layers = numbers(section.layers)
            guard let settable = section.settable else { return "{ layers: \(layers) }" }
            let suffix = "Inside\(position + 1)_\(shape.number)"
            return
                "{ layers: \(layers), fields: { read: unwrap\(suffix), write: wrap\(suffix), keys: \(own(settable)) } }"
        }
        var members = ["Outer", "Flat"].flatMap { part in
            ["read\(part): unwrap\(part)_\(shape.number)", "write\(part): wrap\(part)_\(shape.number)"]
        }
        members += ["keys: \(own(shape.outerSettable))", "sections: \(TypeScriptText.list(sections))"]
        if let counter = shape.counter { members.append("counter: \(self.counter(counter))") }
        return "{ \(members.joined(separator: ", ")) }"
    }

    private func counter(_ counter: LayerPlan.Counter) -> String {
        let field = types.description.layout.fields[counter.field]
        let key = TypeScriptText.string(types.plan.names.headerFields[counter.field])
        let number = field.format.range.isWide ? "n => BigInt(n)" : "n => n"
        return
            "{ key: \(key), path: \(TypeScriptText.string("packet." + field.name)), plus: \(counter.constant), first: \(counter.firstLayer), "
            + "isSettable: \(counter.isSettable), number: \(number) }"
    }

    // MARK: Transforms

    private func transform(_ kind: LayerKind) -> String {
        let name = TypeScriptText.string("packet." + kind.name)
        return "{ path: \(name), lasts: \(kind.hasLastingKeystream), inflates: \(kind.mayInflate), "
            + "open: \(function(opened(kind))), seal: \(function(sealed(kind))) }"
    }

    /// Returns the function with an expression, in which the parameters that it does not use begin with `_`.
    private func function(_ expression: String) -> String {
        let parameters = ["b", "n", "work", "h"].map { TypeScriptModule.uses($0, [expression]) ? $0 : "_" + $0 }
        return "(\(parameters.joined(separator: ", "))) => \(expression)"
    }

    private func key(_ name: String) -> String { "layerKey(work, \(TypeScriptText.string(name)), n)" }

    private func start(_ vector: LayerKind.Vector) -> String {
        switch vector {
        case .key(let name): return key(name)
        case .field(let name):
            let field = types.description.packetField(named: name) ?? 0
            return "h.\(types.plan.names.headerFields[field])‹!›"
        }
    }

    private func keystream(_ kind: LayerKind) -> String? {
        switch kind {
        case .xor(let name): "xorKey(b, \(key(name)))"
        case .rc4(let name): "rc4(b, \(key(name)), n, work)"
        case .aesCTR(let name, .key(let vector)): "aesLasting(b, \(key(name)), \(key(vector)), n, work)"
        case .aesCTR(let name, let vector): "aesCounters(b, \(key(name)), \(start(vector)), 0, n, work)"
        default: nil
        }
    }

    private func opened(_ kind: LayerKind) -> String {
        if case .aesCBC(let name, let vector) = kind { return "openCBC(b, \(key(name)), \(start(vector)), n, work)" }
        return keystream(kind) ?? "openedByProgram(b, h, \(TypeScriptText.string(kind.name)), n, work)"
    }

    private func sealed(_ kind: LayerKind) -> String {
        if case .aesCBC(let name, let vector) = kind { return "sealCBC(b, \(key(name)), \(start(vector)), n, work)" }
        return keystream(kind) ?? "sealedByProgram(b, h, \(TypeScriptText.string(kind.name)), n, work)"
    }

    // MARK: The connection

    /// What a program gives for a connection, the class, and the byte counts of keys with the layers that use them.
    ///
    /// - Parameter hasStates: Whether the connection has states, too.
    func connection(hasStates: Bool) -> String {
        var (options, members, statements) = ([String](), [String](), ["this.options = options;"])
        if hasStates {
            options.append("/** The states when the connection begins. */\nreadonly states?: States | undefined;")
            members.append("‹readonly states: States;›")
            statements.insert("this.states = Object.assign({}, options.states);", at: 0)
        }
        members += [
            "/** @internal */\n‹readonly options: ConnectionOptions;›",
            "/** @internal */\nstreams‹: Map<string, Keystream>› = new Map();",
        ]
        if !plan.keys.isEmpty {
            let keys = plan.keys.map { "readonly \($0.name)?: Uint8Array | undefined" }
            options.append(
                "/** Keys for the packets of both sides: see `setKey`. */\nreadonly keys?: { \(keys.joined(separator: "; ")) } | undefined;"
            )
            members.append("/** @internal */\n‹readonly ›keys‹: Map<string, Uint8Array>› = new Map();")
            statements += [
                "const keys = (options.keys || {})‹ as { readonly [name: string]: Uint8Array }›;",
                "for (const name of Object.keys(keys)) this.setKey(name‹ as KeyName›, keys[name]‹!›);",
            ]
        }
        if plan.hasAES {
            options.append(
                "/** AES: blocks of 16 bytes, each encrypted or decrypted for itself. */\n"
                    + "readonly aes?: ((key: Uint8Array, blocks: Uint8Array, encrypts: boolean) => Uint8Array) | undefined;"
            )
        }
        if !plan.transformsOfProgram.isEmpty {
            let layers = plan.transformsOfProgram.map {
                "readonly \($0)?: ((from: \"client\" | \"server\") => Layer) | undefined"
            }
            options.append(
                "/** Functions that make a layer for the packets of one side. */\nreadonly layers?: { \(layers.joined(separator: "; ")) } | undefined;"
            )
            members.append("/** @internal */\n‹readonly ›made‹: Map<string, Layer>› = new Map();")
        }
        if plan.hasThreshold {
            options.append(
                "/** From how many bytes on a content gets a layer that asks for its count; without it none does. */\nreadonly threshold?: number | undefined;"
            )
        }
        let method = plan.keys.isEmpty ? "" : "\n" + Self.setting
        return """
            \(plan.keys.isEmpty ? "" : keyTable + "\n\n")\
            /** What a program gives for a connection. What packets need and is not there is `layer_unavailable` when a packet needs it. */
            ‹export interface ConnectionOptions {
            \(Self.indented(options))
            }›

            /** What the packets of a connection depend on, in both directions: `encode`, `decode` and both splitters share it. */
            export class Connection {
            \(Self.indented(members))
              constructor(options‹: ConnectionOptions› = {}) {
            \(TypeScriptBodies.indented(statements, by: 4))
              }\(method)
            }
            """
    }

    private static func indented(_ texts: [String]) -> String {
        TypeScriptBodies.indented(texts.flatMap { $0.split(separator: "\n").map(String.init) })
    }

    private var keyTable: String {
        let rows = plan.keys.map { key in
            let counts = key.byteCounts.map { "[\($0.lowerBound), \($0.upperBound)]" }
            return
                "  { name: \(TypeScriptText.string(key.name)), counts: \(TypeScriptText.list(counts)), layers: \(numbers(plan.layers(with: key.name))) },"
        }
        return """
            ‹export type KeyName = \(plan.keys.map { TypeScriptText.string($0.name) }.joined(separator: " | "));›

            /** How many bytes keys have, and the layers that use them. */
            const keyRules‹: readonly { readonly name: KeyName; readonly counts: readonly (readonly [number, number])[]; readonly layers: readonly number[] }[]› = [
            \(rows.joined(separator: "\n"))
            ];
            """
    }

    private static let setting = """
          /** Sets a key for the packets of one side, or of both. Their keystreams begin anew. */
          setKey(name‹: KeyName›, key‹: Uint8Array›, side‹?: Side<unknown>›)‹: void› {
            const rule = keyRules.find(rule => rule.name === name);
            if (!rule) throw new WireError("unknown_key", "key." + name);
            if (!(key instanceof Uint8Array)) throw new WireError("wrong_type", "key." + name);
            if (!rule.counts.some(count => key.length >= count[0] && key.length <= count[1])) throw new WireError("wrong_key", "key." + name);
            for (const from of side ? [senderName(isServer(side))] : ["client.", "server."]) {
              this.keys.set(from + name, new Uint8Array(key));
              for (const n of rule.layers) this.streams.delete(from + n);
            }
          }
        """
}
