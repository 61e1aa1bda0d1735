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
    /// Returns the keys of a protocol's layers.
    func layerSettings(of description: ProtocolDescription) throws(CommandError) -> LayerSettings {
        var settings = LayerSettings()
        for text in all(.key) {
            let key = try KeyArgument(text)
            let bytes = try key.bytes()
            do throws(LayerKeyError) {
                try settings.setKey(key.name, bytes, for: key.sender, in: description.layout)
            } catch {
                let known = description.layout.content.layers.flatMap(\.kind.arguments)
                throw .failure(
                    "\(Option.key.name) \(key.name): \(error)", hint: Spelling.help(for: key.name, among: known))
            }
        }
        return settings
    }
}

/// A word such as `session=00ff`, `client.session=@FILE`.
private struct KeyArgument {
    let name: String
    let sender: Sender?
    let value: Substring

    init(_ text: String) throws(CommandError) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            // The text may be a key, and so is not shown.
            throw .usage("\(Option.key.name) needs a name and a key", hint: "as in \(Option.key.name) session=00ff")
        }
        let words = text[..<equals].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        sender = words.count == 2 ? Sender(rawValue: String(words[0])) : nil
        guard words.count == 1 || sender != nil else {
            throw .usage("\(Option.key.name): a side is client or server, not \(words[0])")
        }
        name = String(words[words.count - 1])
        value = text[text.index(after: equals)...]
    }

    /// Longer than any key.
    private static let fileByteLimit = 1 << 20

    func bytes() throws(CommandError) -> [UInt8] {
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
