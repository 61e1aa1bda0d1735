// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

@testable import wire

/// `wire probe` against the servers that a program is likely to meet, as Debian packages them.
extension ProbeTests {
    /// Starts a server on a free port, and expects a verdict.
    private func expect(
        _ verdict: Probe.Verdict, of line: (_ port: UInt16) -> String, announcing announcement: String,
        files: (_ port: UInt16) -> KeyValuePairs<String, String> = { _ in [:] }
    ) async throws {
        let folder = try Workspace([:])
        let server = try await PeerProcess.onFreePort { port in
            for (path, text) in files(port) { try folder.write(text, to: path) }
            return try PeerProcess(line(port), in: folder, port: port, announcing: announcement)
        }
        #expect(try await probe("127.0.0.1:\(server.port)", for: verdict) == verdict)
        // Some read their files again for each connection.
        withExtendedLifetime(folder) { server.stop() }
    }

    @Test(.enabled(if: Peers.isWanted("mosquitto"), "mosquitto is not on the PATH: install mosquitto"))
    func `mosquitto speaks MQTT`() async throws {
        let framing = Framing(offset: 1, width: 1, order: .bigEndian, excess: 2)
        try await expect(
            .packets(framing, name: "MQTT 3.1.1"), of: { _ in "mosquitto -c m.conf" }, announcing: " running",
            files: { ["m.conf": "listener \($0) 127.0.0.1\nallow_anonymous true\n"] })
    }

    @Test(.enabled(if: Peers.isWanted("memcached"), "memcached is not on the PATH: install memcached"))
    func `a memcached that speaks only text is recognised, too`() async throws {
        try await expect(
            .other("memcached"), of: { "memcached -u nobody -l 127.0.0.1 -p \($0) -B ascii -vv" },
            announcing: "server listening")
    }

    @Test(.enabled(if: Peers.isWanted("memcached"), "memcached is not on the PATH: install memcached"))
    func `a memcached is recognised by its packets`() async throws {
        let framing = Framing(offset: 8, width: 4, order: .bigEndian, excess: 24)
        try await expect(
            .packets(framing, name: "as of memcached's binary protocol"),
            of: { "memcached -u nobody -l 127.0.0.1 -p \($0) -vv" }, announcing: "server listening")
    }

    private static let nginx = "nginx -p . -e stderr -c n.conf"
    private static let nginxStart = "daemon off; master_process off; error_log stderr notice; pid n.pid;\n"

    @Test(
        .enabled(if: Peers.isWanted("nginx"), "nginx is not on the PATH: install nginx"),
        arguments: [
            ("", Probe.Verdict.other("HTTP")),
            (
                " http2",
                .packets(Framing(offset: 0, width: 3, order: .bigEndian, excess: 9), name: "as of HTTP/2")
            ),
        ])
    func `nginx speaks HTTP`(_ option: String, _ verdict: Probe.Verdict) async throws {
        try await expect(
            verdict, of: { _ in Self.nginx }, announcing: "getrlimit",
            files: { port in
                let http = "http { access_log off; server { listen 127.0.0.1:\(port)\(option); } }"
                return ["n.conf": Self.nginxStart + "events {}\n" + http]
            })
    }

    @Test(
        .enabled(if: Peers.isWanted("nginx"), "nginx is not on the PATH: install nginx and libnginx-mod-rtmp"))
    func `nginx with its module for RTMP is recognised`() async throws {
        try await expect(
            .other("RTMP"), of: { _ in Self.nginx }, announcing: "getrlimit",
            files: { port in
                let module = "load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;\nevents {}\n"
                let rtmp = "rtmp { server { listen 127.0.0.1:\(port); application live { live on; } } }"
                return ["n.conf": Self.nginxStart + module + rtmp]
            })
    }

    @Test(.enabled(if: Peers.isWanted("sshd"), "sshd is not on the PATH: install openssh-server"))
    func `sshd speaks SSH`() async throws {
        // Only an init system makes the folder that sshd wants when root starts it.
        let start = #"[ "$(id -u)" != 0 ] || mkdir -p /run/sshd; [ -e key ] || ssh-keygen -q -t ed25519 -N "" -f key"#
        try await expect(
            .other("SSH"),
            of: { port in
                let server = "$(command -v sshd) -D -e -p \(port) -o ListenAddress=127.0.0.1 -o PidFile=none"
                return "sh -c '\(start); exec \(server) -f /dev/null -h $PWD/key'"
            }, announcing: "Server listening")
    }

    @Test(.enabled(if: Peers.isWanted("epmd"), "epmd is not on the PATH: install erlang-base"))
    func `Erlang's port mapper is recognised, not taken for DNS`() async throws {
        let framing = Framing(offset: 0, width: 2, order: .bigEndian, excess: 2)
        let name = "as of epmd, Erlang's port mapper, whose answers have no length"
        try await expect(
            .packets(framing, name: name), of: { "epmd -d -d -address 127.0.0.1 -port \($0)" },
            announcing: "entering the main select() loop")
    }

    @Test(.enabled(if: DNSMasqTool.isWanted, Comment(rawValue: DNSMasqTool.absence)))
    func `dnsmasq speaks DNS`() async throws {
        let server = try DNSMasqTool(["--host-record=game.test,192.0.2.7"])
        let verdict = Probe.Verdict.packets(
            Framing(offset: 0, width: 2, order: .bigEndian, excess: 2), name: "as of DNS over TCP")
        #expect(try await probe("127.0.0.1:\(server.port)", for: verdict) == verdict)
    }

    @Test(.enabled(if: ProxyTool.isWanted, Comment(rawValue: ProxyTool.absence)), arguments: [true, false])
    func `a SOCKS proxy is recognised, with a password or without`(_ hasPassword: Bool) async throws {
        let proxy = try await ProxyTool.start(.microsocks, credentials: hasPassword ? ("ann", "s3cret") : nil)
        #expect(try await probe("127.0.0.1:\(proxy.port)", for: .other("SOCKS 5")) == .other("SOCKS 5"))
    }
}
