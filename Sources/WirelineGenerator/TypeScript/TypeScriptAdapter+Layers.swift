// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What the script for `wire conform` has for packets with layers: the functions that a program gives, from Node, and packets in packets.
struct TypeScriptAdapterLayers {
    let plan: LayerPlan
    let hasStates: Bool

    /// The functions, before those that answer questions.
    var text: String {
        let layers = plan.kinds.compactMap { kind in
            Self.functions(of: kind).map { "  \(TypeScriptText.string(kind.name)): () => compressed(\($0)),\n" }
        }
        let absent = plan.kinds.filter { $0.word == "custom" }.map { TypeScriptText.string($0.name) }
        return """
            const zlib = await import("node:zlib");
            const { createCipheriv, createDecipheriv } = await import("node:crypto");

            // What a program gives for layers. This script does not have custom ones.
            const layers = {
            \(layers.joined())};

            const absentLayers = \(TypeScriptText.list(absent));

            """ + "\n" + Self.program + "\n" + TypeScriptJSON.layered
    }

    private static func functions(of kind: LayerKind) -> String? {
        switch kind {
        case .zlib: "zlib.inflateSync, zlib.deflateSync"
        case .deflate: "zlib.inflateRawSync, zlib.deflateRawSync"
        case .gzip: "gunzip, zlib.gzipSync"
        case .brotli: "zlib.brotliDecompressSync, zlib.brotliCompressSync"
        case .xor, .rc4, .aesCTR, .aesCBC, .custom: nil
        }
    }

    /// The statements that make a connection of a question.
    var connecting: String {
        let keys = """
              for (const [name, key] of member(request, "keys", new Map())) {
                const parts = /^(client|server)\\.(.+)$/.exec(name);
                if (parts) made.setKey(parts[2], bytes(key, ""), parts[1] === "server" ? wire.fromServer : wire.fromClient);
                else made.setKey(name, bytes(key, ""));
              }

            """
        return """
              const made = new wire.Connection({ \(hasStates ? "states, " : "")layers, aes });
            \(plan.keys.isEmpty ? "" : keys)  return [made];
            """
    }

    private static let program = #"""
        // A stream is one whole: nothing may stand after it.
        function compressed(inflate, deflate) {
          return {
            open(sealed, header, limit) {
              try {
                const { buffer, engine } = inflate(sealed, { maxOutputLength: Math.max(limit, 1), info: true });
                if (engine.bytesWritten < sealed.length) throw new wire.WireError("trailing_bytes", "");
                return buffer;
              } catch (error) {
                if (error.code === "ERR_BUFFER_TOO_LARGE") return undefined;
                throw error;
              }
            },
            seal: content => deflate(content),
          };
        }

        // Node reads all members of a gzip stream, and a layer has one.
        function gunzip(sealed, options) {
          let p = 10;
          const flags = sealed[3];
          if (flags & 4) p += 2 + sealed[p] + 256 * sealed[p + 1];
          for (const flag of [8, 16]) if (flags & flag) p = sealed.indexOf(0, p) + 1;
          if (flags & 2) p += 2;
          const { engine } = zlib.inflateRawSync(sealed.subarray(p), options);
          return zlib.gunzipSync(sealed.subarray(0, p + engine.bytesWritten + 8), options);
        }

        function aes(key, blocks, encrypts) {
          const cipher = (encrypts ? createCipheriv : createDecipheriv)("aes-" + 8 * key.length + "-ecb", key, null);
          cipher.setAutoPadding(false);
          return Buffer.concat([cipher.update(blocks), cipher.final()]);
        }

        """#
}
