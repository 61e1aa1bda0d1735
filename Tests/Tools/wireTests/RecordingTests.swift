// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline

/// The file that `wire proxy --record` writes: it may contain secrets, and all its blocks are complete.
@Suite(.aside)
struct RecordingTests {
    /// Records a packet and its echo with a proxy, in a folder that a shell command has prepared.
    private func record(
        _ path: String, _ words: String..., after line: String, in workspace: Workspace
    ) async throws -> Outcome {
        #expect(try workspace.shell(line).status == 0)
        let server = try ServingTool()
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address, "--record", path] + words,
            files: ["Protocols/Scene/Scene.wire": sceneSchema])
        let connection = try await proxy.connect()
        await connection.sendRaw(Array(packetBytes))
        #expect(try await connection.next()?.id == 20_001)
        connection.endOutput()
        #expect(try await connection.rest() == [])
        connection.close()
        let outcome = proxy.end()
        #expect(server.end() == .success(""))
        return outcome
    }

    private func mode(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }

    @Test(arguments: ["echo old > out", "ln -s nothing out", "echo old > old; ln -s old out"])
    func `a file is replaced only if the user asks for it`(line: String) throws {
        let workspace = try Workspace()
        #expect(try workspace.shell(line).status == 0)
        let outcome = try workspace.shell("wire proxy --listen 127.0.0.1:0 --to 127.0.0.1:1 --record out; ls -l")
        #expect(outcome.errors == "error: cannot write out: File exists; --force replaces it\n")
        #expect(outcome.output.contains(" -> ") == line.contains("ln"))
        #expect(try line.contains("nothing") || workspace.read("out") == "old\n")
        let words = try workspace.shell("wire proxy --listen 127.0.0.1:0 --to 127.0.0.1:1 --force")
        #expect(words.status == 2 && words.errors.hasPrefix("error: --force goes with --record FILE\n"))
    }

    /// A pipe that is open for reading and never read.
    @Test func `a recording that nobody takes does not keep the proxy from ending`() async throws {
        let workspace = try Workspace([:])
        let file = workspace.folder.appending(path: "out.pcapng")
        #expect(mkfifo(file.path, 0o600) == 0)
        let reading = FileHandle(fileDescriptor: open(file.path, O_RDONLY | O_NONBLOCK), closeOnDealloc: true)
        let arrived = Seen<Void>()
        // More than a pipe can hold.
        let server = try await rawPeer { all, _ in
            if all.count > 7 << 20, arrived.count == 0 { arrived.add(()) }
            return []
        }
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address, "--record", file.path],
            files: ["Protocols/Scene/Scene.wire": sceneSchema])
        let connection = try await proxy.connect()
        await connection.sendRaw([UInt8](repeating: 0, count: 32 << 20))
        _ = await arrived.first(1)
        let outcome = proxy.end()
        #expect(outcome.status == 1)
        let pattern = #/error: \S+ takes no more: \d+ bytes are not recorded\n/#
        #expect(outcome.errors.contains(pattern), "\(outcome.errors)")
        connection.close()
        withExtendedLifetime(reading) {}
    }

    @Test func `a client's reset ends the server's connection although nothing more is recorded`() async throws {
        let workspace = try Workspace([:])
        let file = workspace.folder.appending(path: "out.pcapng")
        #expect(mkfifo(file.path, 0o600) == 0)
        let reading = FileHandle(fileDescriptor: open(file.path, O_RDONLY | O_NONBLOCK), closeOnDealloc: true)
        let listener = try RawSocket.listen()
        let proxy = try ServingTool(
            running: [
                "proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:\(listener.port())", "--record", file.path,
            ],
            files: ["Protocols/Scene/Scene.wire": sceneSchema])
        let client = try RawSocket.connect(to: proxy.port)
        let server = try await onThread { try listener.accept() }
        async let end: Void = onThread { server.drain() }
        // The server reads all. So the proxy reads no more only because it waits for the recording.
        let piece = [UInt8](repeating: 0, count: 1 << 16)[...]
        var pauseCount = 0
        let isFull = try await eventually {
            pauseCount = client.sendAtOnce(piece) > 0 ? 0 : pauseCount + 1
            return pauseCount == 250
        }
        #expect(isFull)
        client.reset()
        try await end
        let outcome = proxy.end()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("takes no more"), "\(outcome.errors)")
        withExtendedLifetime(reading) {}
    }

    @Test func `a file that others can read is replaced by one that they cannot`() async throws {
        let workspace = try Workspace([:])
        let path = workspace.folder.path + "/out.pcapng"
        let outcome = try await record(
            path, "--force", after: "echo old > out.pcapng; chmod 666 out.pcapng; ln out.pcapng b", in: workspace)
        #expect(outcome.status == 0)
        #expect(try mode(path) == 0o600)
        #expect(try workspace.read("b") == "old\n")
        #expect(try !Capture(Data(contentsOf: URL(filePath: path))).segments.isEmpty)
        #expect(try workspace.shell("ls *.tmp").status != 0)
    }

    @Test func `a link is replaced, and its target stays unchanged`() async throws {
        let workspace = try Workspace([:])
        let path = workspace.folder.path + "/out.pcapng"
        let outcome = try await record(
            path, "--force", after: "echo other > other; ln -s other out.pcapng", in: workspace)
        #expect(outcome.status == 0)
        #expect(try workspace.read("other") == "other\n")
        #expect(try mode(path) == 0o600)
        #expect(try !Capture(Data(contentsOf: URL(filePath: path))).segments.isEmpty)
    }

    @Test func `the errors name a path that is a folder, and a folder that is missing`() throws {
        let workspace = try Workspace()
        let call = "wire proxy --listen 127.0.0.1:0 --to 127.0.0.1:1 --record "
        let folder = try workspace.shell(call + "Protocols")
        #expect(folder == Outcome(status: 1, output: "", errors: "error: cannot write Protocols: Is a directory\n"))
        let nowhere = try workspace.shell(call + "none/out")
        #expect(
            nowhere
                == Outcome(status: 1, output: "", errors: "error: cannot write none/out: No such file or directory\n"))
    }

    @Test func `a recording can go to standard error, to a pipe or to a file`() throws {
        let words = ["proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--record", "/dev/stderr"]
        let files: KeyValuePairs = ["Protocols/Scene/Scene.wire": sceneSchema]
        let piped = try ServingTool(running: words, files: files).end()
        #expect(piped.status == 0 && piped.errors.utf8.prefix(4).elementsEqual([0x0A, 0x0D, 0x0D, 0x0A]))
        let workspace = try Workspace([:])
        let file = workspace.folder.appending(path: "out.pcapng")
        let tool = try ServingTool(running: words, files: files, shellPrefix: "exec 2> \(file.path);")
        #expect(tool.end().status == 0)
        let bytes = try Data(contentsOf: file)
        #expect(try !bytes.isEmpty && Capture(bytes).segments.isEmpty)
    }

    @Test func `on a full disk the file ends with a complete block, and the proxy continues`() async throws {
        let server = try ServingTool()
        let workspace = try Workspace([:])
        let path = workspace.folder.path + "/out.pcapng"
        // A limit on the size of files, in blocks of 512 bytes, stands for a full disk. The thread sanitizer keeps
        // 512 KiB in a file of its own.
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address, "--record", path],
            files: ["Protocols/Scene/Scene.wire": sceneSchema], shellPrefix: "trap '' XFSZ; ulimit -f 1200;")
        let connection = try await proxy.connect()
        let packet = try standardPacket(id: 5, Array(repeating: 7, count: 9_999))
        for _ in 0..<40 {
            await connection.sendRaw(packet)
            #expect(try await connection.next().map { [UInt8](copying: $0.bytes) } == packet)
        }
        connection.endOutput()
        #expect(try await connection.rest() == [])
        connection.close()
        let outcome = proxy.end()
        #expect(outcome.status == 1)
        #expect(outcome.errors == "error: cannot write \(path): File too large; nothing more is recorded\n")
        let bytes = try Data(contentsOf: URL(filePath: path))
        let capture = try Capture(bytes)
        #expect(bytes.count > 400_000 && !capture.segments.isEmpty)
        #expect(server.end() == .success(""))
    }
}
