// SPDX-License-Identifier: Apache-2.0

//! The runtime of generated Rust, with all that a protocol can need.
//!
//! Comments mark its regions, which stay for a feature of the protocol, or with an exclamation mark without it. Code that
//! cannot stand beside that of a feature is in comments with a bar. Of a region `called` the functions stay that generated code
//! calls. A region with the name `each` stands once for every escape of frames. The generator replaces the constants by their
//! values. In the regions `called` no lifetime is written: a single quote would begin a string there.
//!
//! A function returns the first error at once. Places are `i64`, so that no difference of two overflows.

#![allow(dead_code, unused_variables, clippy::absurd_extreme_comparisons, clippy::too_many_arguments, clippy::type_complexity, clippy::wrong_self_convention)]

const MAXIMUM_DEPTH: u32 = 32;
const MAXIMUM_SIZE: i64 = 1 << 20;
const MAXIMUM_INFLATED: i64 = 1 << 20;
const MAXIMUM_NESTED: u32 = 8;
const LONGEST_HEADER: usize = 8;
const FRAME_START: u8 = 0x7E;
const FRAME_END: u8 = 0x7E;
const FRAME_MARKS: u8 = 0x7E;
const ESCAPE_FIRSTS: u8 = 0x7D;
const ESCAPE_FIRST: u8 = 0x7D;
const ESCAPE_SECOND: u8 = 2;
const ESCAPE_BYTE: u8 = 0x7E;

// What follows stands for what the schema makes: the header, the connection, and the functions of packets, states and layers.

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Header {}

#[derive(Default)]
pub struct Connection {
    // #region members
    // #region threshold
    /// From how many bytes on a content gets a layer that asks for its count; without it none does.
    pub threshold: Option<usize>,
    // #endregion
    // #region keys
    keys: std::collections::BTreeMap<(Sender, usize), Vec<u8>>,
    // #endregion
    // #region streams
    streams: std::collections::BTreeMap<(Sender, usize), Keystream>,
    // #endregion
    // #region program
    layers: std::collections::BTreeMap<(Sender, usize), Box<dyn Layer + Send>>,
    // #endregion
    // #region aes
    aes: Option<Box<dyn BlockCipher + Send>>,
    // #endregion
    // #endregion
}

fn shape_of(_sender: Sender, _c: &Connection, _nested: bool) -> Result<i64, WireError> { Ok(0) }

fn change(_c: &mut Connection, _sender: Sender, _id: u64) {}

fn copy_identifiers(_given: &mut Header, _known: &Header) {}

static LAYERINGS: &[Layering] = &[];
static LAYER_PATHS: &[StaticStr] = &[];
static IS_LASTING: &[bool] = &[];
static INFLATES: &[bool] = &[];
static OWN_LAYERS: &[StaticStr] = &[];
static KEYS: &[(StaticStr, &[(usize, usize)], &[usize])] = &[];

fn open_layer(_k: &mut Work, _n: usize, _h: &Header, b: Vec<u8>) -> Result<Vec<u8>, WireError> { Ok(b) }

fn seal_layer(_k: &mut Work, _n: usize, _h: &Header, b: Vec<u8>) -> Result<Vec<u8>, WireError> { Ok(b) }

/// All that one side sends.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientPacket {
    UnknownMessage(UnknownMessage),
    InnerPackets(InnerPackets<ClientPacket>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum ServerPacket {
    UnknownMessage(UnknownMessage),
    InnerPackets(InnerPackets<ServerPacket>),
}

// #region interface
/// The name of a value in the schema, or the word for an error.
type StaticStr = &'static str;

/// Why bytes are no packet of this protocol, or why a value cannot be written: it has the fields of a `Fault`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireError(Box<Fault>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong, in one word: `truncated`, `out_of_range`, …
    pub kind: &'static str,
    /// The field, in the schema's names: `Sc_20001.items[1].count`. Empty if no field is to blame.
    pub path: String,
    /// Bytes from the packet's first one; `None` if a value could not be written.
    pub offset: Option<usize>,
}

impl WireError {
    #[cold]
    fn new(kind: StaticStr, path: &str, place: i64) -> WireError {
        WireError::with(kind, path.to_string(), usize::try_from(place).ok())
    }

    fn with(kind: StaticStr, path: String, offset: Option<usize>) -> WireError {
        WireError(Box::new(Fault { kind, path, offset }))
    }
}

impl std::ops::Deref for WireError {
    type Target = Fault;

    fn deref(&self) -> &Fault {
        &self.0
    }
}

impl std::fmt::Display for WireError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(self.kind)?;
        match self.offset {
            Some(offset) => write!(f, " at offset {offset}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for WireError {}

/// Who has sent a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sender {
    Client,
    Server,
}

/// A message of the protocol, one that the schema does not know, or any that one side sends.
pub trait Message {
    /// The schema's name; `None` if the schema does not know the message.
    fn message_name(&self) -> Option<&'static str>;

    fn message_id(&self) -> u64;

    #[doc(hidden)]
    fn write(&self, w: &mut Writer, h: &Header) -> Result<(), WireError>;
    // #region sender

    /// The only side that sends it.
    #[doc(hidden)]
    fn message_sender(&self) -> Option<Sender> {
        None
    }
    // #endregion
    // #region fixedHeaders

    #[doc(hidden)]
    fn fix_header(&self, _w: &mut Writer, given: &Header) -> Result<Header, WireError> {
        Ok(given.clone())
    }
    // #endregion
    // #region packets

    /// The content of a packet that holds others.
    #[doc(hidden)]
    fn seal_inner(&self, _work: &mut Work, _depth: u32, _streams: &mut u64) -> Option<Result<Vec<u8>, WireError>> {
        None
    }
    // #endregion
}

/// All messages that one side sends: `ClientPacket` or `ServerPacket`.
pub trait Side: Message + Sized {
    const SENDER: Sender;

    #[doc(hidden)]
    fn read(id: u64, r: &mut Reader, h: &Header) -> Result<Self, WireError>;

    #[doc(hidden)]
    fn unknown(message: UnknownMessage) -> Self;
    // #region fixedHeaders

    #[doc(hidden)]
    fn verify_header(id: u64, r: &mut Reader, h: &Header, at: &[i64]) -> Result<(), WireError>;
    // #endregion
    // #region packets

    #[doc(hidden)]
    fn inner(packets: InnerPackets<Self>) -> Self;

    /// The packets in it, if it holds some.
    #[doc(hidden)]
    fn into_inner(self) -> Result<InnerPackets<Self>, Self>;
    // #endregion
}

/// What the enum of a side has of all its messages.
macro_rules! side {
    ($name:ident, $sender:ident, $($id:literal $message:ident),*) => {
        impl $name {
            fn message(&self) -> &dyn Message {
                match self {
                    $($name::$message(message) => message,)*
                    $name::UnknownMessage(message) => message,
                    // #region packets
                    $name::InnerPackets(message) => message,
                    // #endregion
                }
            }
        }

        impl Message for $name {
            fn message_name(&self) -> Option<&'static str> {
                self.message().message_name()
            }

            fn message_id(&self) -> u64 {
                self.message().message_id()
            }

            fn write(&self, w: &mut Writer, h: &Header) -> Result<(), WireError> {
                self.message().write(w, h)
            }
            // #region sender

            fn message_sender(&self) -> Option<Sender> {
                Some(Sender::$sender)
            }
            // #endregion
            // #region fixedHeaders

            fn fix_header(&self, w: &mut Writer, given: &Header) -> Result<Header, WireError> {
                self.message().fix_header(w, given)
            }
            // #endregion
            // #region packets

            fn seal_inner(&self, work: &mut Work, depth: u32, streams: &mut u64) -> Option<Result<Vec<u8>, WireError>> {
                self.message().seal_inner(work, depth, streams)
            }
            // #endregion
        }

        impl Side for $name {
            const SENDER: Sender = Sender::$sender;

            // Then a message of few fields is made where it will stand.
            #[inline(always)]
            fn read(id: u64, r: &mut Reader, h: &Header) -> Result<Self, WireError> {
                match id {
                    $($id => {
                        let mut message = $message::default();
                        r.trail.begin(message.message_name().unwrap_or_default());
                        message.read(r, h)?;
                        Ok($name::$message(message))
                    })*
                    _ => Ok($name::UnknownMessage(UnknownMessage::read(id, r))),
                }
            }

            fn unknown(message: UnknownMessage) -> Self {
                $name::UnknownMessage(message)
            }
            // #region fixedHeaders

            fn verify_header(id: u64, r: &mut Reader, h: &Header, at: &[i64]) -> Result<(), WireError> {
                match id {
                    $($id => $message::verify_header(r, h, at),)*
                    _ => Ok(()),
                }
            }
            // #endregion
            // #region packets

            fn inner(packets: InnerPackets<Self>) -> Self {
                $name::InnerPackets(packets)
            }

            fn into_inner(self) -> Result<InnerPackets<Self>, Self> {
                match self {
                    $name::InnerPackets(packets) => Ok(packets),
                    other => Err(other),
                }
            }
            // #endregion
        }

        $(impl From<$message> for $name {
            fn from(message: $message) -> Self {
                $name::$message(message)
            }
        })*

        impl From<UnknownMessage> for $name {
            fn from(message: UnknownMessage) -> Self {
                $name::UnknownMessage(message)
            }
        }
    };
}

// #region complete
side!(ClientPacket, Client,);
side!(ServerPacket, Server,);

// #endregion
// #region flags
/// What operators flags have.
macro_rules! flags {
    ($($name:ident)*) => {
        $(impl $name {
            /// Whether it has all of some flags.
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        })*
    };
}

// #region complete
struct Flags(u8);

flags!(Flags);

// #endregion
// #endregion
/// A message that the schema does not know. It can be encoded, too.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UnknownMessage {
    pub id: u64,
    pub payload: Vec<u8>,
}

impl Message for UnknownMessage {
    fn message_name(&self) -> Option<&'static str> {
        None
    }

    fn message_id(&self) -> u64 {
        self.id
    }

    fn write(&self, w: &mut Writer, _h: &Header) -> Result<(), WireError> {
        w.reserve(self.payload.len());
        w.append_blob(&self.payload, "payload");
        Ok(())
    }
}

impl UnknownMessage {
    fn read(id: u64, r: &mut Reader) -> UnknownMessage {
        r.trail.begin("");
        let payload = r.b[r.p..r.end].to_vec();
        UnknownMessage { id, payload }
    }
}

/// A message that was received, with its packet's header.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Packet<M> {
    pub message: M,
    pub header: Header,
    /// How many bytes the packet had.
    pub byte_count: usize,
}

// #region packets
/// Whole packets in a packet, each with its header. A splitter gives them one by one in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct InnerPackets<M> {
    pub id: u64,
    pub packets: Vec<Packet<M>>,
}

impl<M: Message> Message for InnerPackets<M> {
    fn message_name(&self) -> Option<&'static str> {
        None
    }

    fn message_id(&self) -> u64 {
        self.id
    }

    fn write(&self, w: &mut Writer, _h: &Header) -> Result<(), WireError> {
        w.require(false, "wrong_type", "")
    }

    /// Who sends the first message sends them all.
    fn message_sender(&self) -> Option<Sender> {
        self.packets.first().and_then(|first| first.message.message_sender())
    }

    fn seal_inner(&self, work: &mut Work, depth: u32, streams: &mut u64) -> Option<Result<Vec<u8>, WireError>> {
        Some(self.sealed(work, depth, streams))
    }
}

impl<M: Message> InnerPackets<M> {
    fn sealed(&self, work: &mut Work, depth: u32, streams: &mut u64) -> Result<Vec<u8>, WireError> {
        if depth >= MAXIMUM_NESTED {
            return Err(WireError::new("too_deep", "", -1));
        }
        let mut content = Vec::new();
        for (i, packet) in self.packets.iter().enumerate() {
            work.add_packet()?;
            let mut used = 0;
            let inner = work.seal(&packet.message, &packet.header, depth + 1, &mut used);
            content.extend(inner.map_err(|error| error.in_packet(i))?);
            *streams |= used;
        }
        Ok(content)
    }
}

// #endregion
// #region connection
impl Connection {
    /// A whole packet of a message. From the header, which may be that of the packet that is answered, it takes what a program can
    /// set. Nothing is cut to fit.
    // #region dependsOnSender
    ///
    /// A message that both sides send needs `encode_from`, because their packets differ.
    // #endregion
    pub fn encode<M: Message>(&mut self, message: &M, header: &Header) -> Result<Vec<u8>, WireError> {
        // #region dependsOnSender
        let sender = message.message_sender().ok_or_else(|| WireError::new("needs_sender", "", -1))?;
        // #endregion
        // #region !dependsOnSender
        //| let sender = message.message_sender().unwrap_or(Sender::Client);
        // #endregion
        self.encode_from(sender, message, header)
    }

