// SPDX-License-Identifier: Apache-2.0

import IDFirst
import MQTT
import Modbus
import ProtocolsSupport
import Scene
import Telemetry
import Testing
import TestingSupport
import TwoByteHeader
import WirelineCodec
import WirelineSchema

/// Values that the wire cannot carry: both codecs refuse to write them, with the same error.
struct RefusedValueTests {
    @Test(arguments: RefusedValue.all)
    func `a value that does not fit is refused by both codecs`(value: RefusedValue) throws {
        let codecs = try ProtocolFolder.named(value.folder).codecs()
        #expect(codecs.generatedPacket(of: value.message) == value.error)
        #expect(codecs.translatorPacket(of: value.message) == value.error)
    }
}

/// A message that cannot be written, and the reason.
struct RefusedValue: Sendable, CustomTestStringConvertible {
    let folder: String
    let message: any PacketMessage
    let error: String

    var testDescription: String { error }

    init(_ folder: String, _ message: any PacketMessage, _ error: String) {
        self.folder = folder
        self.message = message
        self.error = error
    }

    static let all = texts + numbers + lists + presence

    private static let texts = [
        RefusedValue(
            "Scene", Cs_20001(sceneID: 1, line: 1, message: String(repeating: "a", count: 65_536)),
            "Cs_20001.message: 65536 is over the limit of 65535"),
        RefusedValue(
            "TwoByteHeader", Login(account: String(repeating: "好", count: 22), token: "", server: 1),
            "Cs_10000.account: 66 is over the limit of 64"),
        RefusedValue("Telemetry", hello(model: "a\0b"), "Hello.model: a NUL inside a string that a NUL ends"),
        RefusedValue("Telemetry", hello(model: "0123456789abcdefg"), "Hello.model: 17 is over the limit of 16"),
        RefusedValue("Telemetry", hello(batch: [1, 0]), "Hello.batch: a NUL inside a string that a NUL ends"),
        RefusedValue(
            "Telemetry", hello(features: ["a", "\0"]), "Hello.features[1]: a NUL inside a string that a NUL ends"),
        RefusedValue(
            "Telemetry", Labels(labels: ["a": "1\n2"]),
            "Labels.labels: \"a:1\\n2\" cannot be a property: a key is not empty and has no colon, and neither part a line break"
        ),
        RefusedValue(
            "Telemetry", Remarks(kind: 1, remarks: ["", String(repeating: "a", count: 256)]),
            "Remarks.remarks[1]: 256 is over the limit of 255"),
    ]

    private static let numbers = [
        RefusedValue(
            "TwoByteHeader", Login(account: "", token: "", server: 0), "Cs_10000.server: 0 is not in 1...9999"),
        RefusedValue(
            "Telemetry", position(altitude: 1 << 23), "Position.altitude: 8388608 is not in -8388608...8388607"),
        RefusedValue("Telemetry", position(latitude: 90.5), "Position.latitude: 90.5 is not in -90.0...90.0"),
        RefusedValue("Telemetry", position(latitude: .nan), "Position.latitude: nan is not in -90.0...90.0"),
        RefusedValue(
            "Telemetry", Welcome(time: 0, interval: 0, budget: 100_001), "Welcome.budget: 100001 is not in 1...100000"),
        RefusedValue("MQTT", Puback(packetID: 0), "Puback.packetID: 0 is not in 1...65535"),
    ]

    private static let lists = [
        RefusedValue(
            "Modbus", HoldingRegisters(registers: Array(repeating: 1, count: 126)),
            "HoldingRegisters.registers: 126 is over the limit of 125"),
        RefusedValue(
            "Telemetry", hello(address: [1, 2, 3, 4, 5]), "Hello.address: 5 items where there must be 6"),
        RefusedValue(
            "Telemetry", hello(features: Array(repeating: "", count: 256)),
            "Hello.features: 256 is over the limit of 255"),
        RefusedValue(
            "TwoByteHeader",
            Say(channel: .world, to: 0, text: "", decoration: [], mentions: Array(repeating: "", count: 65_536)),
            "Cs_11000.mentions: 65536 is over the limit of 65535"),
        RefusedValue(
            "TwoByteHeader", Sc_12000(comments: [comment(depth: 9)], isLast: true),
            "Sc_12000.comments[0]" + String(repeating: ".answers[0]", count: 8) + ": nested more than 8 deep"),
    ]

    private static let presence = [
        RefusedValue(
            "IDFirst", register(invitedBy: nil, campaign: "a"),
            "Register.invited_by: is not set, but what follows it is"),
        RefusedValue(
            "IDFirst", register(invitedBy: 1, campaign: nil, trailingBytes: [1]),
            "Register.campaign: is not set, but what follows it is"),
        RefusedValue(
            "MQTT", connect(hasPassword: true, password: nil), "Connect.password: is not set, but its condition holds"),
        RefusedValue(
            "MQTT", connect(hasPassword: false, password: [1]),
            "Connect.password: is set, but its condition does not hold"),
    ]

    // MARK: Messages that are valid except for one field

    private static func hello(
        address: [UInt8] = [1, 2, 3, 4, 5, 6], model: String = "", batch: [UInt8] = [], features: [String] = []
    ) -> Hello {
        Hello(address: address, model: model, batch: batch, features: features, note: "")
    }

    private static func position(latitude: Double = 0, altitude: Int32 = 0) -> Position {
        Position(
            quality: .good, latitude: latitude, longitude: 0, altitude: altitude, speed: 0, gear: .first, alarms: [])
    }

    private static func connect(hasPassword: Bool, password: [UInt8]?) -> Connect {
        Connect(
            protocolName: "MQTT", protocolLevel: 4, hasUserName: true, hasPassword: hasPassword, willRetain: false,
            willQoS: .atMostOnce, hasWill: false, cleanSession: true, keepAlive: 0, clientID: "", userName: "",
            password: password)
    }

    private static func comment(depth: Int) -> TwoByteHeader.Comment {
        TwoByteHeader.Comment(author: 1, text: "", answers: depth > 1 ? [comment(depth: depth - 1)] : [])
    }

    private static func register(invitedBy: UInt64?, campaign: String?, trailingBytes: [UInt8] = []) -> Register {
        Register(
            deviceIdentifier: "", device: .phone, version: AppVersion(major: 1, minor: 0), invitedBy: invitedBy,
            campaign: campaign, trailingBytes: trailingBytes)
    }
}
