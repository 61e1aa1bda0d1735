// SPDX-License-Identifier: Apache-2.0

import AMQP
import Bilibili
import Checksums
import Envelope
import ErlangPacket1
import ErlangPacket2
import ErlangPacket4
import Features
import GT06
import Goim
import HTTP2
import Headers
import IDFirst
import JTT808
import JTT809
import KeyedGame
import MQTT
import MagicHeader
import Minecraft
import Modbus
import Pomelo
import PostgreSQL
import QSIOP
import Realm
import Scene
import Senders
import ServiceCommand
import Shapes
import ShortStrings
import Skynet
import States
import Telemetry
package import TestingSupport
import TwoByteHeader
package import WirelineCodec
import Zabbix

extension ProtocolFolder {
    /// What the plugin made of each folder.
    package static let generated: [any PacketProtocol.Type] = [
        AMQPProtocol.self, BilibiliProtocol.self, ChecksumsProtocol.self, EnvelopeProtocol.self,
        ErlangPacket1Protocol.self, ErlangPacket2Protocol.self, ErlangPacket4Protocol.self, GT06Protocol.self,
        GoimProtocol.self,
        HTTP2Protocol.self, HeadersProtocol.self, IDFirstProtocol.self, JTT808Protocol.self, JTT809Protocol.self,
        KeyedGameProtocol.self, MQTTProtocol.self, MagicHeaderProtocol.self, MinecraftProtocol.self,
        ModbusProtocol.self, PomeloProtocol.self, PostgreSQLProtocol.self,
        QSIOPProtocol.self,
        RealmProtocol.self, SceneProtocol.self, SendersProtocol.self, ServiceCommandProtocol.self, ShapesProtocol.self,
        ShortStringsProtocol.self,
        SkynetProtocol.self, StatesProtocol.self, TelemetryProtocol.self, TwoByteHeaderProtocol.self,
        ZabbixProtocol.self,
    ]

    /// What the plugin made of this folder.
    package func generated() throws(UnknownProtocol) -> any PacketProtocol.Type {
        guard let type = (Self.generated + [FeaturesProtocol.self]).first(where: { $0.protocolName == name }) else {
            throw UnknownProtocol(name: name)
        }
        return type
    }

    /// What was generated, and what needs nothing generated.
    package func codecs() throws(UnknownProtocol) -> CodecPair { CodecPair(try generated(), translator) }
}