    /// A whole packet that one side sends.
    pub fn encode_from<M: Message>(&mut self, sender: Sender, message: &M, header: &Header) -> Result<Vec<u8>, WireError> {
        // #region layers
        let mut work = Work::new(sender, self);
        let packet = work.seal(message, header, 0, &mut 0)?;
        work.commit();
        Ok(packet)
        // #endregion
        // #region !layers
        //| let mut trail = Trail::new(message.message_name().unwrap_or_default());
        //| let mut w = Writer::new(&mut trail);
        // #region fixedHeaders
        //| let header = &message.fix_header(&mut w, header)?;
        // #endregion
        //| message.write(&mut w, header)?;
        //| w.trail.begin("packet");
        //| let packet = wrap(shape_of(sender, self)?, &mut w, message.message_id(), header)?;
        //| change(self, sender, message.message_id());
        //| Ok(/*frames{*/framed(&packet)/*}*//* !frames{packet}*/)
        // #endregion
    }

    /// The packet that bytes begin with; `None` if it has not arrived whole. After an error, the start of the next packet is unknown.
    pub fn decode<M: Side>(&mut self, bytes: &[u8]) -> Result<Option<Packet<M>>, WireError> {
        // #region frames
        let mut frame = Frame::default();
        if !frame.take(bytes)? {
            return Ok(None);
        }
        frame.packet(self).map(Some)
        // #endregion
        // #region !frames
        //| receive(bytes, &mut 0, self)
        // #endregion
    }
}

/// A whole packet of a message, as the first one of a connection.
pub fn encode<M: Message>(message: &M, header: &Header) -> Result<Vec<u8>, WireError> {
    Connection::default().encode(message, header)
}

/// A whole packet that one side sends, as the first one of a connection.
pub fn encode_from<M: Message>(sender: Sender, message: &M, header: &Header) -> Result<Vec<u8>, WireError> {
    Connection::default().encode_from(sender, message, header)
}

/// The first packet of a connection, with which bytes begin; `None` if it has not arrived whole.
pub fn decode<M: Side>(bytes: &[u8]) -> Result<Option<Packet<M>>, WireError> {
    Connection::default().decode(bytes)
}

// #endregion
// #region !connection
//| /// A whole packet of a message. From the header, which may be that of the packet that is answered, it takes what a program can
//| /// set. Nothing is cut to fit.
// #region dependsOnSender
//| ///
//| /// A message that both sides send needs `encode_from`, because their packets differ.
//| #[inline]
//| pub fn encode<M: Message>(message: &M, header: &Header) -> Result<Vec<u8>, WireError> {
//|     let sender = message.message_sender().ok_or_else(|| WireError::new("needs_sender", "", -1))?;
//|     encode_from(sender, message, header)
//| }

//| /// A whole packet that one side sends.
//| pub fn encode_from<M: Message>(sender: Sender, message: &M, header: &Header) -> Result<Vec<u8>, WireError> {
// #endregion
// #region !dependsOnSender
//| #[inline]
//| pub fn encode<M: Message>(message: &M, header: &Header) -> Result<Vec<u8>, WireError> {
// #endregion
//|     let mut trail = Trail::new(message.message_name().unwrap_or_default());
//|     let mut w = Writer::new(&mut trail);
// #region fixedHeaders
//|     let header = &message.fix_header(&mut w, header)?;
// #endregion
//|     message.write(&mut w, header)?;
//|     w.trail.begin("packet");
// #region dependsOnSender
//|     let packet = match sender {
//|         Sender::Client => wrap_client(&mut w, message.message_id(), header)?,
//|         Sender::Server => wrap_server(&mut w, message.message_id(), header)?,
//|     };
// #endregion
// #region !dependsOnSender
//|     let packet = wrap(&mut w, message.message_id(), header)?;
// #endregion
//|     Ok(/*frames{*/framed(&packet)/*}*//* !frames{packet}*/)
//| }

//| /// The packet that bytes begin with; `None` if it has not arrived whole. After an error, the start of the next packet is unknown.
//| #[inline]
//| pub fn decode<M: Side>(bytes: &[u8]) -> Result<Option<Packet<M>>, WireError> {
// #region frames
//|     let mut frame = Frame::default();
//|     if !frame.take(bytes)? {
//|         return Ok(None);
//|     }
//|     frame.packet().map(Some)
// #endregion
// #region !frames
//|     receive(bytes, &mut 0)
// #endregion
//| }

// #endregion
/// The packet that bytes begin with, or how many bytes it needs at least.
#[inline(always)]
fn receive<M: Side>(b: &[u8], wanted: &mut i64/*connection{*/, c: &mut Connection/*}*/) -> Result<Option<Packet<M>>, WireError> {
    // #region layers
    let mut work = Work::new(M::SENDER, c);
    let found = work.open(b, wanted, 0, &mut 0)?;
    if found.is_some() {
        work.commit();
    }
    Ok(found)
    // #endregion
    // #region !layers
    //| let mut r = Reader::new(b);
    // #region connection
    //| let found = unwrap(shape_of(M::SENDER, c)?, &mut r)?;
    // #endregion
    // #region !connection
    // #region dependsOnSender
    //| let found = match M::SENDER {
    //|     Sender::Client => unwrap_client(&mut r)?,
    //|     Sender::Server => unwrap_server(&mut r)?,
    //| };
    // #endregion
    // #region !dependsOnSender
    //| let found = unwrap(&mut r)?;
    // #endregion
    // #endregion
    //| let found = match found {
    //|     Some(found) => found,
    //|     None => {
    //|         *wanted = r.wanted;
    //|         return Ok(None);
    //|     }
    //| };
    // #region fixedHeaders
    //| M::verify_header(found.id, &mut r, &found.header, &found.places)?;
    // #endregion
    //| let message = M::read(found.id, &mut r, &found.header)?;
    // #region connection
    //| change(c, M::SENDER, found.id);
    // #endregion
    //| Ok(Some(Packet { message, header: found.header, byte_count: found.total as usize }))
    // #endregion
}

// #region !layers
/// The header of a packet, whose message has not been read.
struct Received {
    id: u64,
    header: Header,
    total: i64,
    // #region fixedHeaders
    places: Vec<i64>,
    // #endregion
}

// #endregion
/// Finds the packets in a stream, however they are merged and split. After an error it stays failed.
pub struct Splitter<M: Side> {
    buffer: Vec<u8>,
    start: usize,
    // #region frames
    frame: Frame,
    // #endregion
    // #region !frames
    //| wanted: usize,
    // #region connection
    //| shape: i64,
    // #endregion
    // #endregion
    failure: Option<WireError>,
    // #region packets
    inner: std::collections::VecDeque<Packet<M>>,
    // #endregion
    side: std::marker::PhantomData<fn() -> M>,
}

impl<M: Side> Default for Splitter<M> {
    fn default() -> Self {
        Splitter {
            buffer: Vec::new(),
            start: 0,
            // #region frames
            frame: Frame::default(),
            // #endregion
            // #region !frames
            //| wanted: 1,
            // #region connection
            //| shape: -1,
            // #endregion
            // #endregion
            failure: None,
            // #region packets
            inner: std::collections::VecDeque::new(),
            // #endregion
            side: std::marker::PhantomData,
        }
    }
}

impl<M: Side> Splitter<M> {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes what has arrived; the bytes are copied.
    pub fn push(&mut self, bytes: &[u8]) {
        let held = self.buffer.len() - self.start;
        if self.buffer.len() + bytes.len() > self.buffer.capacity() {
            // What is held moves only if that makes much room, so that no byte moves often.
            if 2 * held + bytes.len() > self.buffer.capacity() {
                let mut room = Vec::with_capacity(2 * (held + bytes.len()) + 512);
                room.extend_from_slice(&self.buffer[self.start..]);
                self.buffer = room;
            } else {
                self.buffer.drain(..self.start);
            }
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    // #region packets
    /// The next packet; `None` if more bytes are needed. Packets in a packet are given one by one in its place.
    pub fn next_packet(&mut self, c: &mut Connection) -> Result<Option<Packet<M>>, WireError> {
        while self.inner.is_empty() {
            match self.next_whole(c)? {
                Some(packet) => self.flatten(packet),
                None => return Ok(None),
            }
        }
        Ok(self.inner.pop_front())
    }

    fn flatten(&mut self, packet: Packet<M>) {
        match packet.message.into_inner() {
            Ok(held) => held.packets.into_iter().for_each(|own| self.flatten(own)),
            Err(message) => self.inner.push_back(Packet { message, header: packet.header, byte_count: packet.byte_count }),
        }
    }

    fn next_whole(&mut self, c: &mut Connection) -> Result<Option<Packet<M>>, WireError> {
        // #endregion
        // #region !packets
    //| /// The next packet; `None` if more bytes are needed.
    //| pub fn next_packet(&mut self/*connection{*/, c: &mut Connection/*}*/) -> Result<Option<Packet<M>>, WireError> {
        // #endregion
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let taken = self.take(/*connection{*/c/*}*/);
        if let Err(error) = &taken {
            self.failure = Some(error.clone());
        }
        taken
    }

    /// Says that the stream has ended: that is an error inside a packet.
    pub fn finish(&mut self) -> Result<(), WireError> {
        // #region frames
        if self.failure.is_none() && self.frame.is_begun() {
            self.failure = Some(WireError::new("end_of_stream", "", self.frame.b.len() as i64));
        }
        // #endregion
        // #region !frames
        //| let held = self.buffer.len() - self.start;
        //| if self.failure.is_none() && held > 0 {
        //|     self.failure = Some(WireError::new("end_of_stream", "", held as i64));
        //| }
        // #endregion
        self.failure.clone().map_or(Ok(()), Err)
    }

    fn take(&mut self/*connection{*/, c: &mut Connection/*}*/) -> Result<Option<Packet<M>>, WireError> {
        // #region frames
        let before = self.frame.count;
        let is_whole = self.frame.take(&self.buffer[self.start..]);
        self.consume(self.frame.count - before);
        if !is_whole? {
            return Ok(None);
        }
        std::mem::take(&mut self.frame).packet(/*connection{*/c/*}*/).map(Some)
        // #endregion
        // #region !frames
        // #region connection
        //| // How much is needed depends on the packet's shape, which packets of the other side may change.
        //| let shape = shape_of(M::SENDER, c/*layers{*/, false/*}*/)?;
        //| if shape != self.shape {
        //|     self.shape = shape;
        //|     self.wanted = 1;
        //| }
        // #endregion
        //| // A packet that has not arrived whole is not tried again before it can have.
        //| let held = self.buffer.len() - self.start;
        //| if held < self.wanted {
        //|     return Ok(None);
        //| }
        //| let mut wanted = 0;
        //| let packet = receive(&self.buffer[self.start..], &mut wanted/*connection{*/, c/*}*/)?;
        //| match &packet {
        //|     Some(packet) => {
        //|         self.wanted = 1;
        //|         self.consume(packet.byte_count);
        //|     }
        //|     None => self.wanted = (wanted as usize).max(held + 1),
        //| }
        //| Ok(packet)
        // #endregion
    }

    fn consume(&mut self, count: usize) {
        self.start += count;
        if self.start < self.buffer.len() {
            return;
        }
        self.start = 0;
        self.buffer.clear();
        if self.buffer.capacity() > 65536 {
            self.buffer = Vec::new();
        }
    }
}
// #endregion

// #region trail
/// The names of the values that a reader or a writer is in, and how much deeper it may go.
struct Trail {
    base: StaticStr,
    steps: Vec<(StaticStr, i64)>,
    depth: u32,
}

impl Trail {
    fn new(base: StaticStr) -> Trail {
        Trail { base, steps: Vec::new(), depth: MAXIMUM_DEPTH }
    }

    /// Begins anew, in a value with a name.
    fn begin(&mut self, base: StaticStr) {
        self.base = base;
        self.steps.clear();
    }

    fn index(&mut self, i: i64) {
        if let Some(step) = self.steps.last_mut() {
            step.1 = i;
        }
    }

    #[cold]
    fn refused(&self, kind: StaticStr, f: StaticStr) -> WireError {
        WireError::with(kind, self.path(f), None)
    }

    #[cold]
    fn path(&self, f: StaticStr) -> String {
        let mut path = self.base.to_string();
        for (name, index) in self.steps.iter().chain(&[(f, -1)]) {
            if !path.is_empty() && !name.is_empty() {
                path.push('.');
            }
            path += name;
            if *index >= 0 {
                path += &format!("[{index}]");
            }
        }
        path
    }
}
// #endregion

// #region reader
/// Reads fields of `b` up to `end`, and knows where it is.
#[doc(hidden)]
pub struct Reader<'a> {
    b: &'a [u8],
    p: usize,
    end: usize,
    /// Where the last number begins.
    last: usize,
    /// Where the packet ends, as far as that is known.
    surely: usize,
    /// How many bytes the packet must have before it is worth another try.
    wanted: i64,
    // #region layers
    /// The most bytes of a packet.
    limit: i64,
    // #endregion
    trail: Trail,
}

impl<'a> Reader<'a> {
    fn new(b: &'a [u8]) -> Reader<'a> {
        Reader { b, p: 0, end: b.len(), last: 0, surely: usize::MAX, wanted: 0, /*layers{*/limit: MAXIMUM_SIZE, /*}*/trail: Trail::new("packet") }
    }

    #[cold]
    fn error(&self, kind: StaticStr, f: StaticStr, place: usize) -> WireError {
        WireError::with(kind, self.trail.path(f), Some(place))
    }

    /// Goes over n bytes.
    #[inline]
    fn next(&mut self, n: i64, f: StaticStr) -> Result<&'a [u8], WireError> {
        if n < 0 || n > (self.end - self.p) as i64 {
            return Err(self.error("truncated", f, self.p));
        }
        let bytes = &self.b[self.p..self.p + n as usize];
        self.p += n as usize;
        Ok(bytes)
    }

