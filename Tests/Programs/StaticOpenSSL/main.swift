// SPDX-License-Identifier: Apache-2.0

import Glibc
import Scene
import Wireline

/// A server and a client in one process, with TLS of the OpenSSL that the program brings. Prints what came back, and the
/// libraries of OpenSSL that the system has loaded. The arguments are the files of a certificate for `localhost` and its key.
@main
struct StaticOpenSSL {
    static func main() async throws {
        let (certificate, key) = (CommandLine.arguments[1], CommandLine.arguments[2])
        var handlers = MessageHandlers<SceneProtocol, Void>()
        handlers.reply(to: Cs_20001.self) { enter, client in
            Sc_20001(
                res: 1, sceneID: UInt32(enter.sceneID), pos: 0, status: 0, type: 0, defaultCombat: 0,
                message: enter.message + "!")
        }
        let identity = TLSIdentity(certificateChain: .file(certificate), privateKey: .file(key))
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0,
            configuration: ServerConfiguration(
                listening: ListeningOptions(tls: TLSContext(.server(identity: identity)))),
            handlers: handlers)
        for version in [TLSVersion.tls12, .tls13] {
            var tls = TLSConfiguration.client()
            tls.trustRoots = .only(.file(certificate))
            tls.maximumVersion = version
            let client = try await PacketClient.connect(
                to: "localhost", port: server.address.port, protocol: SceneProtocol.self,
                configuration: ClientConfiguration(dialing: DialingOptions(tls: TLSContext(tls))))
            let reply = try await client.request(Cs_20001(sceneID: 7, line: 2, message: "hello"))
            let details = await client.connection.tlsDetails()
            print(details.map { "\($0.version)" } ?? "no TLS", reply.message)
            client.close()
        }
        await server.shutDown()
        let libraries = mappedFiles().filter { $0.contains("libssl") || $0.contains("libcrypto") }
        print("libraries:", libraries.sorted().joined(separator: " "))
    }

    /// The names of the files that are mapped into this process.
    private static func mappedFiles() -> Set<String> {
        guard let file = fopen("/proc/self/maps", "r") else { return ["no /proc/self/maps: libssl?"] }
        defer { fclose(file) }
        var names: Set<String> = []
        var line: UnsafeMutablePointer<CChar>?
        var room = 0
        defer { free(line) }
        while getline(&line, &room, file) > 0, let line {
            if let name = String(cString: line).split(separator: "/").last?.split(separator: "\n").first {
                names.insert(String(name))
            }
        }
        return names
    }
}
