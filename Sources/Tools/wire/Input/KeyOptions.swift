// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

extension Option {
    static let key = Option(
        "--key", value: "NAME=HEX|@FILE",
        "a key of the packets' layers, in hexadecimal digits or as a file's bytes; client.NAME=… and server.NAME=… are for "
            + "that side's packets alone; may be repeated")
}

extension Arguments {
    func layerSettings(of description: ProtocolDescription) throws(CommandError) -> LayerSettings {
        let keys = try layerKeys(of: description)
        var settings = LayerSettings()
        // ``layerKeys(of:)`` has already checked the keys.
        try? settings.setKeys(keys, in: description.layout)
        return settings
    }

    func layerKeys(of description: ProtocolDescription) throws(CommandError) -> [LayerKey] {
        var settings = LayerSettings()
        var keys: [LayerKey] = []
        for text in all(.key) {
            let key = try KeyArgument(text).key()
            do throws(LayerKeyError) {
                try settings.setKeys([key], in: description.layout)
                keys.append(key)
            } catch {
                let known = description.layout.content.layers.flatMap(\.kind.arguments)
                throw .failure(
                    "\(Option.key.name) \(key.name): \(error)", hint: Spelling.help(for: key.name, among: known))
            }
        }
        return keys
    }
}

/// An argument such as `session=00ff` or `client.session=@FILE`.
private struct KeyArgument {
    private let name: Substring
    private let value: Substring

    init(_ text: String) throws(CommandError) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            // The text could be a key, so the error does not contain it.
            throw .usage("\(Option.key.name) needs a name and a key", hint: "as in \(Option.key.name) session=00ff")
        }
        name = text[..<equals]
        value = text[text.index(after: equals)...]
    }

    func key() throws(CommandError) -> LayerKey {
        guard let key = LayerKey(name, try bytes()) else {
            throw .usage(
                "\(Option.key.name): a side is client or server, not \(name.prefix { $0 != "." })")
        }
        return key
    }

    /// The limit is above the size of any key.
    private static let fileByteLimit = 1 << 20

    private func bytes() throws(CommandError) -> [UInt8] {
        guard value.hasPrefix("@") else {
            guard let bytes = try? Hexadecimal.bytes(of: String(value)) else {
                throw .usage("\(Option.key.name) \(name): the key is no pairs of hexadecimal digits")
            }
            return bytes
        }
        let path = String(value.dropFirst())
        do throws(SystemError) {
            return try System.contents(ofFile: path, limit: Self.fileByteLimit)
        } catch {
            throw .failure("cannot read \(path): \(error.reason)")
        }
    }
}
