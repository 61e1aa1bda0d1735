// SPDX-License-Identifier: Apache-2.0

//! A part of the adapters of protocols with layers in the tests. Each line of input is a conversation: {"keys":{"session":"00ff"},"seed":7,
//! "packets":[{"from":"client","hex":"00…"}],"bad":{"from":"client","hex":"00…"}}. The packets are read one by one, and by splitters of both
//! sides, cut in many ways. What was read is written again, by a new connection; that is printed, and the error of the packet that ends it.

use super::*;
use crate::random::Random;

pub fn main() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let question = Parser::whole(&line).expect("the question is JSON");
        let packets: Vec<Sent> = question.get("packets").items().iter().map(Sent::new).collect();
        let bad = (question.get("bad") != &Json::Null).then(|| Sent::new(question.get("bad")));
        let random = Random(question.get("seed").text().parse().unwrap_or(1));
        println!("{}", Conversation { question: &question, packets, bad, random }.hold().join(" "));
    }
}

#[derive(Clone)]
struct Sent {
    is_server: bool,
    bytes: Vec<u8>,
}

impl Sent {
    fn new(given: &Json) -> Sent {
        Sent { is_server: given.get("from").text() == "server", bytes: unhex(given.get("hex"), "").expect("bytes are digits") }
    }

    fn decoded(&self, connection: &mut module::Connection, bytes: &[u8]) -> Result<Option<(usize, Json, Vec<u8>)>, module::WireError> {
        let writer = &mut module::Connection::default();
        self.answered(connection, bytes, writer, false)
    }

    /// How many bytes a packet has, what it holds, and the packet that is written with that.
    fn answered(
        &self, reader: &mut module::Connection, bytes: &[u8], writer: &mut module::Connection, writes: bool,
    ) -> Result<Option<(usize, Json, Vec<u8>)>, module::WireError> {
        if self.is_server {
            Sent::coded::<module::ServerPacket>(reader, bytes, writer, writes)
        } else {
            Sent::coded::<module::ClientPacket>(reader, bytes, writer, writes)
        }
    }

    fn coded<M: Packets>(
        reader: &mut module::Connection, bytes: &[u8], writer: &mut module::Connection, writes: bool,
    ) -> Result<Option<(usize, Json, Vec<u8>)>, module::WireError> {
        let packet = match reader.decode::<M>(bytes)? {
            Some(packet) => packet,
            None => return Ok(None),
        };
        let again = if writes { writer.encode_from(M::SENDER, &packet.message, &packet.header)? } else { Vec::new() };
        Ok(Some((packet.byte_count, show(&packet), again)))
    }
}

struct Conversation<'a> {
    question: &'a Json,
    packets: Vec<Sent>,
    bad: Option<Sent>,
    random: Random,
}

/// The splitters of both sides.
struct Splitters(module::Splitter<module::ClientPacket>, module::Splitter<module::ServerPacket>);

impl Splitters {
    fn push(&mut self, is_server: bool, bytes: &[u8]) {
        if is_server { self.1.push(bytes) } else { self.0.push(bytes) }
    }

    fn next(&mut self, is_server: bool, c: &mut module::Connection) -> Result<Option<Json>, module::WireError> {
        if is_server { Ok(self.1.next_packet(c)?.as_ref().map(show)) } else { Ok(self.0.next_packet(c)?.as_ref().map(show)) }
    }

    fn finish(&mut self, is_server: bool) -> Result<(), module::WireError> {
        if is_server { self.1.finish() } else { self.0.finish() }
    }
}

/// Adds a packet, or those in it.
fn flatten(line: &Json, to: &mut Vec<Json>) {
    match line.get("packets") {
        Json::List(inner) => inner.iter().for_each(|own| flatten(own, to)),
        _ => to.push(line.clone()),
    }
}

impl Conversation<'_> {
    fn connection(&self) -> module::Connection {
        let mut connection = connect(&NULL);
        set_keys(&mut connection, self.question.get("keys")).expect("keys are digits").expect("keys are known");
        connection
    }

    /// A connection that has read the first packets.
    fn after(&self, count: usize) -> module::Connection {
        let mut connection = self.connection();
        for packet in &self.packets[..count] {
            packet.decoded(&mut connection, &packet.bytes).expect("the packet is right");
        }
        connection
    }

    fn hold(&mut self) -> Vec<String> {
        let (mut reader, mut writer) = (self.connection(), self.connection());
        let (mut expected, mut written) = (Vec::new(), Vec::new());
        for (i, packet) in self.packets.clone().iter().enumerate() {
            let bytes = &packet.bytes;
            // A packet that has not arrived whole, or is broken, changes nothing of the connection.
            assert!(!matches!(packet.decoded(&mut reader, &bytes[..bytes.len() - 1]), Ok(Some(_))));
            for _ in 0..3 {
                let mut changed = bytes.clone();
                changed[self.random.below(bytes.len())] ^= 1 + self.random.below(255) as u8;
                if let Err(error) = packet.decoded(&mut self.after(i), &changed) {
                    assert_eq!(packet.decoded(&mut reader, &changed).err(), Some(error));
                }
            }
            let mut more = bytes.clone();
            more.push(b'?');
            let (count, line, again) = packet.answered(&mut reader, &more, &mut writer, true).expect("it is right").expect("it is whole");
            assert_eq!(count, bytes.len());
            flatten(&line, &mut expected);
            written.push(again.iter().map(|x| format!("{x:02x}")).collect());
        }
        for size in [1, 1 << 20, 0] {
            let (found, mut splitters, mut connection) = self.split(self.packets.len(), 0, size);
            assert_eq!(found, expected);
            match self.bad.clone() {
                None => assert!(splitters.finish(false).is_ok() && splitters.finish(true).is_ok()),
                Some(bad) => {
                    splitters.push(bad.is_server, &bad.bytes);
                    let error = splitters.next(bad.is_server, &mut connection).expect_err("the packet is wrong");
                    assert_eq!(splitters.finish(bad.is_server), Err(error.clone()));
                    written.truncate(self.packets.len());
                    written.push(format!("{},{},{}", error.kind, error.path, error.offset.map_or(-1, |offset| offset as i64)));
                }
            }
        }
        if let Some(last) = self.packets.last().cloned() {
            for stop in (1..last.bytes.len()).step_by(1 + last.bytes.len() / 40) {
                let (found, mut splitters, _) = self.split(self.packets.len() - 1, stop, 1 << 20);
                assert!(found.len() <= expected.len());
                if let Err(error) = splitters.finish(last.is_server) {
                    assert!(error.kind == "end_of_stream" && error.path.is_empty());
                }
            }
        }
        written
    }

    /// What both sides' splitters of one connection give for the first packets, and for some bytes of the next one.
    fn split(&mut self, count: usize, more: usize, size: usize) -> (Vec<Json>, Splitters, module::Connection) {
        let (mut connection, mut found) = (self.connection(), Vec::new());
        let mut splitters = Splitters(module::Splitter::new(), module::Splitter::new());
        for (i, packet) in self.packets.clone().iter().enumerate() {
            let mut rest = if i < count { &packet.bytes[..] } else { &packet.bytes[..more] };
            while !rest.is_empty() {
                let n = if size > 0 { size } else { self.random.below(9) };
                let (piece, others) = rest.split_at(n.min(rest.len()));
                rest = others;
                splitters.push(packet.is_server, piece);
                while let Some(line) = splitters.next(packet.is_server, &mut connection).expect("the packet is right") {
                    flatten(&line, &mut found);
                }
            }
            if i >= count {
                break;
            }
        }
        (found, splitters, connection)
    }
}