    /// The bytes of a number.
    #[inline]
    fn fixed<const N: usize>(&mut self, f: StaticStr) -> Result<[u8; N], WireError> {
        self.last = self.p;
        match self.b[self.p..self.end].get(..N).map(TryFrom::try_from) {
            Some(Ok(bytes)) => {
                self.p += N;
                Ok(bytes)
            }
            _ => Err(self.error("truncated", f, self.p)),
        }
    }

    /// The bytes of a number that is there.
    #[inline]
    fn at<const N: usize>(&self, p: i64) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.b[p as usize..p as usize + N]);
        bytes
    }

    /// The text in bytes at a place.
    #[inline]
    fn valid_text(&self, b: &[u8], f: StaticStr, place: usize) -> Result<String, WireError> {
        match std::str::from_utf8(b) {
            Ok(text) => Ok(text.to_string()),
            Err(flaw) => Err(self.error("invalid_utf8", f, place + flaw.valid_up_to())),
        }
    }

    // #region called
    fn position(&self) -> i64 { self.p as i64 }

    fn seek(&mut self, place: i64) { self.p = (place as usize).min(self.end); }

    /// How many bytes are there.
    fn size(&self) -> i64 { self.b.len() as i64 }

    fn more(&self) -> bool { self.p < self.end }

    fn enter(&mut self, f: StaticStr) { self.trail.steps.push((f, -1)); }

    fn leave(&mut self) { self.trail.steps.pop(); }

    fn index(&mut self, i: i64) { self.trail.index(i); }

    /// Judges what was read last.
    #[inline]
    fn require(&self, good: bool, kind: StaticStr, f: StaticStr) -> Result<(), WireError> {
        if good { Ok(()) } else { Err(self.error(kind, f, self.last)) }
    }

    #[inline]
    fn verify(&self, good: bool, kind: StaticStr, f: StaticStr, place: i64) -> Result<(), WireError> {
        if good { Ok(()) } else { Err(WireError::new(kind, &self.trail.path(f), place)) }
    }

    /// The place of n bytes.
    fn take(&mut self, n: i64, f: StaticStr) -> Result<i64, WireError> {
        let p = self.p as i64;
        self.next(n, f)?;
        Ok(p)
    }

    /// Goes into so many bytes, and returns the end of those around them.
    fn inside(&mut self, n: i64, f: StaticStr) -> Result<i64, WireError> {
        let (p, end) = (self.p, self.end);
        self.next(n, f)?;
        self.end = self.p;
        self.p = p;
        Ok(end as i64)
    }

    /// Leaves such bytes; what is left of them is skipped.
    fn outside(&mut self, end: i64) {
        self.p = self.end;
        self.end = end as usize;
    }

    /// Goes into a value, if it is not too deep.
    fn deeper(&mut self, f: StaticStr) -> Result<(), WireError> {
        if self.trail.depth == 0 {
            return Err(self.error("too_deep", f, self.p));
        }
        self.trail.depth -= 1;
        Ok(())
    }

    fn shallower(&mut self) { self.trail.depth += 1; }

    /// What the bytes end with.
    fn trailing(&mut self) -> Vec<u8> {
        let p = self.p;
        self.p = self.end;
        self.b[p..self.end].to_vec()
    }

    fn ended(&self) -> Result<(), WireError> {
        if self.p < self.end { Err(self.error("trailing_bytes", "", self.p)) } else { Ok(()) }
    }

    /// Reads a count of 1, 2 or 4 bytes, of which the first is the least significant one for those above 16. Without bytes it is a
    /// varint, and 32 is a zigzag varint.
    #[inline]
    fn prefix(&mut self, prefix: i64, f: StaticStr) -> Result<i64, WireError> {
        match prefix {
            1 => self.fixed(f).map(|b| i64::from(u8::from_be_bytes(b))),
            2 => self.fixed(f).map(|b| i64::from(u16::from_be_bytes(b))),
            4 => self.fixed(f).map(|b| i64::from(u32::from_be_bytes(b))),
            18 => self.fixed(f).map(|b| i64::from(u16::from_le_bytes(b))),
            20 => self.fixed(f).map(|b| i64::from(u32::from_le_bytes(b))),
            _ => {
                let n = self.varint(5, f)?;
                self.require(n <= 0xFFFF_FFFF, "varint_too_long", f)?;
                Ok(n as i64)
            }
        }
    }

    #[inline]
    fn count(&mut self, prefix: i64, most: i64, f: StaticStr) -> Result<i64, WireError> {
        let n = self.prefix(prefix, f)?;
        self.require(most < 0 || n <= most, "too_long", f)?;
        Ok(n)
    }

    /// Reads a count with a sign; -1 is an absent value.
    fn count_or_absent(&mut self, prefix: i64, most: i64, f: StaticStr) -> Result<i64, WireError> {
        let unsigned = self.prefix(prefix, f)?;
        let n = match prefix & 15 {
            0 => unsigned >> 1 ^ -(unsigned & 1),
            1 => i64::from(unsigned as i8),
            2 => i64::from(unsigned as i16),
            _ => i64::from(unsigned as i32),
        };
        self.require(n >= -1, "out_of_range", f)?;
        self.require(most < 0 || n <= most, "too_long", f)?;
        Ok(n)
    }

    /// A count that an earlier field has.
    fn counted(&self, n: i64, most: i64, f: StaticStr) -> Result<i64, WireError> {
        if n < 0 {
            return Err(self.error("length_too_small", f, self.p));
        }
        if most >= 0 && n > most {
            return Err(self.error("too_long", f, self.p));
        }
        Ok(n)
    }

    /// Counts the bytes up to the end.
    fn rest(&self, most: i64, f: StaticStr) -> Result<i64, WireError> { self.counted((self.end - self.p) as i64, most, f) }

    /// Counts the bytes up to one of 0.
    fn terminated(&self, most: i64, f: StaticStr) -> Result<i64, WireError> {
        match self.b[self.p..self.end].iter().position(|x| *x == 0) {
            Some(n) => self.counted(n as i64, most, f),
            None => Err(self.error("missing_terminator", f, self.p)),
        }
    }

    /// Room for no more items than the bytes can hold, whatever their count announces.
    fn capacity(&self, n: i64, least: i64) -> usize { n.clamp(0, (self.end - self.p) as i64 / least.max(1)) as usize }

    /// Whether one of n items follows.
    fn has_item(&self, i: i64, n: i64) -> bool { i < n }

    /// Whether an item follows in a list that goes to the end.
    fn another(&mut self, i: i64, most: i64) -> Result<bool, WireError> {
        if self.p >= self.end {
            return Ok(false);
        }
        if most >= 0 && i >= most {
            self.trail.index(-1);
            return Err(self.error("too_long", "", self.p));
        }
        Ok(true)
    }

    /// Whether an item follows in a list that a byte ends, which is then read.
    fn another_until(&mut self, i: i64, most: i64, stop: u8) -> Result<bool, WireError> {
        if self.p >= self.end {
            self.trail.index(-1);
            return Err(self.error("truncated", "", self.p));
        }
        if self.b[self.p] == stop {
            self.p += 1;
            return Ok(false);
        }
        self.another(i, most)
    }

    fn saturated(&self, n: u64) -> i64 { n.min(1 << 62) as i64 }

    /// Whether fewer bytes are left.
    #[inline]
    fn lacks(&self, n: i64) -> bool { ((self.end - self.p) as i64) < n }

    /// Goes over numbers that are there, of which the last one has so many bytes.
    #[inline]
    fn run(&mut self, n: i64, width: i64) -> i64 {
        let p = self.p as i64;
        self.p += n as usize;
        self.last = self.p - width as usize;
        p
    }

    #[inline]
    fn u8_at(&self, p: i64) -> u8 { self.b[p as usize] }

    #[inline]
    fn u16_at(&self, p: i64) -> u16 { u16::from_be_bytes(self.at(p)) }

    #[inline]
    fn u16_little_at(&self, p: i64) -> u16 { u16::from_le_bytes(self.at(p)) }

    #[inline]
    fn u24_at(&self, p: i64) -> u32 { self.uint_at(p, 3, false) as u32 }

    #[inline]
    fn u24_little_at(&self, p: i64) -> u32 { self.uint_at(p, 3, true) as u32 }

    #[inline]
    fn u32_at(&self, p: i64) -> u32 { u32::from_be_bytes(self.at(p)) }

    #[inline]
    fn u32_little_at(&self, p: i64) -> u32 { u32::from_le_bytes(self.at(p)) }

    #[inline]
    fn u64_at(&self, p: i64) -> u64 { u64::from_be_bytes(self.at(p)) }

    #[inline]
    fn u64_little_at(&self, p: i64) -> u64 { u64::from_le_bytes(self.at(p)) }

    #[inline]
    fn i8_at(&self, p: i64) -> i8 { self.b[p as usize] as i8 }

    #[inline]
    fn i16_at(&self, p: i64) -> i16 { i16::from_be_bytes(self.at(p)) }

    #[inline]
    fn i16_little_at(&self, p: i64) -> i16 { i16::from_le_bytes(self.at(p)) }

    #[inline]
    fn i24_at(&self, p: i64) -> i32 { self.sint_at(p, 3, false) as i32 }

    #[inline]
    fn i24_little_at(&self, p: i64) -> i32 { self.sint_at(p, 3, true) as i32 }

    #[inline]
    fn i32_at(&self, p: i64) -> i32 { i32::from_be_bytes(self.at(p)) }

    #[inline]
    fn i32_little_at(&self, p: i64) -> i32 { i32::from_le_bytes(self.at(p)) }

    #[inline]
    fn i64_at(&self, p: i64) -> i64 { i64::from_be_bytes(self.at(p)) }

    #[inline]
    fn i64_little_at(&self, p: i64) -> i64 { i64::from_le_bytes(self.at(p)) }

    #[inline]
    fn f16_at(&self, p: i64) -> f64 { value16(self.u16_at(p)) }

    #[inline]
    fn f16_little_at(&self, p: i64) -> f64 { value16(self.u16_little_at(p)) }

    #[inline]
    fn f32_at(&self, p: i64) -> f32 { f32::from_be_bytes(self.at(p)) }

    #[inline]
    fn f32_little_at(&self, p: i64) -> f32 { f32::from_le_bytes(self.at(p)) }

    #[inline]
    fn f64_at(&self, p: i64) -> f64 { f64::from_be_bytes(self.at(p)) }

    #[inline]
    fn f64_little_at(&self, p: i64) -> f64 { f64::from_le_bytes(self.at(p)) }

    #[inline]
    fn uint_at(&self, p: i64, n: i64, little: bool) -> u64 { number(&self.b[p as usize..(p + n) as usize], little) }

    #[inline]
    fn sint_at(&self, p: i64, n: i64, little: bool) -> i64 { signed(self.uint_at(p, n, little), n) }

    fn bool_at(&self, p: i64, f: StaticStr) -> Result<bool, WireError> {
        let x = self.b[p as usize];
        self.verify(x <= 1, "invalid_boolean", f, p)?;
        Ok(x == 1)
    }

    #[inline]
    fn u8(&mut self, f: StaticStr) -> Result<u8, WireError> { self.fixed(f).map(u8::from_be_bytes) }

    #[inline]
    fn u16(&mut self, f: StaticStr) -> Result<u16, WireError> { self.fixed(f).map(u16::from_be_bytes) }

    #[inline]
    fn u16_little(&mut self, f: StaticStr) -> Result<u16, WireError> { self.fixed(f).map(u16::from_le_bytes) }

    #[inline]
    fn u24(&mut self, f: StaticStr) -> Result<u32, WireError> { self.uint(3, false, f).map(|x| x as u32) }

    #[inline]
    fn u24_little(&mut self, f: StaticStr) -> Result<u32, WireError> { self.uint(3, true, f).map(|x| x as u32) }

    #[inline]
    fn u32(&mut self, f: StaticStr) -> Result<u32, WireError> { self.fixed(f).map(u32::from_be_bytes) }

    #[inline]
    fn u32_little(&mut self, f: StaticStr) -> Result<u32, WireError> { self.fixed(f).map(u32::from_le_bytes) }

    #[inline]
    fn u64(&mut self, f: StaticStr) -> Result<u64, WireError> { self.fixed(f).map(u64::from_be_bytes) }

    #[inline]
    fn u64_little(&mut self, f: StaticStr) -> Result<u64, WireError> { self.fixed(f).map(u64::from_le_bytes) }

    #[inline]
    fn i8(&mut self, f: StaticStr) -> Result<i8, WireError> { self.fixed(f).map(i8::from_be_bytes) }

    #[inline]
    fn i16(&mut self, f: StaticStr) -> Result<i16, WireError> { self.fixed(f).map(i16::from_be_bytes) }

    #[inline]
    fn i16_little(&mut self, f: StaticStr) -> Result<i16, WireError> { self.fixed(f).map(i16::from_le_bytes) }

    #[inline]
    fn i24(&mut self, f: StaticStr) -> Result<i32, WireError> { self.sint(3, false, f).map(|x| x as i32) }

    #[inline]
    fn i24_little(&mut self, f: StaticStr) -> Result<i32, WireError> { self.sint(3, true, f).map(|x| x as i32) }

    #[inline]
    fn i32(&mut self, f: StaticStr) -> Result<i32, WireError> { self.fixed(f).map(i32::from_be_bytes) }

    #[inline]
    fn i32_little(&mut self, f: StaticStr) -> Result<i32, WireError> { self.fixed(f).map(i32::from_le_bytes) }

    #[inline]
    fn i64(&mut self, f: StaticStr) -> Result<i64, WireError> { self.fixed(f).map(i64::from_be_bytes) }

    #[inline]
    fn i64_little(&mut self, f: StaticStr) -> Result<i64, WireError> { self.fixed(f).map(i64::from_le_bytes) }

    /// A number of n bytes.
    #[inline]
    fn uint(&mut self, n: i64, little: bool, f: StaticStr) -> Result<u64, WireError> {
        self.last = self.p;
        Ok(number(self.next(n, f)?, little))
    }

    #[inline]
    fn sint(&mut self, n: i64, little: bool, f: StaticStr) -> Result<i64, WireError> { Ok(signed(self.uint(n, little, f)?, n)) }

    #[inline]
    fn f16(&mut self, f: StaticStr) -> Result<f64, WireError> { Ok(value16(self.u16(f)?)) }

    #[inline]
    fn f16_little(&mut self, f: StaticStr) -> Result<f64, WireError> { Ok(value16(self.u16_little(f)?)) }

    #[inline]
    fn f32(&mut self, f: StaticStr) -> Result<f32, WireError> { self.fixed(f).map(f32::from_be_bytes) }

    #[inline]
    fn f32_little(&mut self, f: StaticStr) -> Result<f32, WireError> { self.fixed(f).map(f32::from_le_bytes) }

    #[inline]
    fn f64(&mut self, f: StaticStr) -> Result<f64, WireError> { self.fixed(f).map(f64::from_be_bytes) }

    #[inline]
    fn f64_little(&mut self, f: StaticStr) -> Result<f64, WireError> { self.fixed(f).map(f64::from_le_bytes) }

    fn bool(&mut self, f: StaticStr) -> Result<bool, WireError> {
        let [x] = self.fixed(f)?;
        self.require(x <= 1, "invalid_boolean", f)?;
        Ok(x == 1)
    }

    /// A varint of at most so many bytes, and 64 bits.
    fn varint(&mut self, most: i64, f: StaticStr) -> Result<u64, WireError> {
        self.last = self.p;
        let mut v = 0;
        for i in 0..most as usize {
            if self.p + i >= self.end {
                return Err(self.error("truncated", f, self.p));
            }
            let x = self.b[self.p + i];
            if i == 9 && x > 1 {
                break;
            }
            // #region shortest
            if x == 0 && i > 0 {
                return Err(self.error("varint_not_shortest", f, self.p));
            }
            // #endregion
            v |= u64::from(x & 127) << (7 * i);
            if x < 128 {
                self.p += i + 1;
                return Ok(v);
            }
        }
        Err(self.error("varint_too_long", f, self.p))
    }

    fn zigzag(&mut self, most: i64, f: StaticStr) -> Result<i64, WireError> {
        let v = self.varint(most, f)?;
        Ok((v >> 1) as i64 ^ -((v & 1) as i64))
    }

    fn varint32(&mut self, most: i64, f: StaticStr) -> Result<i64, WireError> {
        let v = self.varint(most, f)?;
        self.require(v <= 0xFFFF_FFFF, "varint_too_long", f)?;
        Ok(i64::from(v as u32 as i32))
    }

    #[inline]
    fn text(&mut self, n: i64, f: StaticStr) -> Result<String, WireError> {
        let p = self.p;
        let b = self.next(n, f)?;
        self.valid_text(b, f, p)
    }

    #[inline]
    fn blob(&mut self, n: i64, f: StaticStr) -> Result<Vec<u8>, WireError> { self.next(n, f).map(|b| b.to_vec()) }

    /// Text in n bytes, which a byte fills.
    fn fixed_text(&mut self, n: i64, filler: u8, f: StaticStr) -> Result<String, WireError> {
        let p = self.p;
        let b = self.next(n, f)?;
        let count = if filler == 0 {
            b.iter().position(|x| *x == 0).unwrap_or(b.len())
        } else {
            b.iter().rposition(|x| *x != filler).map_or(0, |last| last + 1)
        };
        self.valid_text(&b[..count], f, p)
    }

    /// Two digits in each of n bytes.
    fn digits(&mut self, n: i64, f: StaticStr) -> Result<String, WireError> {
        let p = self.p;
        let b = self.next(n, f)?;
        let mut text = String::with_capacity(2 * b.len());
        for (i, x) in b.iter().enumerate() {
            if x >> 4 > 9 || x & 15 > 9 {
                return Err(self.error("invalid_digit", f, p + i));
            }
            text.push((b'0' + (x >> 4)) as char);
            text.push((b'0' + (x & 15)) as char);
        }
        Ok(text)
    }

    /// Goes over n bytes, of which the first ones are known.
    fn constant_text(&mut self, n: i64, known: &[u8], f: StaticStr) -> Result<(), WireError> {
        let place = self.take(n, f)?;
        self.same_bytes(place, known, f)
    }

    fn same_bytes(&self, place: i64, known: &[u8], f: StaticStr) -> Result<(), WireError> {
        for (i, x) in known.iter().enumerate() {
            let own = place + i as i64;
            let is_same = usize::try_from(own).ok().and_then(|own| self.b.get(own)) == Some(x);
            self.verify(is_same, "wrong_constant", f, own)?;
        }
        Ok(())
    }

    /// Text of n units of 16 bits.
    fn utf16(&mut self, n: i64, little: bool, f: StaticStr) -> Result<String, WireError> {
        let p = self.p;
        let byte_count = if n < 0 || n > ((self.end - self.p) / 2) as i64 { -1 } else { 2 * n };
        let b = self.next(byte_count, f)?;
        self.units(b, little, f, p)
    }

    /// The text in bytes at a place. Half of a surrogate pair is refused where it is.
    fn units(&self, b: &[u8], little: bool, f: StaticStr, place: usize) -> Result<String, WireError> {
        let mut text = String::with_capacity(b.len() / 2);
        let mut p = place;
        for c in char::decode_utf16((0..b.len() / 2).map(|i| unit(b, i, little))) {
            match c {
                Ok(c) => {
                    p += 2 * c.len_utf16();
                    text.push(c);
                }
                Err(_) => return Err(self.error("invalid_utf16", f, p)),
            }
        }
        Ok(text)
    }

    /// Counts the units up to the end.
    fn rest_units(&self, most: i64, f: StaticStr) -> Result<i64, WireError> {
        let n = (self.end - self.p) as i64;
        let count = self.counted(n / 2, most, f)?;
        if n % 2 == 1 {
            return Err(self.error("truncated", f, self.end - 1));
        }
        Ok(count)
    }

    /// Counts the units up to one of 0.
    fn terminated_units(&self, most: i64, f: StaticStr) -> Result<i64, WireError> {
        match self.b[self.p..self.end].chunks_exact(2).position(|x| x == [0, 0]) {
            Some(n) => self.counted(n as i64, most, f),
            None => Err(self.error("missing_terminator", f, self.p)),
        }
    }

    /// Text in n bytes, which a unit fills.
    fn fixed_utf16(&mut self, n: i64, filler: u16, little: bool, f: StaticStr) -> Result<String, WireError> {
        let p = self.p;
        let b = self.next(n, f)?;
        let mut units = 0..b.len() / 2;
        let count = if filler == 0 {
            units.position(|i| unit(b, i, little) == 0).unwrap_or(b.len() / 2)
        } else {
            units.rposition(|i| unit(b, i, little) != filler).map_or(0, |last| last + 1)
        };
        self.units(&b[..2 * count], little, f, p)
    }

    /// Lines of a key and its value, up to the end.
    fn properties(&mut self, strict: bool, f: StaticStr) -> Result<Vec<(String, String)>, WireError> {
        let mut found: Vec<(String, String)> = Vec::new();
        let mut known: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
        self.rest(65535, f)?;
        while self.p < self.end {
            let p = self.p;
            let rest = &self.b[p..self.end];
            let count = rest.iter().position(|x| *x == b'\n');
            let line = &rest[..count.unwrap_or(rest.len())];
            self.p += line.len() + usize::from(count.is_some());
            let text = self.valid_text(line, f, p)?;
            let colon = text.find(':');
            if strict && colon.unwrap_or(0) == 0 {
                return Err(self.error("invalid_property", f, p));
            }
            if colon == Some(0) || text.is_empty() {
                continue;
            }
            let (key, value) = text.split_once(':').unwrap_or((&text, ""));
            match known.get(key) {
                Some(_) if strict => return Err(self.error("duplicate_key", f, p)),
                Some(i) => found[*i].1 = value.to_string(),
                None => {
                    known.insert(key.to_string(), found.len());
                    found.push((key.to_string(), value.to_string()));
                }
            }
        }
        Ok(found)
    }

    /// The bytes of the whole packet, by one of its lengths.
    #[inline]
    fn packet_size(&self, length: i64, difference: i64, least: i64, place: i64) -> Result<i64, WireError> {
        let size = length.saturating_add(difference);
        if size < least {
            return Err(WireError::new("length_too_small", "", place));
        }
        if size > /*layers{*/self.limit/*}*//* !layers{MAXIMUM_SIZE}*/ {
            return Err(WireError::new("packet_too_long", "", place));
        }
        Ok(size)
    }

    /// The same for a number that could be negative, which no length is.
    fn packet_size_signed(&self, length: i64, difference: i64, least: i64, place: i64) -> Result<i64, WireError> {
        if length < 0 {
            return Err(WireError::new("length_too_small", "", place));
        }
        self.packet_size(length, difference, least, place)
    }

    /// The number of bytes that are there, or a larger one.
    fn at_least(&self, n: i64) -> i64 { n.max(self.b.len() as i64) }

    fn same_size(&self, size: i64, other: i64, f: StaticStr, place: i64) -> Result<i64, WireError> {
        self.verify(size == other, "length_mismatch", f, place)?;
        Ok(size)
    }

    /// Whether bytes of the header are there; if the packet surely ends before them, they are missing.
    fn arrived(&self, n: i64, f: StaticStr) -> Result<bool, WireError> {
        if (self.end - self.p) as i64 >= n {
            return Ok(true);
        }
        if self.end >= self.surely { Err(self.error("truncated", f, self.p)) } else { Ok(false) }
    }

    /// Whether a varint of the header is there, or cannot be one.
    fn varint_arrived(&self, most: i64) -> bool {
        for i in 0..most as usize {
            if self.p + i >= self.end {
                return self.end >= self.surely;
            }
            if self.b[self.p + i] < 128 {
                return true;
            }
        }
        true
    }

    /// Says that the packet surely ends after so many bytes.
    fn last(&mut self, size: i64) {
        self.surely = self.surely.min(size as usize);
        self.end = self.end.min(self.surely).max(self.p);
    }

    /// Says that a packet cannot be whole before so many bytes are there.
    fn wants(&mut self, size: i64) { self.wanted = size; }

    fn bound(&mut self, from: i64, to: i64) {
        self.p = (from as usize).min(self.b.len());
        self.end = (to as usize).clamp(self.p, self.b.len());
    }

    /// Refuses bytes after a packet that fills its frame.
    fn only_packet(&self, size: i64) -> Result<(), WireError> {
        if size < self.b.len() as i64 { Err(WireError::new("trailing_bytes", "", size)) } else { Ok(()) }
    }

    /// Some bytes of the packet.
    fn part(&self, from: i64, to: i64) -> &[u8] { self.b.get(from as usize..to as usize).unwrap_or(&[]) }

    /// A copy of bytes, in which some are zeros: pairs of a place and a number of bytes.
    fn zeroed(&self, from: i64, to: i64, zeros: &[i64]) -> Vec<u8> {
        let mut b = self.part(from, to).to_vec();
        for zero in zeros.chunks_exact(2) {
            let start = (zero[0] - from).max(0);
            if let Some(bytes) = b.get_mut(start as usize..(start + zero[1]) as usize) {
                bytes.fill(0);
            }
        }
        b
    }
    // #endregion
}
// #endregion

