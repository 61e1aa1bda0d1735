// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Scene
    import Testing
    import TestingSupport
    import Wireline
    import WirelineTransport

    /// How a process learns that it should end. Each test runs in a process of its own.
    @Suite(.ahead)
    struct ShutdownSignalTests {
        @Test func `the first signal drains a server, and no handler stays`() async {
            await #expect(processExitsWith: .exitCode(7)) {
                let handled = Gate()
                let server = try await PacketServer.start(
                    at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: .patient
                ) { client in
                    handled.open()
                    while let packet = try await client.nextPacket() { try await client.forward(packet) }
                }
                let client = try await PacketClient.connect(
                    to: "127.0.0.1", port: server.address.port, protocol: SceneProtocol.self, configuration: .patient)
                try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
                await handled.wait()
                async let signal = server.runUntilSignal()
                await untilCaught(SIGTERM)
                kill(getpid(), SIGTERM)
                // What was sent before the drain is answered, and then the stream ends.
                guard try await client.nextPacket() != nil, try await client.nextPacket() == nil else { exit(1) }
                client.close()
                guard try await signal == .terminate, server.isDraining else { exit(2) }
                guard isUsual(SIGTERM), isUsual(SIGINT) else { exit(3) }
                exit(7)
            }
        }

        @Test func `the second signal ends the process`() async {
            await #expect(processExitsWith: .signal(SIGTERM)) {
                async let signal = ShutdownSignal.wait()
                await untilCaught(SIGINT)
                kill(getpid(), SIGINT)
                guard try await signal == .interrupt else { exit(1) }
                kill(getpid(), SIGTERM)
                // Not reached if the signal has its usual effect.
                try await Task.sleep(for: .seconds(60))
                exit(2)
            }
        }

        @Test func `a cancelled wait leaves the signals as they were`() async {
            await #expect(processExitsWith: .exitCode(7)) {
                let waiting = Task { () throws(TransportError) in try await ShutdownSignal.wait() }
                await untilCaught(SIGTERM)
                waiting.cancel()
                guard case .failure(let error) = await waiting.result, error as? TransportError == .cancelled
                else { exit(1) }
                guard isUsual(SIGTERM), isUsual(SIGINT) else { exit(2) }
                exit(7)
            }
        }

        @Test func `one signal resumes all tasks that wait, and later tasks wait for the next one`() async {
            await #expect(processExitsWith: .exitCode(7)) {
                for number in [SIGTERM, SIGINT] {
                    async let first = ShutdownSignal.wait()
                    async let second = ShutdownSignal.wait()
                    await untilCaught(number)
                    // The second task may begin to wait after the signal; it gets the same one again.
                    let repeating = Task {
                        while !Task.isCancelled {
                            if !isUsual(number) { kill(getpid(), number) }
                            try? await Task.sleep(for: .milliseconds(5))
                        }
                    }
                    let signals = try await [first, second]
                    repeating.cancel()
                    await repeating.value
                    guard signals == (number == SIGINT ? [.interrupt, .interrupt] : [.terminate, .terminate])
                    else { exit(1) }
                }
                exit(7)
            }
        }

        @Test func `an ignored signal stays ignored`() async {
            await #expect(processExitsWith: .exitCode(7)) {
                signal(SIGINT, SIG_IGN)
                async let first = ShutdownSignal.wait()
                await untilCaught(SIGTERM)
                kill(getpid(), SIGINT)
                kill(getpid(), SIGTERM)
                guard try await first == .terminate else { exit(1) }
                exit(7)
            }
        }

        @Test func `a server that another task shuts down ends the wait`() async {
            await #expect(processExitsWith: .exitCode(7)) {
                let server = try await PacketServer.start(
                    at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: .patient
                ) { _ in
                }
                async let signal = server.runUntilSignal()
                await untilCaught(SIGTERM)
                await server.shutDown()
                guard try await signal == nil, isUsual(SIGTERM) else { exit(1) }
                exit(7)
            }
        }
    }

    /// Whether a signal has its default effect.
    private func isUsual(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return action.__sigaction_handler.sa_handler == nil
    }

    /// Waits until a handler for a signal is set.
    private func untilCaught(_ number: Int32) async {
        while isUsual(number) { try? await Task.sleep(for: .milliseconds(2)) }
    }
#endif
