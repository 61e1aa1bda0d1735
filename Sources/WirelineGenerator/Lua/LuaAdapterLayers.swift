// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The part of an adapter that gives connections their keys, and functions for layers from packages that may be missing.
struct LuaAdapterLayers {
    let plan: LayerPlan

    private func window(_ kind: LayerKind) -> Int? {
        switch kind {
        case .zlib: 15
        case .deflate: -15
        case .gzip: 31
        default: nil
        }
    }

    /// The functions for layers.
    var functions: String {
        [Self.absent, plan.hasZlib ? Self.zlib : nil, plan.hasAES ? Self.aes : nil].compactMap(\.self)
            .joined(separator: "\n") + "\n"
    }

    /// The statements that make a connection.
    var connecting: String {
        var options = plan.hasAES ? ["aes = aes"] : []
        var names: Set<String> = []
        let layers = plan.kinds.filter { $0.mayInflate && names.insert($0.name).inserted }.map { kind in
            let function = window(kind).map { "zlib_layer(\($0))" } ?? "absent_layer(\(LuaText.literal(kind.name)))"
            return "\(LuaText.key(kind.name)) = \(function)"
        }
        if !layers.isEmpty { options.append("layers = { \(layers.joined(separator: ", ")) }") }
        let made = "local connection = wire.connection(states, { \(options.joined(separator: ", ")) })"
        let keys = plan.keys.isEmpty ? [] : Self.keys.split(separator: "\n").map(String.init)
        return ([made] + keys + ["return connection"]).joined(separator: "\n  ")
    }

    private static let keys = #"""
        local keys = request:get("keys") or object()
        for _, name in ipairs(keys.keys) do
          local sender, own = string.match(name, "^(%a+)%.(.+)$")
          if sender ~= "client" and sender ~= "server" then sender, own = nil, name end
          local ok, e = connection:set_key(own, bytes(keys:get(name)), sender)
          if not ok then refuse(e.kind, e.path) end
        end
        """#

    private static let absent = #"""
        -- Layers

        local function absent(name) error({ skipped = name }, 0) end

        local function absent_layer(name)
          local function skip() absent(name) end
          return function() return { open = skip, seal = skip } end
        end

        local function found(name)
          local ok, package_table = pcall(require, name)
          return ok and package_table or absent(name)
        end

        """#

    private static let zlib = #"""
        -- What the package lua-zlib has. Bytes are given one by one, so that no more than the limit is made.
        local function zlib_layer(window)
          local layer = {}
          function layer:open(sealed, _, limit)
            local inflate, parts, size, at_end = found("zlib").inflate(window), {}, 0, false
            for p = 1, #sealed do
              if at_end then return nil, "trailing_bytes" end
              local ok, part, ended = pcall(inflate, string.sub(sealed, p, p))
              if not ok then return nil end
              parts[p], size, at_end = part, size + #part, ended
              if size > limit then return nil, "inflated_too_long" end
            end
            return at_end and table.concat(parts) or nil
          end
          function layer:seal(content) return (found("zlib").deflate(-1, window)(content, "finish")) end
          return function() return layer end
        end

        """#

    private static let aes = #"""
        -- What the package lua-luaossl has.
        local function aes(key, blocks, encrypts)
          local cipher = found("openssl.cipher").new("aes-" .. 8 * #key .. "-ecb")
          if encrypts then cipher:encrypt(key, nil, false) else cipher:decrypt(key, nil, false) end
          return assert(cipher:update(blocks)) .. assert(cipher:final())
        end

        """#
}
