// SPDX-License-Identifier: Apache-2.0

//! A module whose packets depend on a connection.

use super::*;

pub(super) struct Coder(module::Connection);

impl Coder {
    pub(super) fn new(state: &Json) -> Coder {
        Coder(connect(state))
    }

    pub(super) fn decode<M: Packets>(&mut self, bytes: &[u8]) -> Result<Option<module::Packet<M>>, module::WireError> {
        self.0.decode(bytes)
    }

    pub(super) fn encode<M: Packets>(&mut self, packet: &module::Packet<M>) -> Result<Vec<u8>, module::WireError> {
        self.0.encode_from(M::SENDER, &packet.message, &packet.header)
    }

    pub(super) fn next<M: Packets>(&mut self, splitter: &mut module::Splitter<M>) -> Result<Option<module::Packet<M>>, module::WireError> {
        splitter.next_packet(&mut self.0)
    }
}