// #region functions
// #region called
/// A number of up to 8 bytes.
#[inline]
fn number(b: &[u8], little: bool) -> u64 {
    let add = |v: u64, x: &u8| v << 8 | u64::from(*x);
    if little { b.iter().rev().fold(0, add) } else { b.iter().fold(0, add) }
}

/// The number with a sign in n bytes.
#[inline]
fn signed(v: u64, n: i64) -> i64 {
    let shift = 64 - 8 * n as u32;
    ((v << shift) as i64) >> shift
}

fn unit(b: &[u8], i: usize, little: bool) -> u16 {
    let bytes = [b[2 * i], b[2 * i + 1]];
    if little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) }
}

/// A CRC whose bytes begin with the least significant bit.
fn reflected_crc(b: &[u8], polynomial: u32, start: u32) -> u32 {
    b.iter().fold(start, |x, y| (0..8).fold(x ^ u32::from(*y), |x, _| x >> 1 ^ if x & 1 == 1 { polynomial } else { 0 }))
}

/// A CRC of 16 bits whose bytes begin with the most significant bit.
fn ccitt(b: &[u8], start: u16) -> u16 {
    b.iter().fold(start, |x, y| (0..8).fold(x ^ u16::from(*y) << 8, |x, _| x << 1 ^ if x & 0x8000 == 0 { 0 } else { 0x1021 }))
}

