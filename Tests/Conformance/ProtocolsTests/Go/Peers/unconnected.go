// SPDX-License-Identifier: Apache-2.0

package main

import "encoding/json"

// unconnected is a package whose packets depend on no connection.
type unconnected struct{}

func newCoder(state json.RawMessage) packetCoder { return unconnected{} }

func (unconnected) Decode(b []byte, sender Sender) (*Packet, error) { return Decode(b, sender) }

func (unconnected) EncodeFrom(sender Sender, m Message, header *Header) ([]byte, error) {
	return encode(sender, m, header)
}

func (unconnected) NewSplitter(sender Sender) *Splitter { return NewSplitter(sender) }

func (unconnected) scan(data []byte, atEOF bool, sender Sender) (advance int, token []byte, err error) {
	return split(data, atEOF, sender)
}
