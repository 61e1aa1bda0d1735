// SPDX-License-Identifier: Apache-2.0

extension TypeScriptJSON {
    /// The functions for protocols with layers, in which packets can be in a packet.
    static let layered = #"""
        function lineOf(packet) {
          if (!packet.packets) return line(packet);
          const { message, id, header } = line({ ...packet, name: null, payload: [] });
          return { message, id, header, packets: packet.packets.map(lineOf) };
        }

        function encodeLine(given, side, connection) {
          try {
            if (!Array.isArray(member(given, "packets", undefined))) return encode(given, side, connection);
            if (!wire.encodePackets) throw new wire.WireError("presence", "packets");
            const { id, packets, header } = item(given, "");
            return wire.encodePackets(id, packets, header, side, ...connection);
          } catch (error) {
            throw error instanceof wire.WireError ? new wire.WireError(error.kind, named(error.path, given)) : error;
          }
        }

        // A fault of the header, or of the packet as a whole, is one of the message that was to be written.
        function named(path, given) {
          const own = member(given, "message", null);
          if (own === null) {
            const [first, index] = /^packets\[(\d+)\]/.exec(path) ?? [], packets = member(given, "packets", undefined);
            if (first === undefined || !Array.isArray(packets)) return path;
            const rest = named(path.slice(first.length + 1), packets[index]);
            return rest ? first + "." + rest : first;
          }
          const { name } = tables.messages.find(m => m.name === own || m.other === own);
          if (path === "") return name;
          return /^(packets|opaque)$/.test(path) || /^packet\./.test(path) && name !== "packet" ? name + "." + path : path;
        }

        // A packet in another one.
        function item(given, path) {
          const name = member(given, "message", null);
          if (name === null) {
            const id = integer(member(given, "id", 0), hasWideIDs, "not_an_integer", path + "id");
            const packets = member(given, "packets", undefined), header = settable(given, path + "header.");
            if (Array.isArray(packets)) return { id, packets: packets.map((inside, i) => item(inside, path + "packets[" + i + "].")), header };
            return { id, payload: bytes(member(given, "payload", ""), path), header };
          }
          const known = tables.messages.find(m => m.name === name || m.other === name);
          if (!known) refuse("unknown_message", path + name);
          const message = values(known.fields, member(given, "fields", new Map()), path + name);
          const trailing = member(given, "trailing", null);
          if (known.trailing && trailing !== null) message[known.trailing] = bytes(trailing, path);
          return wire.inner(wire[known.own], message, settable(given, path + name + ".header."));
        }

        """#
}
