// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// What a sniffer records of TCP connections to a server, as a pcap file (draft-ietf-opsawg-pcap). It is made of bytes,
/// so that segments can be split, repeated or in any order.
///
///     global header                       for each frame
///     +-------+-----+------+------+----+  +------+------+------+-----+---------+
///     | magic | 2.4 | 0, 0 | most | IP |  | time | time | size |size | IP, TCP |
///     +-------+-----+------+------+----+  +------+------+------+-----+---------+
public struct CaptureFile: Sendable {
    /// The port at which all servers listen.
    public static let serverPort: UInt16 = 9001
    /// The port of a client's first connection; each further connection uses the next port. When the ports are used up,
    /// the connections belong to the next client: the first is 10.0.0.1, the next ones are 10.0.1.1, 10.0.2.1 and so
    /// on.
    public static let firstClientPort: UInt16 = 20_000
    /// The most connections of one client.
    public static let connectionsPerClient = 65_536 - Int(firstClientPort)
    /// The most connections in a file: those of 65,536 clients.
    public static let mostConnections = 65_536 * connectionsPerClient
    /// The most bytes of a segment that a frame can hold.
    public static let mostSegmentByteCount = 60_000

    /// The file.
    public private(set) var bytes: [UInt8] = []
    /// The connection of each frame.
    public private(set) var connections: [Int] = []

    /// Makes a file without frames.
    public init() {
        append(0xA1B2_C3D4 as UInt32)
        append(2 as UInt16)
        append(4 as UInt16)
        append(0 as UInt64)
        append(0x40000 as UInt32)
        // LINKTYPE_IPV4: no Ethernet around it.
        append(228 as UInt32)
    }

    /// Opens a connection: the three segments of its handshake.
    ///
    /// - Parameter connection: Its number, from 0.
    public mutating func open(_ connection: Int = 0) {
        addFrame([], sequence: 1000, connection, .client, flags: 0x02)
        addFrame([], sequence: 1000, connection, .server, flags: 0x12)
        addFrame([], sequence: 1001, connection, .client, flags: 0x10)
    }

    /// Adds a segment from one side.
    ///
    /// - Parameters:
    ///   - payload: Its bytes.
    ///   - offset: How many bytes that side has sent before them, whatever the order of the segments. After 4 GiB the
    ///     sequence numbers wrap around, as in TCP.
    ///   - sender: The side.
    ///   - connection: The number of the connection, from 0, below ``mostConnections``.
    public mutating func add(_ payload: [UInt8], at offset: Int, from sender: Sender, _ connection: Int = 0) {
        addFrame(payload, sequence: 1001 &+ UInt32(truncatingIfNeeded: offset), connection, sender, flags: 0x18)
    }

    /// Adds all output of one side, in segments that end at these offsets and at the end.
    public mutating func add(_ stream: [UInt8], cutAt cuts: [Int], from sender: Sender, _ connection: Int = 0) {
        var start = 0
        for end in cuts + [stream.count] where end > start {
            add(Array(stream[start..<end]), at: start, from: sender, connection)
            start = end
        }
    }

    private mutating func addFrame(
        _ payload: [UInt8], sequence: UInt32, _ connection: Int, _ sender: Sender, flags: UInt8
    ) {
        precondition((0..<Self.mostConnections).contains(connection), "a connection that cannot be told from others")
        precondition(payload.count <= Self.mostSegmentByteCount, "more bytes than a segment can have")
        let byteCount = 40 + payload.count
        let frameCount = connections.count
        connections.append(connection)
        append(UInt32(1_700_000_000 + frameCount / 1000))
        append(UInt32(frameCount % 1000 * 1000))
        append(UInt32(byteCount))
        append(UInt32(byteCount))
        // The checksums stay 0: readers check them only on request.
        append(0x4500 as UInt16)
        append(UInt16(byteCount))
        append(0x0000_4000 as UInt32)
        append(0x4006_0000 as UInt32)
        let (clientNumber, portNumber) = connection.quotientAndRemainder(dividingBy: Self.connectionsPerClient)
        let (client, server) = (0x0A00_0001 + UInt32(clientNumber) << 8, 0x0A00_0002 as UInt32)
        append(sender == .client ? client : server)
        append(sender == .client ? server : client)
        let clientPort = Self.firstClientPort + UInt16(portNumber)
        append(sender == .client ? clientPort : Self.serverPort)
        append(sender == .client ? Self.serverPort : clientPort)
        append(sequence)
        append(1001 as UInt32)
        append(0x5000 | UInt16(flags))
        append(0xFFFF as UInt16)
        append(0 as UInt32)
        bytes += payload
    }

    private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }
}