/// A CRC of 32 bits by a table, which the compiler makes.
fn table_crc(b: &[u8], table: &[u32; 256]) -> u32 {
    !b.iter().fold(!0, |x: u32, y| table[((x ^ u32::from(*y)) & 255) as usize] ^ x >> 8)
}

const fn crc_table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut x = i as u32;
        let mut bit = 0;
        while bit < 8 {
            x = if x & 1 == 1 { x >> 1 ^ polynomial } else { x >> 1 };
            bit += 1;
        }
        table[i] = x;
        i += 1;
    }
    table
}

fn crc32(b: &[u8]) -> u32 {
    const TABLE: [u32; 256] = crc_table(0xEDB8_8320);
    table_crc(b, &TABLE)
}

fn crc32c(b: &[u8]) -> u32 {
    const TABLE: [u32; 256] = crc_table(0x82F6_3B78);
    table_crc(b, &TABLE)
}

fn adler32(b: &[u8]) -> u32 {
    let (mut low, mut high) = (1, 0);
    for chunk in b.chunks(5000) {
        for x in chunk {
            low += u32::from(*x);
            high += low;
        }
        low %= 65521;
        high %= 65521;
    }
    high << 16 | low
}

fn crc16_arc(b: &[u8]) -> u32 { reflected_crc(b, 0xA001, 0) }

fn crc16_modbus(b: &[u8]) -> u32 { reflected_crc(b, 0xA001, 0xFFFF) }

fn crc16_kermit(b: &[u8]) -> u32 { reflected_crc(b, 0x8408, 0) }

fn crc16_x25(b: &[u8]) -> u32 { reflected_crc(b, 0x8408, 0xFFFF) ^ 0xFFFF }

fn crc16_ccitt_false(b: &[u8]) -> u16 { ccitt(b, 0xFFFF) }

fn crc16_xmodem(b: &[u8]) -> u16 { ccitt(b, 0) }

fn sum8(b: &[u8]) -> u8 { b.iter().fold(0, |x, y| x.wrapping_add(*y)) }

fn xor8(b: &[u8]) -> u8 { b.iter().fold(0, |x, y| x ^ y) }

/// Whether lengths cannot hold a packet, so that another form of the header may.
fn does_not_fit(error: &WireError) -> bool {
    matches!(error.kind, "packet_too_long" | "length_too_small" | "invalid_message_id")
}
// #endregion
// #endregion

// #region writer
/// Writes fields into `b`, up to `p`.
#[doc(hidden)]
pub struct Writer<'a> {
    b: Vec<u8>,
    p: usize,
    trail: &'a mut Trail,
}

impl<'a> Writer<'a> {
    fn new(trail: &'a mut Trail) -> Writer<'a> {
        Writer { b: Vec::new(), p: LONGEST_HEADER, trail }
    }

    fn error(&self, kind: StaticStr, f: StaticStr) -> WireError {
        self.trail.refused(kind, f)
    }

    /// Goes on by n bytes.
    #[inline]
    fn room(&mut self, n: i64) -> i64 {
        let p = self.p;
        self.p += n as usize;
        if p == self.b.len() {
            // The compiler mostly knows how many zeros these are.
            self.b.resize(p + n as usize, 0);
        } else if self.p > self.b.len() {
            self.b.resize(self.p, 0);
        }
        p as i64
    }

    /// Makes room for as many bytes as will probably follow. The compiler then knows that the first ones fit.
    #[inline]
    fn reserve(&mut self, n: usize) {
        if self.b.is_empty() {
            self.b = Vec::with_capacity(n.saturating_add(LONGEST_HEADER));
            self.b.extend_from_slice(&[0; LONGEST_HEADER]);
        }
    }

    #[inline]
    fn set<const N: usize>(&mut self, p: i64, bytes: [u8; N]) {
        self.b[p as usize..p as usize + N].copy_from_slice(&bytes);
    }

    /// Most bytes are the last ones.
    #[inline]
    fn put_slice(&mut self, bytes: &[u8]) {
        if self.p == self.b.len() {
            self.b.extend_from_slice(bytes);
            self.p = self.b.len();
        } else {
            let p = self.room(bytes.len() as i64) as usize;
            self.b[p..p + bytes.len()].copy_from_slice(bytes);
        }
    }

    #[inline]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.put_slice(&bytes);
    }

    #[inline]
    fn append_blob(&mut self, v: &[u8], _f: StaticStr) -> i64 {
        self.put_slice(v);
        v.len() as i64
    }

    // #region called
    fn text_length(&self, v: &str) -> usize { v.len() }

    fn blob_length(&self, v: &[u8]) -> usize { v.len() }

    #[inline]
    fn require(&self, good: bool, kind: StaticStr, f: StaticStr) -> Result<(), WireError> {
        if good { Ok(()) } else { Err(self.error(kind, f)) }
    }

    #[inline]
    fn verify(&self, good: bool, kind: StaticStr) -> Result<(), WireError> {
        if good { Ok(()) } else { Err(WireError::new(kind, "", -1)) }
    }

    /// Judges a field of the header that a message fixes.
    fn verify_header(&mut self, good: bool, kind: StaticStr, f: StaticStr) -> Result<(), WireError> {
        if good {
            return Ok(());
        }
        self.trail.steps.push(("packet", -1));
        Err(self.error(kind, f))
    }

    fn position(&self) -> i64 { self.p as i64 }

    fn seek(&mut self, place: i64) { self.p = place.max(0) as usize; }

    fn enter(&mut self, f: StaticStr) { self.trail.steps.push((f, -1)); }

    fn leave(&mut self) { self.trail.steps.pop(); }

    fn index(&mut self, i: i64) { self.trail.index(i); }

    fn deeper(&mut self, f: StaticStr) -> Result<(), WireError> {
        self.require(self.trail.depth > 0, "too_deep", f)?;
        self.trail.depth -= 1;
        Ok(())
    }

    fn shallower(&mut self) { self.trail.depth += 1; }

    /// What was written from a place on.
    #[inline]
    fn packet(&mut self, start: i64, count: i64) -> Vec<u8> {
        let mut packet = std::mem::take(&mut self.b);
        packet.truncate((start + count) as usize);
        if start > 0 {
            packet.drain(..start as usize);
        }
        packet
    }

    /// Some of what was written.
    fn part(&self, from: i64, to: i64) -> &[u8] { self.b.get(from as usize..to as usize).unwrap_or(&[]) }

    #[inline]
    fn set_u8(&mut self, p: i64, v: u8, _f: StaticStr) { self.set(p, [v]); }

    #[inline]
    fn set_u16(&mut self, p: i64, v: u16, _f: StaticStr) { self.set(p, v.to_be_bytes()); }

    #[inline]
    fn set_u16_little(&mut self, p: i64, v: u16, _f: StaticStr) { self.set(p, v.to_le_bytes()); }

    fn set_u24(&mut self, p: i64, v: u32, f: StaticStr) -> Result<(), WireError> {
        self.require(v < 1 << 24, "out_of_range", f)?;
        self.set_uint(p, u64::from(v), 3, false);
        Ok(())
    }

    fn set_u24_little(&mut self, p: i64, v: u32, f: StaticStr) -> Result<(), WireError> {
        self.require(v < 1 << 24, "out_of_range", f)?;
        self.set_uint(p, u64::from(v), 3, true);
        Ok(())
    }

    #[inline]
    fn set_u32(&mut self, p: i64, v: u32, _f: StaticStr) { self.set(p, v.to_be_bytes()); }

    #[inline]
    fn set_u32_little(&mut self, p: i64, v: u32, _f: StaticStr) { self.set(p, v.to_le_bytes()); }

    #[inline]
    fn set_u64(&mut self, p: i64, v: u64, _f: StaticStr) { self.set(p, v.to_be_bytes()); }

    #[inline]
    fn set_u64_little(&mut self, p: i64, v: u64, _f: StaticStr) { self.set(p, v.to_le_bytes()); }

    #[inline]
    fn set_i8(&mut self, p: i64, v: i8, _f: StaticStr) { self.set(p, v.to_be_bytes()); }

    #[inline]
    fn set_i16(&mut self, p: i64, v: i16, _f: StaticStr) { self.set(p, v.to_be_bytes()); }

    #[inline]
    fn set_i16_little(&mut self, p: i64, v: i16, _f: StaticStr) { self.set(p, v.to_le_bytes()); }

    fn set_i24(&mut self, p: i64, v: i32, f: StaticStr) -> Result<(), WireError> {
        self.require((-1 << 23..1 << 23).contains(&v), "out_of_range", f)?;
        self.set_uint(p, v as u64, 3, false);
        Ok(())
    }

    fn set_i24_little(&mut self, p: i64, v: i32, f: StaticStr) -> Result<(), WireError> {
        self.require((-1 << 23..1 << 23).contains(&v), "out_of_range", f)?;
        self.set_uint(p, v as u64, 3, true);
        Ok(())
    }

    #[inline]
    fn set_i32(&mut self, p: i64, v: i32, _f: StaticStr) { self.set(p, v.to_be_bytes()); }

    #[inline]
    fn set_i32_little(&mut self, p: i64, v: i32, _f: StaticStr) { self.set(p, v.to_le_bytes()); }

    #[inline]
    fn set_i64(&mut self, p: i64, v: i64, _f: StaticStr) { self.set(p, v.to_be_bytes()); }

    #[inline]
    fn set_i64_little(&mut self, p: i64, v: i64, _f: StaticStr) { self.set(p, v.to_le_bytes()); }

    /// The nearest number of 16 bits.
    #[inline]
    fn nearest16(&self, v: f64, f: StaticStr) -> Result<f64, WireError> {
        self.require(v.abs() < 65520.0 || !v.is_finite(), "number_too_large", f)?;
        Ok(rounded16(v))
    }

    #[inline]
    fn set_f16(&mut self, p: i64, v: f64, f: StaticStr) -> Result<(), WireError> {
        let v = self.nearest16(v, f)?;
        self.set(p, bits16(v).to_be_bytes());
        Ok(())
    }

    #[inline]
    fn set_f16_little(&mut self, p: i64, v: f64, f: StaticStr) -> Result<(), WireError> {
        let v = self.nearest16(v, f)?;
        self.set(p, bits16(v).to_le_bytes());
        Ok(())
    }

    #[inline]
    fn set_f32(&mut self, p: i64, v: f32, _f: StaticStr) { self.set(p, bits32(v).to_be_bytes()); }

    #[inline]
    fn set_f32_little(&mut self, p: i64, v: f32, _f: StaticStr) { self.set(p, bits32(v).to_le_bytes()); }

    #[inline]
    fn set_f64(&mut self, p: i64, v: f64, _f: StaticStr) { self.set(p, bits64(v).to_be_bytes()); }

    #[inline]
    fn set_f64_little(&mut self, p: i64, v: f64, _f: StaticStr) { self.set(p, bits64(v).to_le_bytes()); }

    #[inline]
    fn set_bool(&mut self, p: i64, v: bool) { self.set(p, [u8::from(v)]); }

    #[inline]
    fn put_u8(&mut self, v: u8, _f: StaticStr) { self.put([v]); }

    #[inline]
    fn put_u16(&mut self, v: u16, _f: StaticStr) { self.put(v.to_be_bytes()); }

    #[inline]
    fn put_u16_little(&mut self, v: u16, _f: StaticStr) { self.put(v.to_le_bytes()); }

    fn put_u24(&mut self, v: u32, f: StaticStr) -> Result<(), WireError> {
        let p = self.room(3);
        self.set_u24(p, v, f)
    }

    fn put_u24_little(&mut self, v: u32, f: StaticStr) -> Result<(), WireError> {
        let p = self.room(3);
        self.set_u24_little(p, v, f)
    }

    #[inline]
    fn put_u32(&mut self, v: u32, _f: StaticStr) { self.put(v.to_be_bytes()); }

    #[inline]
    fn put_u32_little(&mut self, v: u32, _f: StaticStr) { self.put(v.to_le_bytes()); }

    #[inline]
    fn put_u64(&mut self, v: u64, _f: StaticStr) { self.put(v.to_be_bytes()); }

    #[inline]
    fn put_u64_little(&mut self, v: u64, _f: StaticStr) { self.put(v.to_le_bytes()); }

    #[inline]
    fn put_i8(&mut self, v: i8, _f: StaticStr) { self.put(v.to_be_bytes()); }

    #[inline]
    fn put_i16(&mut self, v: i16, _f: StaticStr) { self.put(v.to_be_bytes()); }

    #[inline]
    fn put_i16_little(&mut self, v: i16, _f: StaticStr) { self.put(v.to_le_bytes()); }

