// SPDX-License-Identifier: Apache-2.0

package main

import "encoding/json"

// connected is a connection with states.
type connected struct{ *Connection }

func newCoder(state json.RawMessage) packetCoder {
	parsed, err := parse(string(state))
	must(err == nil)
	return connected{connect(parsed.(object))}
}

func (c connected) scan(data []byte, atEOF bool, sender Sender) (advance int, token []byte, err error) {
	return split(data, atEOF, sender, c.Connection)
}
