// SPDX-License-Identifier: Apache-2.0

//! A part of each adapter in the tests. It sends streams through the generated splitter, cut in many ways. Each line of input is a stream:
//! {"from":"client","state":null,"packets":["00…"],"ends":[0,15],"bad":"00…","seed":7}. The stream may end at the places `ends`.

use super::coder::Coder;
use super::*;
use crate::random::Random;

pub fn main() {
    let mut count = 0;
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let question = Parser::whole(&line).expect("the question is JSON");
        match question.get("from").text() {
            "server" => Stream::new(&question).check::<module::ServerPacket>(),
            _ => Stream::new(&question).check::<module::ClientPacket>(),
        }
        count += 1;
    }
    println!("{count} streams");
}

struct Stream<'a> {
    state: &'a Json,
    packets: Vec<Vec<u8>>,
    ends: Vec<usize>,
    bad: Option<Vec<u8>>,
    random: Random,
}

/// What a splitter has found, and why it found no more.
type Found = (Vec<String>, Result<(), module::WireError>);

impl<'a> Stream<'a> {
    fn new(question: &'a Json) -> Stream<'a> {
        let bytes = |given: &Json| unhex(given, "").expect("bytes are digits");
        Stream {
            state: question.get("state"),
            packets: question.get("packets").items().iter().map(bytes).collect(),
            ends: question.get("ends").items().iter().map(Json::index).collect(),
            bad: (question.get("bad") != &Json::Null).then(|| bytes(question.get("bad"))),
            random: Random(question.get("seed").text().parse().unwrap_or(1)),
        }
    }

    fn coder(&self) -> Coder {
        Coder::new(self.state)
    }

    /// What a splitter gives for pieces of some size; 0 is random ones.
    fn split<M: Packets>(&mut self, bytes: &[u8], size: usize) -> Found {
        let (mut coder, mut splitter, mut found) = (self.coder(), module::Splitter::<M>::new(), Vec::new());
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = if size > 0 { size } else { self.random.below(9) };
            let (piece, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            splitter.push(piece);
            loop {
                match coder.next(&mut splitter) {
                    Ok(Some(packet)) => found.push(shown(&packet)),
                    Ok(None) => break,
                    Err(error) => {
                        // It stays failed.
                        assert_eq!(coder.next(&mut splitter).err(), Some(error.clone()));
                        assert_eq!(splitter.finish(), Err(error.clone()));
                        return (found, Err(error));
                    }
                }
            }
        }
        let end = splitter.finish();
        assert_eq!(splitter.finish(), end);
        (found, end)
    }

    fn check<M: Packets + PartialEq + std::fmt::Debug>(&mut self) {
        let whole = self.packets.concat();
        let (mut coder, mut expected, mut start) = (self.coder(), Vec::new(), 0);
        while start < whole.len() {
            let packet = coder.decode::<M>(&whole[start..]).expect("the packet is right").expect("the packet is whole");
            expected.push(shown(&packet));
            start += packet.byte_count;
        }
        assert_eq!(expected.len(), self.packets.len());
        for size in [whole.len(), 1, 0] {
            assert_eq!(self.split::<M>(&whole, size), (expected.clone(), Ok(())));
            if let Some(bad) = self.bad.clone() {
                let (found, fault) = self.split::<M>(&[whole.clone(), bad.clone()].concat(), size);
                assert_eq!(found, expected);
                assert_eq!(fault.err(), coder.decode::<M>(&bad).err());
            }
        }
        for end in 0..=whole.len() {
            let (_, outcome) = self.split::<M>(&whole[..end], whole.len());
            assert_eq!(outcome.is_ok(), self.ends.contains(&end), "at {end}");
            assert!(outcome.err().map_or(true, |error| error.kind == "end_of_stream" && error.path.is_empty()));
        }
        for packet in self.packets.clone() {
            self.damage::<M>(&packet);
        }
    }

    /// Changes a packet at random. Whatever comes of it, nothing panics, and no memory is taken for what is only announced.
    fn damage<M: Packets>(&mut self, packet: &[u8]) {
        let (mut coder, before, rounds) = (self.coder(), crate::allocated(), 300);
        for _ in 0..rounds {
            let mut changed = packet.to_vec();
            for _ in 0..=self.random.below(4) {
                let value = [0, 1, 0x7F, 0x80, 0xFF, self.random.below(256) as u8][self.random.below(6)];
                let place = self.random.below(changed.len());
                changed[place] = value;
            }
            changed.truncate(self.random.below(changed.len() + 1));
            if let Ok(Some(found)) = coder.decode::<M>(&changed) {
                // What was read can be written, or is refused.
                let _ = coder.encode(&found);
            }
        }
        let most = rounds * (16_384 + 500 * packet.len());
        assert!(crate::allocated() - before < most, "{} bytes", crate::allocated() - before);
    }
}

fn shown<M: Packets>(packet: &module::Packet<M>) -> String {
    let mut text = packet.byte_count.to_string();
    show(packet).print(&mut text);
    text
}