    fn put_i24(&mut self, v: i32, f: StaticStr) -> Result<(), WireError> {
        let p = self.room(3);
        self.set_i24(p, v, f)
    }

    fn put_i24_little(&mut self, v: i32, f: StaticStr) -> Result<(), WireError> {
        let p = self.room(3);
        self.set_i24_little(p, v, f)
    }

    #[inline]
    fn put_i32(&mut self, v: i32, _f: StaticStr) { self.put(v.to_be_bytes()); }

    #[inline]
    fn put_i32_little(&mut self, v: i32, _f: StaticStr) { self.put(v.to_le_bytes()); }

    #[inline]
    fn put_i64(&mut self, v: i64, _f: StaticStr) { self.put(v.to_be_bytes()); }

    #[inline]
    fn put_i64_little(&mut self, v: i64, _f: StaticStr) { self.put(v.to_le_bytes()); }

    #[inline]
    fn put_f16(&mut self, v: f64, f: StaticStr) -> Result<(), WireError> {
        let v = self.nearest16(v, f)?;
        self.put(bits16(v).to_be_bytes());
        Ok(())
    }

    #[inline]
    fn put_f16_little(&mut self, v: f64, f: StaticStr) -> Result<(), WireError> {
        let v = self.nearest16(v, f)?;
        self.put(bits16(v).to_le_bytes());
        Ok(())
    }

    #[inline]
    fn put_f32(&mut self, v: f32, _f: StaticStr) { self.put(bits32(v).to_be_bytes()); }

    #[inline]
    fn put_f32_little(&mut self, v: f32, _f: StaticStr) { self.put(bits32(v).to_le_bytes()); }

    #[inline]
    fn put_f64(&mut self, v: f64, _f: StaticStr) { self.put(bits64(v).to_be_bytes()); }

    #[inline]
    fn put_f64_little(&mut self, v: f64, _f: StaticStr) { self.put(bits64(v).to_le_bytes()); }

    #[inline]
    fn put_bool(&mut self, v: bool) { self.put([u8::from(v)]); }

    /// Writes a number of n bytes, which has been checked.
    fn put_uint(&mut self, v: u64, n: i64, little: bool) {
        let p = self.room(n);
        self.set_uint(p, v, n, little);
    }

    fn set_uint(&mut self, p: i64, v: u64, n: i64, little: bool) {
        let b = &mut self.b[p as usize..(p + n) as usize];
        if little {
            b.copy_from_slice(&v.to_le_bytes()[..n as usize]);
        } else {
            b.copy_from_slice(&v.to_be_bytes()[8 - n as usize..]);
        }
    }

    fn put_varint(&mut self, v: u64) {
        let mut rest = v;
        while rest > 127 {
            self.put([rest as u8 | 128]);
            rest >>= 7;
        }
        self.put([rest as u8]);
    }

    fn varint_size(&self, v: u64) -> i64 { i64::from((70 - (v | 1).leading_zeros()) / 7) }

    fn zigzag_bits(&self, v: i64) -> u64 { (v << 1 ^ v >> 63) as u64 }

    #[inline]
    fn put_text(&mut self, v: &str, prefix: i64, most: i64, f: StaticStr) -> Result<(), WireError> { self.put_blob(v.as_bytes(), prefix, most, f) }

    #[inline]
    fn put_blob(&mut self, v: &[u8], prefix: i64, most: i64, f: StaticStr) -> Result<(), WireError> {
        self.put_count(v.len() as i64, prefix, most, f)?;
        self.append_blob(v, f);
        Ok(())
    }

    fn append_text(&mut self, v: &str, f: StaticStr) -> i64 { self.append_blob(v.as_bytes(), f) }

    /// Writes text, and returns the number of its units.
    fn append_utf16(&mut self, v: &str, little: bool, _f: StaticStr) -> i64 {
        let mut count = 0;
        for unit in v.encode_utf16() {
            self.put(if little { unit.to_le_bytes() } else { unit.to_be_bytes() });
            count += 1;
        }
        count
    }

    /// Writes what follows the last known field; nothing may be missing before it.
    #[inline]
    fn put_trailing(&mut self, v: &[u8], gap: StaticStr) -> Result<(), WireError> {
        if v.is_empty() { Ok(()) } else { self.put_unknown(v, gap) }
    }

    /// Few packets have such bytes. That this is no part of the function above makes writing faster.
    #[cold]
    fn put_unknown(&mut self, v: &[u8], gap: StaticStr) -> Result<(), WireError> {
        self.require(gap.is_empty(), "gap_before_optional", gap)?;
        self.append_blob(v, "");
        Ok(())
    }

    #[inline]
    fn limit(&self, n: i64, most: i64, f: StaticStr) -> Result<i64, WireError> {
        self.require(most < 0 || n <= most, "too_long", f)?;
        Ok(n)
    }

    fn not_less(&self, n: i64, least: i64, f: StaticStr) -> Result<i64, WireError> {
        self.require(n >= least, "length_too_small", f)?;
        Ok(n)
    }

    fn exactly(&self, n: i64, count: i64, f: StaticStr) -> Result<i64, WireError> {
        self.require(n == count, "wrong_item_count", f)?;
        Ok(n)
    }

    /// Ends n units of text, none of which may be 0.
    fn terminate(&mut self, n: i64, width: i64, f: StaticStr) -> Result<(), WireError> {
        let text = &self.b[self.p - (n * width) as usize..self.p];
        let is_good = text.chunks_exact(width as usize).all(|unit| unit.iter().any(|x| *x != 0));
        self.require(is_good, "embedded_terminator", f)?;
        self.put_zeros(width);
        Ok(())
    }

    /// Fills text of n units with a unit that must not end it; up to a 0 it must not have one.
    fn pad_text(&mut self, n: i64, count: i64, filler: u16, width: i64, little: bool, f: StaticStr) -> Result<(), WireError> {
        self.limit(n, count, f)?;
        let text = &self.b[self.p - (n * width) as usize..self.p];
        let is_filler = |unit: &[u8]| number(unit, little) == u64::from(filler);
        let mut units = text.chunks_exact(width as usize);
        let is_good = if filler == 0 { !units.any(is_filler) } else { !units.next_back().map_or(false, is_filler) };
        self.require(is_good, "embedded_terminator", f)?;
        for _ in n..count {
            self.put_uint(u64::from(filler), width, little);
        }
        Ok(())
    }

    /// Writes zeros after n bytes.
    fn fill_up(&mut self, n: i64, count: i64, f: StaticStr) -> Result<(), WireError> {
        self.limit(n, count, f)?;
        self.put_zeros(count - n);
        Ok(())
    }

    fn put_digits(&mut self, v: &str, n: i64, f: StaticStr) -> Result<(), WireError> {
        self.require(v.bytes().all(|x| x.is_ascii_digit()), "invalid_digit", f)?;
        self.exactly(v.len() as i64, 2 * n, f)?;
        for pair in v.as_bytes().chunks_exact(2) {
            self.put([pair[0] << 4 | pair[1] & 15]);
        }
        Ok(())
    }

    /// Writes lines; no key stands in two of them.
    fn put_properties(&mut self, v: &[(String, String)], f: StaticStr) -> Result<(), WireError> {
        let start = self.p;
        let mut known = std::collections::HashSet::new();
        for (i, (key, value)) in v.iter().enumerate() {
            let is_good = !key.is_empty() && !key.contains([':', '\n']) && !value.contains('\n');
            self.require(is_good, "invalid_property", f)?;
            self.require(known.insert(key), "duplicate_key", f)?;
            if i > 0 {
                self.put([b'\n']);
            }
            self.append_blob(key.as_bytes(), f);
            self.put([b':']);
            self.append_blob(value.as_bytes(), f);
        }
        self.limit((self.p - start) as i64, 65535, f)?;
        Ok(())
    }

    fn put_bytes(&mut self, v: &[u8]) { self.append_blob(v, ""); }

    fn put_zeros(&mut self, n: i64) {
        let p = self.room(n) as usize;
        self.b[p..p + n as usize].fill(0);
    }

    /// Refuses an item that begins with the byte that ends its list.
    fn not_stop(&self, place: i64, stop: u8) -> Result<(), WireError> {
        let is_good = place >= self.p as i64 || self.b[place as usize] != stop;
        self.require(is_good, "embedded_terminator", "")
    }

    /// Writes a count that is known: see the reader.
    #[inline]
    fn put_count(&mut self, n: i64, prefix: i64, most: i64, f: StaticStr) -> Result<(), WireError> {
        self.limit(n, most, f)?;
        match prefix {
            0 => self.put_varint(n as u64),
            32 => self.put_varint(2 * n as u64),
            1 => self.put([n as u8]),
            2 => self.put((n as u16).to_be_bytes()),
            _ => self.put_uint(n as u64, prefix & 15, prefix > 15),
        }
        Ok(())
    }

    /// Writes a count before so many bytes: into the room before them, or as a varint, which makes room.
    fn put_prefix(&mut self, n: i64, byte_count: i64, prefix: i64, most: i64, f: StaticStr) -> Result<(), WireError> {
        self.limit(n, most, f)?;
        let place = self.p as i64 - byte_count;
        match prefix {
            0 => self.insert_varint(place, n as u64),
            32 => self.insert_varint(place, 2 * n as u64),
            _ => self.set_uint(place - (prefix & 15), n as u64, prefix & 15, prefix > 15),
        }
        Ok(())
    }

    fn insert_varint(&mut self, place: i64, v: u64) {
        let n = self.varint_size(v);
        let end = self.room(n) as usize;
        self.b.copy_within(place as usize..end, (place + n) as usize);
        self.p = place as usize;
        self.put_varint(v);
        self.p = end + n as usize;
    }

    /// Writes the prefix of an absent value.
    fn put_absent(&mut self, prefix: i64) {
        if prefix == 32 {
            self.put([1]);
        } else {
            self.put_uint(u64::MAX, prefix & 15, false);
        }
    }

    /// The first field of several that is not set; what is set may not follow it.
    fn gap(&self, before: StaticStr, is_set: bool, f: StaticStr) -> Result<StaticStr, WireError> {
        if before.is_empty() && !is_set {
            return Ok(f);
        }
        self.require(before.is_empty() || !is_set, "gap_before_optional", before)?;
        Ok(before)
    }

    fn is_present(&self, is_set: bool, holds: bool, f: StaticStr) -> Result<bool, WireError> {
        self.require(is_set == holds, "presence", f)?;
        Ok(holds && is_set)
    }

    /// The count of several fields, which must be the same.
    fn agreed(&self, before: i64, count: i64, more: i64, f: StaticStr) -> Result<i64, WireError> {
        let n = count + more;
        self.require(before == -2147483648 || before == n, "wrong_item_count", f)?;
        Ok(n)
    }

    /// Such a count, or 0 if none of the fields is there.
    fn or_zero(&self, n: i64) -> i64 { if n == -2147483648 { 0 } else { n } }

    /// The number of a boolean.
    fn bit(&self, v: bool) -> u64 { u64::from(v) }

    fn non_negative(&self, n: i64) -> i64 { n.max(0) }

    fn check_length(&self, n: i64, low: i64, high: i64, f: StaticStr) -> Result<(), WireError> {
        self.require(n <= high, "packet_too_long", f)?;
        self.require(n >= low, "length_too_small", f)
    }
    // #endregion
}
// #endregion

// #region floats
// #region called
/// The number that 16 bits stand for.
fn value16(n: u16) -> f64 {
    let (exponent, fraction) = (n >> 10 & 31, n & 1023);
    let v = match exponent {
        0 => f64::from(fraction) / 16777216.0,
        31 if fraction == 0 => f64::INFINITY,
        31 => f64::NAN,
        _ => f64::from_bits(u64::from(exponent + 1008) << 52 | u64::from(fraction) << 42),
    };
    if n < 0x8000 { v } else { -v }
}

/// The nearest number of 16 bits, in one step; a tie goes to the number whose last bit is 0.
fn rounded16(v: f64) -> f64 {
    let a = v.abs();
    if a < 1.0 / 16384.0 {
        // The last bit of a sum of this size is that of the smallest numbers.
        return (a + 268435456.0 - 268435456.0).copysign(v);
    }
    let bits = v.to_bits();
    if v.is_finite() { f64::from_bits((bits + 0x1FF_FFFF_FFFF + (bits >> 42 & 1)) & !0x3FF_FFFF_FFFF) } else { v }
}

/// The bits of a number that has 16 of them; a NaN becomes the quiet one.
fn bits16(v: f64) -> u16 {
    let (bits, a) = (v.to_bits(), v.abs());
    let sign = (bits >> 48) as u16 & 0x8000;
    if a < 1.0 / 16384.0 {
        sign | (a * 16777216.0) as u16
    } else if a < 65520.0 {
        sign | ((bits >> 42 & 0x1F_FFFF) - 0xF_C000) as u16
    } else if v.is_nan() {
        0x7E00
    } else {
        sign | 0x7C00
    }
}

/// The bits of a float; a NaN becomes the quiet one.
fn bits32(v: f32) -> u32 { if v.is_nan() { 0x7FC0_0000 } else { v.to_bits() } }

