// SPDX-License-Identifier: Apache-2.0

// Compares the generated code of Scene with code written by hand. Prints CASE IMPLEMENTATION NANOSECONDS a line.
// The other code uses slices of the standard library, and makes a vector for each packet. It checks what a packet of this message must be:
// its length and its ID, whether it has arrived whole, that nothing is missing or left over, and that text is UTF-8. It makes no header.

use std::time::{Duration, Instant};

#[allow(dead_code)]
mod scene_protocol;
use scene_protocol::{decode, encode, Header, Sc_20001, ServerPacket};

fn main() {
    let milliseconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100);
    let duration = Duration::from_millis(milliseconds);
    for size in [16, 1024] {
        let message = Sc_20001 {
            res: 1,
            scene_id: 70000,
            pos: 2,
            status: 10,
            type_: 3,
            default_combat: 4_000_000_000,
            message: "x".repeat(size),
            ..Default::default()
        };
        let header = Header::default();
        let packet = encode(&message, &header).unwrap();
        assert_eq!(Ok(&packet), encode_by_hand(&message).as_ref(), "both write the same bytes");
        let read = decode::<ServerPacket>(&packet).unwrap().unwrap();
        assert_eq!(read.message, ServerPacket::Sc_20001(decode_by_hand(&packet).unwrap().unwrap()), "both read the same message");
        measure("encode", size, "wireline", duration, || encode(black_box(&message), &header));
        measure("encode", size, "by hand", duration, || encode_by_hand(black_box(&message)));
        measure("decode", size, "wireline", duration, || decode::<ServerPacket>(black_box(&packet)));
        measure("decode", size, "by hand", duration, || decode_by_hand(black_box(&packet)));
    }
}

fn measure<T>(name: &str, size: usize, implementation: &str, duration: Duration, work: impl Fn() -> T) {
    let mut count = 1;
    loop {
        let start = Instant::now();
        for _ in 0..count {
            black_box(work());
        }
        let elapsed = start.elapsed();
        if elapsed >= duration {
            println!("{name}_{size}\t{implementation}\t{}", elapsed.as_nanos() as f64 / f64::from(count));
            return;
        }
        let factor = (1.1 * duration.as_nanos() as f64 / (elapsed.as_nanos() + 1000) as f64).min(100.0);
        count = ((f64::from(count) * factor) as u32).max(count + 1);
    }
}

/// Returns a value of which the compiler knows nothing, as `std::hint::black_box` does from Rust 1.66 on.
fn black_box<T>(value: T) -> T {
    // SAFETY: There are no instructions in it. The compiler must expect that they read and write the value.
    unsafe { std::arch::asm!("/* {0} */", in(reg) &value, options(nostack, preserves_flags)) };
    value
}

fn encode_by_hand(m: &Sc_20001) -> Result<Vec<u8>, &'static str> {
    if m.message.len() > 65535 {
        return Err("text");
    }
    let byte_count = 20 + m.message.len();
    let mut b = Vec::with_capacity(byte_count);
    b.extend_from_slice(&(byte_count as u32).to_be_bytes());
    b.extend_from_slice(&20001u16.to_be_bytes());
    b.push(m.res);
    b.extend_from_slice(&m.scene_id.to_be_bytes());
    b.extend_from_slice(&[m.pos, m.status, m.type_]);
    b.extend_from_slice(&m.default_combat.to_be_bytes());
    b.extend_from_slice(&(m.message.len() as u16).to_be_bytes());
    b.extend_from_slice(m.message.as_bytes());
    Ok(b)
}

fn number(b: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]])
}

/// Returns `None` if the packet has not arrived whole.
fn decode_by_hand(b: &[u8]) -> Result<Option<Sc_20001>, &'static str> {
    if b.len() < 6 {
        return Ok(None);
    }
    let length = number(b, 0) as usize;
    if !(6..=1 << 20).contains(&length) {
        return Err("length");
    }
    if b.len() < length {
        return Ok(None);
    }
    if u16::from_be_bytes([b[4], b[5]]) != 20001 {
        return Err("id");
    }
    let b = &b[..length];
    if length < 20 || length != 20 + usize::from(u16::from_be_bytes([b[18], b[19]])) {
        return Err("text");
    }
    Ok(Some(Sc_20001 {
        res: b[6],
        scene_id: number(b, 7),
        pos: b[11],
        status: b[12],
        type_: b[13],
        default_combat: number(b, 14),
        message: std::str::from_utf8(&b[20..]).map_err(|_| "text")?.to_string(),
        ..Default::default()
    }))
}
