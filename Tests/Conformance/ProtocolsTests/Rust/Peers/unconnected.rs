// SPDX-License-Identifier: Apache-2.0

//! A module whose packets depend on no connection.

use super::*;

pub(super) struct Coder;

impl Coder {
    pub(super) fn new(_state: &Json) -> Coder {
        Coder
    }

    pub(super) fn decode<M: Packets>(&mut self, bytes: &[u8]) -> Result<Option<module::Packet<M>>, module::WireError> {
        module::decode(bytes)
    }

    pub(super) fn encode<M: Packets>(&mut self, packet: &module::Packet<M>) -> Result<Vec<u8>, module::WireError> {
        module::encode(&packet.message, &packet.header)
    }

    pub(super) fn next<M: Packets>(&mut self, splitter: &mut module::Splitter<M>) -> Result<Option<module::Packet<M>>, module::WireError> {
        splitter.next_packet()
    }
}
