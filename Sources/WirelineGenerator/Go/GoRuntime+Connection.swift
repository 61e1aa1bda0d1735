// SPDX-License-Identifier: Apache-2.0

/// What the functions that programs use do with a connection.
extension GoRuntime {
    static let wrappingInConnection = #"""
        shape, fault := shapeOf(sender, c)
        	if w.err == nil {
        		w.err = fault
        	}
        	packet := wrap(shape, w, id, header)
        """#

    static func reshaping(_ parameters: GoRuntimeParameters) -> String {
        #"""
        	// How much is needed depends on the packet's shape, which packets of the other side may change.
        	shape, fault := shapeOf(s.sender, s.c\#(parameters.layers == nil ? "" : ", false"))
        	if fault != nil {
        		s.err = fault
        		return nil, fault
        	}
        	if shape != s.shape {
        		s.shape, s.wanted = shape, 0
        	}

        """#
    }

    /// The functions for the first packet of a connection.
    static let withoutConnection = #"""
        // Encode is the first packet of a connection.
        func Encode(m Message, header *Header) ([]byte, error) { return new(Connection).Encode(m, header) }

        // EncodeFrom is the first packet of a connection, which one side sends.
        func EncodeFrom(sender Sender, m Message, header *Header) ([]byte, error) {
        	return new(Connection).EncodeFrom(sender, m, header)
        }

        // Decode is the first packet of a connection, with which bytes begin; nil without an error if it has not arrived whole.
        func Decode(b []byte, sender Sender) (*Packet, error) { return new(Connection).Decode(b, sender) }

        // NewSplitter makes a splitter of what one side sends on a new connection.
        func NewSplitter(sender Sender) *Splitter { return new(Connection).NewSplitter(sender) }
        """#
}