fn bits64(v: f64) -> u64 { if v.is_nan() { 0x7FF8_0000_0000_0000 } else { v.to_bits() } }
// #endregion
// #endregion

// #region frame
/// What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them.
#[derive(Default)]
struct Frame {
    b: Vec<u8>,
    count: usize,
    is_inside: bool,
    first: Option<u8>,
}

impl Frame {
    fn error(kind: StaticStr, place: usize) -> WireError {
        WireError::new(kind, "packet.frame", place as i64)
    }

    fn add(&mut self, x: u8) -> Result<(), WireError> {
        if self.b.len() as i64 >= MAXIMUM_SIZE {
            return Err(Frame::error("packet_too_long", 0));
        }
        self.b.push(x);
        Ok(())
    }

    /// Reads up to the end of the next packet, and says whether it has come. Marks with nothing between them are skipped.
    fn take(&mut self, b: &[u8]) -> Result<bool, WireError> {
        for x in b {
            self.count += 1;
            match (self.is_inside, self.first.take(), *x) {
                (false, _, FRAME_START) => self.is_inside = true,
                (false, _, _) => return Err(Frame::error("wrong_constant", 0)),
                // #region each
                (_, Some(ESCAPE_FIRST), ESCAPE_SECOND) => self.add(ESCAPE_BYTE)?,
                // #endregion
                (_, Some(_), _) => return Err(Frame::error("invalid_escape", self.b.len())),
                (_, _, FRAME_END) => {
                    if !self.b.is_empty() {
                        return Ok(true);
                    }
                    // #region !sameMarks
                    //| self.is_inside = false;
                    // #endregion
                }
                // #region !sameMarks
                //| (_, _, FRAME_START) => return Err(Frame::error("invalid_escape", self.b.len())),
                // #endregion
                // #region escapes
                (_, _, first @ ESCAPE_FIRSTS) => self.first = Some(first),
                // #endregion
                (_, _, x) => self.add(x)?,
            }
        }
        Ok(false)
    }

    /// Whether a stream may not end here: a mark that ends packets and begins them has begun nothing.
    fn is_begun(&self) -> bool {
        self.is_inside/*sameMarks{*/ && (!self.b.is_empty() || self.first.is_some())/*}*/
    }

    /// The packet in the frame, which must be whole.
    fn packet<M: Side>(&self/*connection{*/, c: &mut Connection/*}*/) -> Result<Packet<M>, WireError> {
        match receive(&self.b, &mut 0/*connection{*/, c/*}*/)? {
            Some(packet) => Ok(Packet { byte_count: self.count, ..packet }),
            None => Err(WireError::new("truncated", "", self.b.len() as i64)),
        }
    }
}

/// A packet between its marks.
fn framed(packet: &[u8]) -> Vec<u8> {
    let mut b = Vec::with_capacity(packet.len() + 2);
    b.push(FRAME_START);
    for x in packet {
        match *x {
            // #region each
            ESCAPE_BYTE => b.extend([ESCAPE_FIRST, ESCAPE_SECOND]),
            // #endregion
            x => b.push(x),
        }
    }
    b.push(FRAME_END);
    b
}
// #endregion

// #region layers
/// Some fields of a packet: where its content begins and ends, where the packet and these fields do, and which rules hold.
struct Part {
    id: u64,
    header: Header,
    body: i64,
    end: i64,
    after: i64,
    first: i64,
    has_count: bool,
    count: i64,
    place: i64,
    rules: Vec<bool>,
    places: Vec<i64>,
}

type ReadPart = fn(r: &mut Reader) -> Result<Option<Part>, WireError>;
type WritePart = fn(w: &mut Writer, id: u64, h: &Header) -> Result<Vec<u8>, WireError>;

/// Layers, and the fields inside of them.
struct Section {
    layers: &'static [usize],
    fields: Option<(ReadPart, WritePart)>,
}

/// How packets of one shape are opened and sealed.
struct Layering {
    read_outer: ReadPart,
    write_outer: WritePart,
    read_flat: ReadPart,
    write_flat: WritePart,
    sections: &'static [Section],
    counter: Option<Counter>,
}

/// The field that counts the bytes inside the innermost layer, of those from the first one after it on.
struct Counter {
    path: StaticStr,
    constant: i64,
    most: i64,
    first: usize,
    is_settable: bool,
    is_set: fn(h: &Header) -> bool,
    is_there: fn(h: &Header) -> bool,
    set: fn(h: &mut Header, n: i64),
}

// #region streams
/// Where a keystream goes on: how many bytes it gave, or the state of RC4.
#[derive(Clone)]
enum Keystream {
    Used(u64),
    Rc4 { s: Vec<u8>, i: u8, j: u8 },
}

// #endregion
// #region program
/// A layer of the program, for what one side sends. An error is a word such as `invalid_layer`.
pub trait Layer {
    /// Returns what is inside of sealed bytes. It should make no more than one byte above the limit.
    fn open(&mut self, sealed: &[u8], header: &Header, limit: usize) -> Result<Vec<u8>, &'static str>;

    fn seal(&mut self, content: &[u8], header: &Header) -> Result<Vec<u8>, &'static str>;
}

// #endregion
// #region aes
/// AES for one block, which the program gives. A key has 16, 24 or 32 bytes.
pub trait BlockCipher {
    fn encrypt(&self, key: &[u8], block: &mut [u8; 16]);

    fn decrypt(&self, key: &[u8], block: &mut [u8; 16]);
}

// #endregion
impl Connection {
    // #region keys
    /// Sets a key for the packets of both sides, or of those that are given. Their keystreams begin anew.
    pub fn set_key(&mut self, name: &str, key: &[u8], senders: &[Sender]) -> Result<(), WireError> {
        let k = KEYS.iter().position(|known| known.0 == name);
        let k = k.ok_or_else(|| WireError::new("unknown_key", &format!("key.{name}"), -1))?;
        if !KEYS[k].1.iter().any(|n| n.0 <= key.len() && key.len() <= n.1) {
            return Err(WireError::new("wrong_key", &format!("key.{name}"), -1));
        }
        for sender in if senders.is_empty() { &[Sender::Client, Sender::Server] } else { senders } {
            self.keys.insert((*sender, k), key.to_vec());
            // #region streams
            for n in KEYS[k].2 {
                self.streams.remove(&(*sender, *n));
            }
            // #endregion
        }
        Ok(())
    }

    // #endregion
    // #region program
    /// Gives a layer of the program for the packets that one side sends: LAYER_WORDS.
    pub fn set_layer(&mut self, name: &str, sender: Sender, layer: Box<dyn Layer + Send>) -> Result<(), WireError> {
        let n = OWN_LAYERS.iter().position(|known| *known == name);
        let n = n.ok_or_else(|| WireError::new("unknown_layer", &format!("layer.{name}"), -1))?;
        self.layers.insert((sender, n), layer);
        Ok(())
    }

    // #endregion
    // #region aes
    /// Gives AES for one block; without it packets with AES are refused.
    pub fn set_aes(&mut self, cipher: Box<dyn BlockCipher + Send>) {
        self.aes = Some(cipher);
    }
    // #endregion
}

/// Goes on through all packets in one. Only if all of it was right, the connection takes it over.
pub struct Work<'a> {
    c: &'a mut Connection,
    sender: Sender,
    left: i64,
    // #region packets
    packets: usize,
    // #endregion
    ids: Vec<u64>,
    // #region streams
    streams: std::collections::BTreeMap<usize, Keystream>,
    // #endregion
}

impl WireError {
    /// The error with an offset that counts from another place.
    fn moved(mut self, origin: i64) -> WireError {
        self.0.offset = self.offset.and_then(|offset| offset.checked_sub(origin as usize));
        self
    }

    /// The error of a layer that is damaged.
    fn invalid(n: usize) -> WireError {
        WireError::new("invalid_layer", LAYER_PATHS[n], -1)
    }
    // #region packets

    /// The error in a packet inside another one.
    fn in_packet(mut self, i: usize) -> WireError {
        let point = if self.path.is_empty() { "" } else { "." };
        self.0.path = format!("packets[{i}]{point}{}", self.path);
        self
    }
    // #endregion
}

/// The fields of an opened packet. Offsets count from the first byte inside the innermost layer.
fn read_whole(read: ReadPart, b: &[u8], origin: i64) -> Result<Part, WireError> {
    let mut r = Reader::new(b);
    r.limit = i64::from(i32::MAX);
    let found = read(&mut r).map_err(|error| error.moved(origin))?;
    found.ok_or_else(|| WireError::new("truncated", "", b.len() as i64).moved(origin))
}

/// Some fields around a content.
fn wrapped(write: WritePart, id: u64, content: &[u8], h: &Header) -> Result<Vec<u8>, WireError> {
    let mut trail = Trail::new("packet");
    let mut w = Writer::new(&mut trail);
    w.append_blob(content, "");
    write(&mut w, id, h)
}

impl Layering {
    /// The fields of a packet that are known before its layers are sealed, and which rules hold.
    fn known(&self, id: u64, h: &Header) -> Result<Part, WireError> {
        read_whole(self.read_flat, &wrapped(self.write_flat, id, &[], h)?, 0)
    }

    /// Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader.
    fn count(&self, counter: &Counter, id: u64, n: i64, settable: &Header, given: &mut Header, part: &mut Part) -> Result<(), WireError> {
        if !(counter.is_there)(&part.header) {
            return Ok(());
        }
        if n > counter.most {
            return Err(WireError::new("out_of_range", counter.path, -1));
        }
        let mut tried = settable.clone();
        (counter.set)(&mut tried, n);
        if self.known(id, &tried)?.rules != part.rules {
            return Err(WireError::new("length_too_small", counter.path, -1));
        }
        (counter.set)(&mut part.header, n);
        (counter.set)(given, n);
        Ok(())
    }
}

impl Section {
    /// The fields and what is after them. Fields before are written for their conditions only.
    fn written(&self, h: &Header, content: Vec<u8>) -> Result<Vec<u8>, WireError> {
        match self.fields {
            None => Ok(content),
            Some((read, write)) => {
                let mut b = wrapped(write, 0, &content, h)?;
                let part = read_whole(read, &b, 0)?;
                b.drain(..part.first as usize);
                Ok(b)
            }
        }
    }
}

