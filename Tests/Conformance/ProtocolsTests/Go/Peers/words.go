// SPDX-License-Identifier: Apache-2.0

// Asks functions of the runtime: each line has a word, and the bytes that it gets.
package main

import (
	"encoding/hex"
	"fmt"
)

var sums = map[string]func([]byte) uint64{
	"crc32":             func(b []byte) uint64 { return uint64(crc32IEEE(b)) },
	"crc32c":            func(b []byte) uint64 { return uint64(crc32Castagnoli(b)) },
	"adler32":           func(b []byte) uint64 { return uint64(adler32Sum(b)) },
	"sum8":              func(b []byte) uint64 { return uint64(sum8(b)) },
	"xor8":              func(b []byte) uint64 { return uint64(xor8(b)) },
	"crc16_arc":         func(b []byte) uint64 { return uint64(crc16ARC(b)) },
	"crc16_modbus":      func(b []byte) uint64 { return uint64(crc16Modbus(b)) },
	"crc16_kermit":      func(b []byte) uint64 { return uint64(crc16Kermit(b)) },
	"crc16_x25":         func(b []byte) uint64 { return uint64(crc16X25(b)) },
	"crc16_ccitt_false": func(b []byte) uint64 { return uint64(crc16CCITTFalse(b)) },
	"crc16_xmodem":      func(b []byte) uint64 { return uint64(crc16XModem(b)) },
}

func answer(r *reader, word string, b []byte) interface{} {
	switch word {
	case "varint":
		return r.varint(5, "f")
	case "zigzag":
		return r.zigzag(5, "f")
	case "f16":
		return int64(r.f16("f") * 16777216)
	case "text":
		return hex.EncodeToString([]byte(r.text(int64(len(b)), "f")))
	}
	return sums[word](b)
}

func main() {
	var word, digits string
	for {
		if _, err := fmt.Scanln(&word, &digits); err != nil {
			return
		}
		b, _ := hex.DecodeString(digits)
		r := newReader(b, 1<<20)
		found := answer(r, word, b)
		if r.err != nil {
			found = r.err.Kind
		}
		fmt.Println(found)
	}
}
