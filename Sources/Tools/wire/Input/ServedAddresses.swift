// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// The addresses of a server, at least one.
struct ServedAddresses: CustomStringConvertible {
    let addresses: [ListeningAddress]
    /// The arguments that name the addresses.
    let description: String

    /// The argument that stands for the sockets that systemd passes to the process.
    private static let inherited = "systemd:"

    /// - Parameters:
    ///   - words: The arguments, each with the name of its parameter or option; at least one.
    ///   - arguments: All arguments, for the options of addresses.
    init(_ words: [(text: String, name: String)], _ arguments: Arguments) throws(CommandError) {
        let mode = try Self.mode(arguments)
        var addresses: [ListeningAddress] = []
        for word in words {
            guard word.text != Self.inherited else {
                let inherited = ServiceManager.inheritedAddresses()
                guard !inherited.isEmpty else { throw .usage("\(word.name): systemd has handed over no socket") }
                addresses += inherited
                continue
            }
            let endpoint = try HostAndPort(word.text, of: word.name, isServed: true)
            addresses.append(endpoint.unixPath.map { .unix($0, mode: mode) } ?? endpoint.listening)
        }
        self.addresses = addresses
        description = words.map(\.text).joined(separator: ", ")
    }

    /// Reads the first argument of the command and each `--listen`.
    init(_ arguments: Arguments) throws(CommandError) {
        try self.init(
            [(arguments.word(at: 0) ?? "", Parameter.endpoint.name)]
                + arguments.all(.listenAlso).map { ($0, Option.listenAlso.name) }, arguments)
    }

    private static func mode(_ arguments: Arguments) throws(CommandError) -> UInt16? {
        guard let text = arguments[.socketMode] else { return nil }
        guard let mode = UInt16(text, radix: 8), mode <= 0o777 else {
            throw .usage("\(Option.socketMode.name) is three octal digits, such as 660; `\(text)` is not")
        }
        return mode
    }
}

extension Option {
    static let listenAlso = Option(
        "--listen", value: "HOST:PORT",
        "also listen at this address, or at unix:PATH; systemd: takes the sockets that systemd hands over; repeat it for "
            + "more")
    static let socketMode = Option(
        "--socket-mode", value: "MODE", "the permissions of the files of unix: addresses: 660 (default: by the umask)")
}
