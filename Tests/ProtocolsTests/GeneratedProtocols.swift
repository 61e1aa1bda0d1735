// SPDX-License-Identifier: Apache-2.0

import AMQP
import ErlangPacket1
import ErlangPacket2
import ErlangPacket4
import Goim
import IDFirst
import MQTT
import MagicHeader
import Modbus
import Pomelo
import QSIOP
import Scene
import ServiceCommand
import ShortStrings
import Skynet
import Telemetry
import Testing
import TestingSupport
import TwoByteHeader
import WirelineCodec
import WirelineSchema

extension ProtocolFolder {
    /// What the plugin made of each folder.
    static let generated: [any PacketProtocol.Type] = [
        AMQPProtocol.self, ErlangPacket1Protocol.self, ErlangPacket2Protocol.self, ErlangPacket4Protocol.self,
        GoimProtocol.self, IDFirstProtocol.self, MQTTProtocol.self, MagicHeaderProtocol.self, ModbusProtocol.self,
        PomeloProtocol.self, QSIOPProtocol.self, SceneProtocol.self, ServiceCommandProtocol.self,
        ShortStringsProtocol.self, SkynetProtocol.self, TelemetryProtocol.self, TwoByteHeaderProtocol.self,
    ]

    /// What the plugin made of this folder.
    func generated() throws -> any PacketProtocol.Type {
        try #require(Self.generated.first { $0.protocolName == name })
    }

    /// What was generated, and what needs nothing generated.
    func codecs() throws -> CodecPair { CodecPair(try generated(), translator) }
}
