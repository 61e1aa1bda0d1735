// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension GoRuntime {
    /// The transforms of layers: those of the standard library, XOR, and what the program gives.
    static func transforms(_ plan: LayerPlan) -> String {
        var texts: [String] = []
        let words = Set(plan.kinds.map(\.word))
        if !plan.keys.isEmpty { texts.append(keys) }
        if plan.hasZlib { texts.append(inflating) }
        if words.contains("zlib") { texts.append(zlib) }
        if words.contains("deflate") { texts.append(deflate) }
        if words.contains("gzip") { texts.append(gzip) }
        if words.contains("xor") { texts.append(xor) }
        if words.contains("rc4") { texts.append(rc4) }
        if words.contains("aes_ctr") { texts.append(aesCTR) }
        if words.contains("aes_cbc") { texts.append(aesCBC) }
        if !plan.programLayers.isEmpty { texts.append(byProgram) }
        return texts.joined(separator: "\n\n")
    }

    private static let keys = #"""
        // keyPlace is a key in what one side sends.
        type keyPlace struct {
        	sender Sender
        	name   string
        }

        // SetKey sets a key for the packets of both sides, or of those that are given. Their keystreams begin anew.
        func (c *Connection) SetKey(name string, key []byte, senders ...Sender) error {
        	known, ok := layerKeys[name]
        	if !ok {
        		return &Error{"unknown_key", "key." + name, -1}
        	}
        	fits := false
        	for _, n := range known.sizes {
        		fits = fits || n[0] <= len(key) && len(key) <= n[1]
        	}
        	if !fits {
        		return &Error{"wrong_key", "key." + name, -1}
        	}
        	if len(senders) == 0 {
        		senders = []Sender{Client, Server}
        	}
        	if c.keys == nil {
        		c.keys = map[keyPlace][]byte{}
        	}
        	for _, sender := range senders {
        		c.keys[keyPlace{sender, name}] = append([]byte{}, key...)
        		for _, n := range known.layers {
        			delete(c.streams, stream{sender, n})
        		}
        	}
        	return nil
        }

        func (k *work) key(name string, n int) ([]byte, *Error) {
        	key, ok := k.c.keys[keyPlace{k.sender, name}]
        	if !ok {
        		return nil, &Error{"layer_unavailable", layerNames[n], -1}
        	}
        	return key, nil
        }
        """#

    private static let inflating = #"""
        // inflate is the content of one whole stream. It takes memory for no more than the limit, and one byte that tells that there is more.
        func (k *work) inflate(stream io.Reader, from *bytes.Reader, n int) ([]byte, *Error) {
        	most, room := k.left+1, 4*from.Len()+256
        	var content []byte
        	for {
        		if len(content) == cap(content) {
        			if room > most || room < 0 {
        				room = most
        			}
        			content = append(make([]byte, 0, room), content...)
        			room *= 2
        		}
        		count, err := stream.Read(content[len(content):cap(content)])
        		content = content[:len(content)+count]
        		if len(content) == most {
        			return nil, &Error{"inflated_too_long", layerNames[n], -1}
        		}
        		if err == io.EOF {
        			break
        		}
        		if err != nil {
        			return nil, invalid(n)
        		}
        	}
        	if from.Len() > 0 {
        		return nil, &Error{"trailing_bytes", layerNames[n], -1}
        	}
        	return content, nil
        }

        // deflater is a writer of the standard library, which is used again for other packets: a new one takes much memory.
        type deflater interface {
        	io.WriteCloser
        	Reset(to io.Writer)
        }

        // deflated is the whole stream of a content. To write into memory never fails.
        func deflated(writers *sync.Pool, b []byte) []byte {
        	stream, to := writers.Get().(deflater), &bytes.Buffer{}
        	stream.Reset(to)
        	_, _ = stream.Write(b)
        	_ = stream.Close()
        	stream.Reset(nil)
        	writers.Put(stream)
        	return to.Bytes()
        }
        """#

    private static let zlib = #"""
        var (
        	zlibReaders sync.Pool
        	zlibWriters = sync.Pool{New: func() interface{} { return zlib.NewWriter(nil) }}
        )

        func (k *work) openZlib(b []byte, n int) ([]byte, *Error) {
        	// No stream has a dictionary, not even an empty one.
        	if len(b) > 1 && b[1]&0x20 != 0 {
        		return nil, invalid(n)
        	}
        	from := bytes.NewReader(b)
        	stream, ok := zlibReaders.Get().(io.ReadCloser)
        	var err error
        	if ok {
        		err = stream.(zlib.Resetter).Reset(from, nil)
        	} else {
        		stream, err = zlib.NewReader(from)
        	}
        	if err != nil {
        		return nil, invalid(n)
        	}
        	defer zlibReaders.Put(stream)
        	return k.inflate(stream, from, n)
        }
        """#

    private static let deflate = #"""
        var (
        	flateReaders = sync.Pool{New: func() interface{} { return flate.NewReader(bytes.NewReader(nil)) }}
        	flateWriters = sync.Pool{New: func() interface{} {
        		// There is an error for a wrong level only.
        		stream, _ := flate.NewWriter(nil, flate.DefaultCompression)
        		return stream
        	}}
        )

        func (k *work) openDeflate(b []byte, n int) ([]byte, *Error) {
        	from, stream := bytes.NewReader(b), flateReaders.Get().(io.ReadCloser)
        	defer flateReaders.Put(stream)
        	if stream.(flate.Resetter).Reset(from, nil) != nil {
        		return nil, invalid(n)
        	}
        	return k.inflate(stream, from, n)
        }
        """#

    private static let gzip = #"""
        var (
        	gzipReaders = sync.Pool{New: func() interface{} { return new(gzip.Reader) }}
        	gzipWriters = sync.Pool{New: func() interface{} { return gzip.NewWriter(nil) }}
        )

        func (k *work) openGzip(b []byte, n int) ([]byte, *Error) {
        	from, stream := bytes.NewReader(b), gzipReaders.Get().(*gzip.Reader)
        	defer gzipReaders.Put(stream)
        	// The upper three flags are reserved: what follows them is not known.
        	if len(b) > 3 && b[3]&0xe0 != 0 || stream.Reset(from) != nil {
        		return nil, invalid(n)
        	}
        	stream.Multistream(false)
        	return k.inflate(stream, from, n)
        }
        """#

    private static let xor = #"""
        func (k *work) xorKey(b []byte, name string, n int) ([]byte, *Error) {
        	key, err := k.key(name, n)
        	if err != nil {
        		return nil, err
        	}
        	out := make([]byte, len(b))
        	for i, x := range b {
        		out[i] = x ^ key[i%len(key)]
        	}
        	return out, nil
        }
        """#

    private static let rc4 = #"""
        // rc4 goes on with the keystream from packet to packet.
        func (k *work) rc4(b []byte, name string, n int) ([]byte, *Error) {
        	place := stream{k.sender, n}
        	held, ok := k.streams[place].(rc4.Cipher)
        	if !ok {
        		key, err := k.key(name, n)
        		if err != nil {
        			return nil, err
        		}
        		made, fault := rc4.NewCipher(key)
        		if fault != nil {
        			return nil, &Error{"layer_unavailable", layerNames[n], -1}
        		}
        		held = *made
        	}
        	out := make([]byte, len(b))
        	held.XORKeyStream(out, b)
        	k.streams[place] = held
        	return out, nil
        }
        """#

    private static let aesCTR = #"""
        // aesCTR is the keystream of counters from start on, of which some bytes were used before.
        func (k *work) aesCTR(b []byte, name string, start []byte, used, n int) ([]byte, *Error) {
        	key, err := k.key(name, n)
        	if err != nil {
        		return nil, err
        	}
        	block, fault := aes.NewCipher(key)
        	if fault != nil || len(start) != 16 {
        		return nil, &Error{"layer_unavailable", layerNames[n], -1}
        	}
        	count := append([]byte{}, start...)
        	for i, carry := 15, used/16; i >= 0; i-- {
        		carry += int(count[i])
        		count[i] = byte(carry)
        		carry >>= 8
        	}
        	out := make([]byte, used%16+len(b))
        	copy(out[used%16:], b)
        	cipher.NewCTR(block, count).XORKeyStream(out, out)
        	return out[used%16:], nil
        }

        // aesCTRLasting goes on with the keystream from packet to packet.
        func (k *work) aesCTRLasting(b []byte, name, start string, n int) ([]byte, *Error) {
        	vector, err := k.key(start, n)
        	if err != nil {
        		return nil, err
        	}
        	place := stream{k.sender, n}
        	used, _ := k.streams[place].(int)
        	k.streams[place] = used + len(b)
        	return k.aesCTR(b, name, vector, used, n)
        }
        """#

    private static let aesCBC = #"""
        // aesCBC is the block cipher of a layer, whose first block begins with start.
        func (k *work) aesCBC(name string, start []byte, n int) (cipher.Block, *Error) {
        	key, err := k.key(name, n)
        	if err != nil {
        		return nil, err
        	}
        	block, fault := aes.NewCipher(key)
        	if fault != nil || len(start) != 16 {
        		return nil, &Error{"layer_unavailable", layerNames[n], -1}
        	}
        	return block, nil
        }

        func (k *work) openAESCBC(b []byte, name string, start []byte, n int) ([]byte, *Error) {
        	block, err := k.aesCBC(name, start, n)
        	if err != nil {
        		return nil, err
        	}
        	if len(b) == 0 || len(b)%16 != 0 {
        		return nil, invalid(n)
        	}
        	out := make([]byte, len(b))
        	cipher.NewCBCDecrypter(block, start).CryptBlocks(out, b)
        	count := int(out[len(out)-1])
        	if count < 1 || count > 16 {
        		return nil, invalid(n)
        	}
        	for _, x := range out[len(out)-count:] {
        		if int(x) != count {
        			return nil, invalid(n)
        		}
        	}
        	return out[:len(out)-count], nil
        }

        func (k *work) sealAESCBC(b []byte, name string, start []byte, n int) ([]byte, *Error) {
        	block, err := k.aesCBC(name, start, n)
        	if err != nil {
        		return nil, err
        	}
        	count := 16 - len(b)%16
        	out := append(append([]byte{}, b...), bytes.Repeat([]byte{byte(count)}, count)...)
        	cipher.NewCBCEncrypter(block, start).CryptBlocks(out, out)
        	return out, nil
        }
        """#

    private static let byProgram = #"""
        // Layer is a layer of the program, for what one side sends.
        type Layer interface {
        	// Open is what is inside of sealed bytes. It should make no more than one byte above the limit.
        	Open(sealed []byte, header *Header, limit int) ([]byte, error)
        	Seal(content []byte, header *Header) ([]byte, error)
        }

        // layerPlace is a layer of the program in what one side sends.
        type layerPlace struct {
        	sender Sender
        	name   string
        }

        func (k *work) layer(name string, n int) (Layer, *Error) {
        	place := layerPlace{k.sender, name}
        	if layer, ok := k.c.layers[place]; ok {
        		return layer, nil
        	}
        	var made Layer
        	if maker := k.c.Layers[name]; maker != nil {
        		made = maker(k.sender)
        	}
        	if made == nil {
        		return nil, &Error{"layer_unavailable", layerNames[n], -1}
        	}
        	if k.c.layers == nil {
        		k.c.layers = map[layerPlace]Layer{}
        	}
        	k.c.layers[place] = made
        	return made, nil
        }

        // fault is the error of a layer of the program.
        func fault(err error, n int) *Error {
        	kind := "invalid_layer"
        	if own, ok := err.(*Error); ok {
        		kind = own.Kind
        	}
        	return &Error{kind, layerNames[n], -1}
        }

        func (k *work) openOwn(b []byte, h *Header, name string, n int) ([]byte, *Error) {
        	layer, err := k.layer(name, n)
        	if err != nil {
        		return nil, err
        	}
        	content, wrong := layer.Open(append([]byte{}, b...), h, k.left)
        	if wrong != nil {
        		return nil, fault(wrong, n)
        	}
        	return content, nil
        }

        func (k *work) sealOwn(b []byte, h *Header, name string, n int) ([]byte, *Error) {
        	layer, err := k.layer(name, n)
        	if err != nil {
        		return nil, err
        	}
        	sealed, wrong := layer.Seal(append([]byte{}, b...), h)
        	if wrong != nil {
        		return nil, fault(wrong, n)
        	}
        	return sealed, nil
        }
        """#
}