impl<'a> Work<'a> {
    fn new(sender: Sender, c: &'a mut Connection) -> Work<'a> {
        // #region streams
        let streams = c.streams.iter().filter(|item| item.0 .0 == sender).map(|(place, state)| (place.1, state.clone())).collect();
        // #endregion
        Work { c, sender, left: MAXIMUM_INFLATED, /*packets{*/packets: 0, /*}*/ids: Vec::new()/*streams{*/, streams/*}*/ }
    }

    fn commit(self) {
        for id in &self.ids {
            change(self.c, self.sender, *id);
        }
        // #region streams
        for (n, state) in self.streams {
            self.c.streams.insert((self.sender, n), state);
        }
        // #endregion
    }

    /// Adds the keystream of a layer that goes on. Inner packets are sealed first and opened last, so none may use it again.
    fn use_stream(n: usize, streams: &mut u64) -> Result<(), WireError> {
        if IS_LASTING[n] {
            if *streams >> n & 1 == 1 {
                return Err(WireError::invalid(n));
            }
            *streams |= 1 << n;
        }
        Ok(())
    }

    /// Counts what compression has made against the limit.
    fn inflated(&mut self, n: usize, content: &[u8]) -> Result<(), WireError> {
        if INFLATES[n] {
            if content.len() as i64 > self.left {
                return Err(WireError::new("inflated_too_long", LAYER_PATHS[n], -1));
            }
            self.left -= content.len() as i64;
        }
        Ok(())
    }

    /// The packet that bytes begin with, out of its layers, or how many bytes it needs at least.
    fn open<M: Side>(&mut self, b: &[u8], wanted: &mut i64, depth: u32, streams: &mut u64) -> Result<Option<Packet<M>>, WireError> {
        let shape = &LAYERINGS[shape_of(self.sender, self.c, depth > 0)? as usize];
        let mut r = Reader::new(b);
        let found = match (shape.read_outer)(&mut r)? {
            Some(found) => found,
            None => {
                *wanted = r.wanted;
                return Ok(None);
            }
        };
        let (mut header, mut rules) = (found.header, found.rules);
        let (mut has_count, mut count, mut place) = (found.has_count, found.count, found.place);
        let mut data = b[..found.body as usize].to_vec();
        let mut content = b[found.body as usize..found.end as usize].to_vec();
        let (mut origin, mut inside) = (0, -1);
        for section in shape.sections {
            for n in section.layers.iter().copied().filter(|n| rules[*n]) {
                if shape.counter.as_ref().map_or(false, |counter| has_count && count.saturating_sub(counter.constant) > MAXIMUM_INFLATED) {
                    return Err(WireError::new("inflated_too_long", LAYER_PATHS[n], -1));
                }
                Work::use_stream(n, streams)?;
                content = open_layer(self, n, &header, content)?;
                self.inflated(n, &content)?;
                origin = data.len() as i64;
                if shape.counter.as_ref().map_or(false, |counter| n >= counter.first) {
                    inside = content.len() as i64;
                }
            }
            if let Some((read, _)) = section.fields {
                data.append(&mut content);
                let part = read_whole(read, &data, origin)?;
                header = part.header;
                rules = part.rules;
                content = data[part.body as usize..part.end as usize].to_vec();
                data.truncate(part.body as usize);
                if !has_count && part.has_count {
                    (has_count, count, place) = (true, part.count, part.place - origin);
                }
            }
        }
        if let Some(counter) = shape.counter.as_ref().filter(|_| has_count) {
            if count != if inside < 0 { 0 } else { inside + counter.constant } {
                return Err(WireError::new("length_mismatch", counter.path, place));
            }
        }
        let mut flat = data;
        flat.extend_from_slice(&content);
        flat.extend_from_slice(&b[found.end as usize..found.after as usize]);
        let part = read_whole(shape.read_flat, &flat, origin)?;
        let byte_count = found.after as usize;
        // #region packets
        if part.rules[part.rules.len() - 2] {
            let packets = self.open_packets(&content, depth + 1, streams)?;
            let message = M::inner(InnerPackets { id: part.id, packets });
            return Ok(Some(Packet { message, header: part.header, byte_count }));
        }
        // #endregion
        if part.rules[part.rules.len() - 1] {
            let message = M::unknown(UnknownMessage { id: part.id, payload: content });
            return Ok(Some(Packet { message, header: part.header, byte_count }));
        }
        // A part of a message sets no state.
        self.ids.push(part.id);
        let mut r = Reader::new(&flat);
        r.p = part.body as usize;
        r.end = part.end as usize;
        // #region fixedHeaders
        // The place of a header field that the message fixes counts from the packet's first byte.
        M::verify_header(part.id, &mut r, &part.header, &part.places)?;
        // #endregion
        let message = M::read(part.id, &mut r, &part.header).map_err(|error| error.moved(origin))?;
        Ok(Some(Packet { message, header: part.header, byte_count }))
    }

    // #region packets
    fn add_packet(&mut self) -> Result<(), WireError> {
        if self.packets >= 65536 {
            return Err(WireError::new("too_long", "packets", -1));
        }
        self.packets += 1;
        Ok(())
    }

    fn open_packets<M: Side>(&mut self, content: &[u8], depth: u32, streams: &u64) -> Result<Vec<Packet<M>>, WireError> {
        if depth > MAXIMUM_NESTED {
            return Err(WireError::new("too_deep", "", -1));
        }
        let mut packets = Vec::new();
        let mut rest = content;
        while !(/*frames{*/are_marks(rest)/*}*//* !frames{rest.is_empty()}*/) {
            self.add_packet()?;
            let packet: Packet<M> = self.open_inner(rest, depth, *streams).map_err(|error| error.in_packet(packets.len()))?;
            rest = &rest[packet.byte_count..];
            packets.push(packet);
        }
        Ok(packets)
    }

    fn open_inner<M: Side>(&mut self, rest: &[u8], depth: u32, mut streams: u64) -> Result<Packet<M>, WireError> {
        // #region frames
        let mut frame = Frame::default();
        if !frame.take(rest)? {
            return Err(WireError::new("truncated", "", rest.len() as i64));
        }
        let b = &frame.b;
        // #endregion
        // #region !frames
        //| let b = rest;
        // #endregion
        match self.open(b, &mut 0, depth, &mut streams)? {
            Some(packet) => Ok(/*frames{*/Packet { byte_count: frame.count, ..packet }/*}*//* !frames{packet}*/),
            None => Err(WireError::new("truncated", "", b.len() as i64)),
        }
    }

    // #endregion
    /// A whole packet. It adds the layers whose keystream goes on that it uses.
    fn seal(&mut self, message: &dyn Message, header: &Header, depth: u32, streams: &mut u64) -> Result<Vec<u8>, WireError> {
        // #region packets
        if let Some(content) = message.seal_inner(self, depth, streams) {
            return self.sealed(message.message_id(), content?, header, Some("packets"), depth, streams);
        }
        // #endregion
        let mut trail = Trail::new(message.message_name().unwrap_or_default());
        let mut w = Writer::new(&mut trail);
        // #region fixedHeaders
        let header = &message.fix_header(&mut w, header)?;
        // #endregion
        message.write(&mut w, header)?;
        let payload = w.b.get(LONGEST_HEADER..w.p).unwrap_or(&[]).to_vec();
        let holds = message.message_name().map(|_| "message");
        self.sealed(message.message_id(), payload, header, holds, depth, streams)
    }

    fn sealed(&mut self, id: u64, payload: Vec<u8>, header: &Header, holds: Option<StaticStr>, depth: u32, streams: &mut u64) -> Result<Vec<u8>, WireError> {
        let shape = &LAYERINGS[shape_of(self.sender, self.c, depth > 0)? as usize];
        let mut counter = shape.counter.as_ref();
        // #region !threshold
        //| let settable = header.clone();
        // #endregion
        // #region threshold
        let mut settable = header.clone();
        if let Some(counter) = counter.filter(|counter| counter.is_settable && !(counter.is_set)(header)) {
            // Whether there is a layer depends on how much there is without one.
            let part = shape.known(id, &settable)?;
            if (counter.is_there)(&part.header) {
                (counter.set)(&mut settable, 0);
                if let (Some(threshold), Some(section)) = (self.c.threshold, shape.sections.last()) {
                    let mut given = settable.clone();
                    copy_identifiers(&mut given, &part.header);
                    if section.written(&given, payload.clone())?.len() >= threshold {
                        (counter.set)(&mut settable, 1);
                    }
                }
            }
        }
        // #endregion
        let mut part = shape.known(id, &settable)?;
        let (is_packets, is_opaque) = (part.rules[part.rules.len() - 2], part.rules[part.rules.len() - 1]);
        // #region packets
        if holds.is_some() && (holds == Some("packets")) != is_packets {
            return Err(WireError::new("presence", "packets", -1));
        }
        // #endregion
        if holds == Some("message") && is_opaque {
            return Err(WireError::new("presence", "opaque", -1));
        }
        if !is_packets && !is_opaque {
            self.ids.push(id);
        }
        let mut given = settable.clone();
        copy_identifiers(&mut given, &part.header);
        let mut content = payload;
        for section in shape.sections.iter().rev() {
            // From here on the layers are around the field.
            if let Some(counted) = counter.filter(|counter| section.layers[0] < counter.first) {
                shape.count(counted, id, 0, &settable, &mut given, &mut part)?;
                counter = None;
            }
            content = section.written(&given, content)?;
            for n in section.layers.iter().rev().copied() {
                if !part.rules[n] {
                    continue;
                }
                Work::use_stream(n, streams)?;
                if let Some(counted) = counter.take() {
                    shape.count(counted, id, content.len() as i64 + counted.constant, &settable, &mut given, &mut part)?;
                }
                self.inflated(n, &content)?;
                content = seal_layer(self, n, &part.header, content)?;
            }
        }
        if let Some(counted) = counter {
            shape.count(counted, id, 0, &settable, &mut given, &mut part)?;
        }
        let packet = wrapped(shape.write_outer, 0, &content, &given)?;
        Ok(/*frames{*/framed(&packet)/*}*//* !frames{packet}*/)
    }

    fn refused(kind: StaticStr, n: usize) -> WireError {
        WireError::new(kind, LAYER_PATHS[n], -1)
    }
    // #region keys

    fn key(&self, k: usize, n: usize) -> Result<Vec<u8>, WireError> {
        self.c.keys.get(&(self.sender, k)).cloned().ok_or_else(|| Work::refused("layer_unavailable", n))
    }
    // #endregion
    // #region xor

    fn xor_key(&self, b: Vec<u8>, key: &[u8], _n: usize) -> Result<Vec<u8>, WireError> {
        Ok(b.iter().zip(key.iter().cycle()).map(|(x, y)| x ^ y).collect())
    }
    // #endregion
    // #region rc4

    /// Goes on with the keystream from packet to packet.
    fn rc4(&mut self, mut b: Vec<u8>, key: &[u8], n: usize) -> Result<Vec<u8>, WireError> {
        let (mut s, mut i, mut j) = match self.streams.remove(&n) {
            Some(Keystream::Rc4 { s, i, j }) => (s, i, j),
            _ => {
                let mut s: Vec<u8> = (0..=255).collect();
                let mut j: u8 = 0;
                for i in 0..256 {
                    j = j.wrapping_add(s[i]).wrapping_add(key[i % key.len()]);
                    s.swap(i, usize::from(j));
                }
                (s, 0, 0)
            }
        };
        for x in &mut b {
            i = i.wrapping_add(1);
            j = j.wrapping_add(s[usize::from(i)]);
            s.swap(usize::from(i), usize::from(j));
            *x ^= s[usize::from(s[usize::from(i)].wrapping_add(s[usize::from(j)]))];
        }
        self.streams.insert(n, Keystream::Rc4 { s, i, j });
        Ok(b)
    }
    // #endregion
    // #region aes

    /// The cipher and the first block of a layer.
    fn aes(&self, start: &[u8], n: usize) -> Result<(&(dyn BlockCipher + Send), [u8; 16]), WireError> {
        match (&self.c.aes, <[u8; 16]>::try_from(start)) {
            (Some(cipher), Ok(block)) => Ok((cipher.as_ref(), block)),
            _ => Err(Work::refused("layer_unavailable", n)),
        }
    }
    // #endregion
    // #region aes_ctr

    /// The keystream of counters from start on, of which some bytes were used before.
    fn aes_ctr(&self, mut b: Vec<u8>, key: &[u8], start: &[u8], used: u64, n: usize) -> Result<Vec<u8>, WireError> {
        let (cipher, block) = self.aes(start, n)?;
        let mut counter = u128::from_be_bytes(block).wrapping_add(u128::from(used / 16));
        let mut place = (used % 16) as usize;
        let mut stream = counter.to_be_bytes();
        cipher.encrypt(key, &mut stream);
        for x in &mut b {
            if place == 16 {
                counter = counter.wrapping_add(1);
                stream = counter.to_be_bytes();
                cipher.encrypt(key, &mut stream);
                place = 0;
            }
            *x ^= stream[place];
            place += 1;
        }
        Ok(b)
    }
    // #endregion
    // #region aes_ctr_lasting

    /// Goes on with the keystream from packet to packet.
    fn aes_ctr_lasting(&mut self, b: Vec<u8>, key: &[u8], start: &[u8], n: usize) -> Result<Vec<u8>, WireError> {
        let used = match self.streams.get(&n) {
            Some(Keystream::Used(used)) => *used,
            _ => 0,
        };
        self.streams.insert(n, Keystream::Used(used + b.len() as u64));
        self.aes_ctr(b, key, start, used, n)
    }
    // #endregion
    // #region aes_cbc

    fn open_cbc(&self, mut b: Vec<u8>, key: &[u8], start: &[u8], n: usize) -> Result<Vec<u8>, WireError> {
        let (cipher, mut before) = self.aes(start, n)?;
        if b.len() % 16 != 0 {
            return Err(WireError::invalid(n));
        }
        for chunk in b.chunks_exact_mut(16) {
            let mut block = [0; 16];
            block.copy_from_slice(chunk);
            let sealed = block;
            cipher.decrypt(key, &mut block);
            for i in 0..16 {
                chunk[i] = block[i] ^ before[i];
            }
            before = sealed;
        }
        let count = usize::from(b.last().copied().unwrap_or(0));
        let is_padded = (1..=16).contains(&count) && b[b.len() - count..].iter().all(|x| usize::from(*x) == count);
        if !is_padded {
            return Err(WireError::invalid(n));
        }
        b.truncate(b.len() - count);
        Ok(b)
    }

    fn seal_cbc(&self, mut b: Vec<u8>, key: &[u8], start: &[u8], n: usize) -> Result<Vec<u8>, WireError> {
        let (cipher, mut before) = self.aes(start, n)?;
        let count = 16 - b.len() % 16;
        b.resize(b.len() + count, count as u8);
        for chunk in b.chunks_exact_mut(16) {
            for i in 0..16 {
                before[i] ^= chunk[i];
            }
            cipher.encrypt(key, &mut before);
            chunk.copy_from_slice(&before);
        }
        Ok(b)
    }
    // #endregion
    // #region program

    fn open_own(&mut self, b: Vec<u8>, h: &Header, own: usize, n: usize) -> Result<Vec<u8>, WireError> {
        let layer = self.c.layers.get_mut(&(self.sender, own)).ok_or_else(|| Work::refused("layer_unavailable", n))?;
        layer.open(&b, h, self.left as usize).map_err(|kind| Work::refused(kind, n))
    }

    fn seal_own(&mut self, b: Vec<u8>, h: &Header, own: usize, n: usize) -> Result<Vec<u8>, WireError> {
        let layer = self.c.layers.get_mut(&(self.sender, own)).ok_or_else(|| Work::refused("layer_unavailable", n))?;
        layer.seal(&b, h).map_err(|kind| Work::refused(kind, n))
    }
    // #endregion
}

// #region packets
// #region frames
/// Whether bytes are marks of frames with nothing between them, which may follow the last packet.
fn are_marks(b: &[u8]) -> bool {
    let marks = [FRAME_MARKS];
    b.len() % marks.len() == 0 && b.iter().enumerate().all(|(i, x)| *x == marks[i % marks.len()])
}

// #endregion
// #endregion
// #endregion
