// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the script through which `wire conform` tests the generated module: it converts JSON to records and back.
struct ErlangAdapter {
    let description: ProtocolDescription
    let types: ErlangTypes

    init(_ types: ErlangTypes, _ description: ProtocolDescription) {
        self.types = types
        self.description = description
    }

    var naming: ErlangNaming { types.naming }

    /// The file name: `scene_conform.escript`.
    var path: String { String(naming.module.dropLast("protocol".count)) + "conform.escript" }

    func text() -> String {
        let banner = ["#!/usr/bin/env escript"] + types.banner
        return
            (banner + [Self.use(path: path, module: naming.module), "-mode(compile).", "", program, ""])
            .joined(separator: "\n")
    }

    // MARK: The script

    private static func use(path: String, module: String) -> String {
        """
        %%
        %% Asks the module \(module) beside it on behalf of `wire conform`:
        %%
        %%   wire conform --command 'escript \(path)'
        %%
        %% With a port it is a server that returns each packet, read and written again, until its input ends:
        %%
        %%   escript \(path) echo 9001
        """
    }

    private var program: String {
        let layout = description.layout
        let hasStates = layout.dependsOnStates
        let features = [
            // Packets depend on states and keys, which continue from packet to packet.
            ("context", hasStates || layout.hasContent), ("states", hasStates),
            ("distinct", ErlangContexts(types: types).areDistinct), ("keys", ErlangLayers(types: types).hasKeys),
            // There is a layer. The script has no transforms of its own, and Erlang/OTP has no brotli.
            ("layered", !layout.content.layers.isEmpty),
            ("layers", layout.hasContent), ("packets", layout.content.packets != nil),
            ("absences", layout.hasConditions), ("unions", !description.unions.isEmpty),
        ]
        let states = zip(description.states, naming.states).map { pair($0.name, $1) }
        let layers = naming.layers.sorted { $0.key < $1.key }.map { pair($0.key, $0.value) }
        let constants = [
            "?TABLES_OF_SCHEMA": ErlangText.binary(AdapterTables(types.plan, tellsHalves: true).json),
            "?GENERATED_MODULE": ErlangText.atom(naming.module), "?KNOWN_STATES": list(states),
            "?KNOWN_LAYERS": list(layers), "?SERVER_KEYS": types.keyList(serverKeys),
        ]
        return RuntimeFile.erlangAdapter.with(
            Set(features.filter(\.1).map(\.0) + description.floatsWithoutHostType.map(\.name)), constants
        ).text("all")
    }

    private func list(_ items: [String]) -> String { "[\(items.joined(separator: ", "))]" }

    private func pair(_ name: String, _ atom: String) -> String {
        "{\(ErlangText.binary(name)), \(ErlangText.atom(atom))}"
    }

    /// The header fields of all packets that a server can send. An echo keeps these; its states are 0 at first.
    private var serverKeys: [Int] {
        if description.layout.hasContent {
            return keys(description.layout.layering(in: PacketContext(from: .server)).whole)
        }
        return ErlangContexts(types: types).areDistinct ? keys(description.sent(by: .server).layout) : []
    }

    private func keys(_ layout: PacketLayout) -> [Int] {
        layout.fields.filter(\.isSettable).compactMap { description.packetField(named: $0.name) }
    }
}
