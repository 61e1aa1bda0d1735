// SPDX-License-Identifier: Apache-2.0

package main

// A part of the adapters of protocols with layers in the tests. Each line of input is a conversation: {"keys":{"session":"00ff"},"seed":7,
// "packets":[{"from":"client","hex":"00…"}],"bad":{"from":"client","hex":"00…"}}. The packets are read one by one, and by splitters of both
// sides, cut in many ways. What was read is written again, by a new connection; that is printed, and the error of the packet that ends it.

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"strings"
)

func init() { questions["conversations"] = conversations }

type sentPacket struct{ From, Hex string }

func (p sentPacket) sender() Sender {
	if p.From == "server" {
		return Server
	}
	return Client
}

type conversation struct {
	Keys    map[string]string
	Seed    int64
	Packets []sentPacket
	Bad     *sentPacket
}

// connection is a new one. A package without keys has no SetKey.
func (c conversation) connection() *Connection {
	made := &Connection{}
	for name, key := range c.Keys {
		with, ok := interface{}(made).(interface {
			SetKey(name string, key []byte, senders ...Sender) error
		})
		must(ok && with.SetKey(name, unhexed(key)) == nil, name)
	}
	return made
}

func conversations() {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var c conversation
		must(json.Unmarshal(line, &c) == nil)
		fmt.Println(strings.Join(c.hold(), " "))
	}
}

// flat adds the lines of a packet, or of those in it.
func flat(line object, to []string) []string {
	inner, ok := line.get("packets", nil).([]interface{})
	if !ok {
		return append(to, text(line))
	}
	for _, each := range inner {
		to = flat(each.(object), to)
	}
	return to
}

func (c conversation) hold() []string {
	reader, writer, random := c.connection(), c.connection(), rand.New(rand.NewSource(c.Seed))
	expected, written := []string{}, []string{}
	for _, p := range c.Packets {
		b := unhexed(p.Hex)
		// A packet that has not arrived whole, or is broken, changes nothing of the connection.
		none, _ := reader.Decode(b[:len(b)-1], p.sender())
		must(none == nil)
		for i := 0; i < 8; i++ {
			changed := append([]byte{}, b...)
			changed[random.Intn(len(b))] ^= byte(1 + random.Intn(255))
			if broken, err := c.copied(reader).Decode(changed, p.sender()); err != nil {
				must(broken == nil)
				_, again := reader.Decode(changed, p.sender())
				must(again != nil && *again.(*Error) == *err.(*Error), again, err)
			}
		}
		whole, err := reader.Decode(append(append([]byte{}, b...), '?'), p.sender())
		must(err == nil && whole != nil && whole.Size == len(b), err)
		expected = flat(show(whole), expected)
		again, err := writer.EncodeFrom(p.sender(), whole.Message, &whole.Header)
		must(err == nil, err)
		written = append(written, hex.EncodeToString(again))
	}
	for _, size := range []int{1, 1 << 20, 0} {
		found, splitters := c.split(len(c.Packets), 0, size, random)
		must(reflect.DeepEqual(found, expected), found, expected)
		if c.Bad == nil {
			must(splitters[Client].Finish() == nil && splitters[Server].Finish() == nil)
			continue
		}
		splitter := splitters[c.Bad.sender()]
		splitter.Push(unhexed(c.Bad.Hex))
		none, err := splitter.Next()
		must(none == nil && err != nil && splitter.Finish() == err, err)
		e := err.(*Error)
		written = append(written[:len(c.Packets)], fmt.Sprintf("%s,%s,%d", e.Kind, e.Path, e.Offset))
	}
	if count := len(c.Packets); count > 0 {
		last := c.Packets[count-1]
		isFramed := reflect.ValueOf(Splitter{}).FieldByName("frame").IsValid()
		for stop := 1; stop < len(last.Hex)/2; stop += 1 + len(last.Hex)/80 {
			found, splitters := c.split(count-1, stop, 1<<20, random)
			fault := splitters[last.sender()].Finish()
			must(len(found) <= len(expected))
			must(isFramed || fault != nil && fault.(*Error).Kind == "end_of_stream" && fault.(*Error).Path == "", stop, fault)
		}
	}
	return written
}

// copied is a connection of the same states, for a packet that may be broken: one that is not would move keystreams.
func (c conversation) copied(connection *Connection) *Connection {
	made := c.connection()
	streams := made.streams
	*made = *connection
	made.streams = streams
	for place, state := range connection.streams {
		if made.streams == nil {
			made.streams = map[stream]interface{}{}
		}
		made.streams[place] = state
	}
	return made
}

// split is what both sides' splitters of one connection give for the first packets, and for some bytes of the next one.
func (c conversation) split(count, more, size int, random *rand.Rand) ([]string, []*Splitter) {
	connection, found := c.connection(), []string{}
	splitters := []*Splitter{Client: connection.NewSplitter(Client), Server: connection.NewSplitter(Server)}
	for i, p := range c.Packets {
		b := unhexed(p.Hex)
		if i >= count {
			b = b[:more]
		}
		for _, piece := range pieces(b, size, random) {
			splitter := splitters[p.sender()]
			splitter.Push(piece)
			for {
				packet, err := splitter.Next()
				must(err == nil, err)
				if packet == nil {
					break
				}
				found = flat(show(packet), found)
			}
		}
	}
	return found, splitters
}
