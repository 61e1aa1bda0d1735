import LiveRoom
import Testing
import WirelineTesting

@testable import LiveRoomServer

/// The server's handlers, with clients on a network in memory.
struct LiveRoomTests {
    private let network: TestNetwork
    private let server: TestServer<LiveRoomProtocol>

    init() async throws {
        network = try TestNetwork()
        var configuration = ServerConfiguration()
        configuration.listening.idleTimeout = .seconds(90)
        server = try await network.serve(try Service().handlers(), configuration: configuration) { _ in Visitor() }
    }

    /// Connects a client and logs it in.
    private func logIn(_ name: String) async throws -> TestClient<LiveRoomProtocol> {
        let client = try await network.connect(to: server, as: name)
        let welcome = try await client.request(Login(name: name, token: "let-me-in"))
        #expect(welcome.result == .welcome)
        return client
    }

    @Test func `a guest who enters is seen by the others, and leaves when the connection ends`() async throws {
        let (lin, mo) = (try await logIn("Lin"), try await logIn("Mo"))
        #expect(try await lin.request(EnterRoom(room: 1)).users == [User(id: 1, name: "Lin")])
        #expect(try await mo.request(EnterRoom(room: 1)).users.map(\.name) == ["Lin", "Mo"])
        try await lin.expect(UserEntered(user: User(id: 2, name: "Mo")))
        await mo.reset()
        try await lin.expect(UserLeft(user: User(id: 2, name: "Mo")))
    }

    @Test func `what is said reaches everybody in the room, and nobody else`() async throws {
        let (lin, mo, other) = (try await logIn("Lin"), try await logIn("Mo"), try await logIn("Other"))
        for client in [lin, mo] { _ = try await client.request(EnterRoom(room: 1)) }
        _ = try await other.request(EnterRoom(room: 2))
        await lin.skipAll()
        try await mo.send(Say(text: "hello"))
        let said = Said(user: User(id: 2, name: "Mo"), text: "hello")
        try await lin.expect(said)
        try await mo.expect(said)
        try await other.expectNothing()
    }

    @Test func `a client that has not logged in is kicked`() async throws {
        let client = try await network.connect(to: server)
        try await client.send(Say(text: "hello"))
        try await client.expect(Goodbye(reason: .kicked))
        try await client.expectEnd()
    }

    @Test func `names are taken once, and tokens are checked`() async throws {
        let lin = try await logIn("Lin")
        let client = try await network.connect(to: server)
        #expect(try await client.request(Login(name: "Lin", token: "let-me-in")).result == .nameTaken)
        #expect(try await client.request(Login(name: "Mo", token: "wrong")).result == .wrongToken)
        await lin.close()
        #expect(try await client.request(Login(name: "Lin", token: "let-me-in")).result == .welcome)
    }

    @Test func `only a moderator kicks`() async throws {
        let (lin, admin) = (try await logIn("Lin"), try await logIn("admin"))
        try await lin.send(KickUser(name: "admin"))
        try await admin.expectNothing()
        try await admin.send(KickUser(name: "Lin"))
        try await lin.expect(Goodbye(reason: .kicked))
        try await lin.expectEnd()
    }

    @Test func `more than 20 messages in 5 seconds are dropped`() async throws {
        let lin = try await logIn("Lin")
        _ = try await lin.request(EnterRoom(room: 1))
        for number in 1...25 { try await lin.send(Say(text: "\(number)")) }
        for number in 1...20 { #expect(try await lin.expect(Said.self).text == "\(number)") }
        try await lin.expectNothing(for: .seconds(5))
        try await lin.send(Say(text: "again"))
        #expect(try await lin.expect(Said.self).text == "again")
    }

    @Test func `a silent client times out, and one that pings does not`() async throws {
        let (lin, mo) = (try await logIn("Lin"), try await logIn("Mo"))
        for _ in 0..<3 {
            await network.advance(by: .seconds(30))
            _ = try await mo.request(Ping())
        }
        try await lin.expectEnd()
        try await mo.expectNothing()
    }

    @Test func `the server says goodbye before it restarts`() async throws {
        let lin = try await logIn("Lin")
        try await server.shutDown(telling: Goodbye(reason: .serverRestarts))
        try await lin.expect(Goodbye(reason: .serverRestarts))
        try await lin.expectEnd()
    }

    @Test(arguments: [.bytes(1), .random(seed: 1), .random(seed: 2)] as [TestNetwork.Delivery])
    func `messages may arrive in any pieces`(delivery: TestNetwork.Delivery) async throws {
        network.delivery = delivery
        let lin = try await logIn("Lin")
        #expect(try await lin.request(EnterRoom(room: 1)).users == [User(id: 1, name: "Lin")])
    }
}
