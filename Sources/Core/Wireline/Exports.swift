// SPDX-License-Identifier: Apache-2.0

// A program that imports Wireline also gets the types that it names: in configurations, messages and errors. The cores
// (engines, splitters, readers and writers) stay in their modules; a program that drives one imports its module.
@_exported public import WirelineTransport

// Messages and packets.
@_exported public import protocol WirelineCodec.ClientMessage
@_exported public import struct WirelineCodec.CodecError
@_exported public import protocol WirelineCodec.FieldwiseDescription
@_exported public import struct WirelineCodec.HiddenValue
@_exported public import protocol WirelineCodec.IncomingMessage
@_exported public import protocol WirelineCodec.NamedFlags
@_exported public import protocol WirelineCodec.NamedValue
@_exported public import struct WirelineCodec.Packet
@_exported public import struct WirelineCodec.PacketHeader
@_exported public import struct WirelineCodec.PacketLayout
@_exported public import protocol WirelineCodec.PacketMessage
@_exported public import protocol WirelineCodec.PacketProtocol
@_exported public import struct WirelineCodec.Properties
@_exported public import protocol WirelineCodec.ReplyChoice
@_exported public import protocol WirelineCodec.RequestMessage
@_exported public import protocol WirelineCodec.ServerMessage
// Layers of packets.
@_exported public import enum WirelineLayers.LayerKeyError
@_exported public import struct WirelineLayers.LayerOptions
@_exported public import protocol WirelineLayers.PacketLayer
// Certificates and keys.
@_exported public import struct WirelineTLS.TLSAlert
@_exported public import enum WirelineTLS.TLSAvailability
@_exported public import enum WirelineTLS.TLSClientCertificates
@_exported public import struct WirelineTLS.TLSConfiguration
@_exported public import class WirelineTLS.TLSContext
@_exported public import enum WirelineTLS.TLSError
@_exported public import struct WirelineTLS.TLSIdentity
@_exported public import struct WirelineTLS.TLSKeyHash
@_exported public import struct WirelineTLS.TLSKeyLog
@_exported public import enum WirelineTLS.TLSMaterial
@_exported public import enum WirelineTLS.TLSPEM
@_exported public import struct WirelineTLS.TLSPeerCertificate
@_exported public import enum WirelineTLS.TLSPinOutcome
@_exported public import struct WirelineTLS.TLSPins
@_exported public import enum WirelineTLS.TLSTrustRoots
@_exported public import enum WirelineTLS.TLSVersion
// Messages, handshakes and errors of WebSockets.
@_exported public import struct WirelineWebSocket.WebSocketAgreement
@_exported public import enum WirelineWebSocket.WebSocketAnswer
@_exported public import struct WirelineWebSocket.WebSocketClose
@_exported public import struct WirelineWebSocket.WebSocketCloseCode
@_exported public import struct WirelineWebSocket.WebSocketCredentials
@_exported public import struct WirelineWebSocket.WebSocketDeflate
@_exported public import struct WirelineWebSocket.WebSocketEnd
@_exported public import enum WirelineWebSocket.WebSocketError
@_exported public import enum WirelineWebSocket.WebSocketHandshakeFault
@_exported public import struct WirelineWebSocket.WebSocketHandshakePolicy
@_exported public import enum WirelineWebSocket.WebSocketHeadFault
@_exported public import struct WirelineWebSocket.WebSocketHeaders
@_exported public import enum WirelineWebSocket.WebSocketHostPolicy
@_exported public import enum WirelineWebSocket.WebSocketMessage
@_exported public import enum WirelineWebSocket.WebSocketMessageKind
@_exported public import enum WirelineWebSocket.WebSocketOriginPolicy
@_exported public import struct WirelineWebSocket.WebSocketPage
@_exported public import struct WirelineWebSocket.WebSocketRequest
@_exported public import struct WirelineWebSocket.WebSocketResponse
@_exported public import struct WirelineWebSocket.WebSocketURL
@_exported public import enum WirelineWebSocket.WebSocketURLFault
@_exported public import struct WirelineWebSocket.WebSocketUpgradeRequest
@_exported public import enum WirelineWebSocket.WebSocketViolation
