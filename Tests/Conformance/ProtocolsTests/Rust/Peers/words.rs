// SPDX-License-Identifier: Apache-2.0

// Asks functions of the runtime, at whose end this stands: each line has a word, and the bytes that it gets.

fn answer(word: &str, b: &[u8]) -> Result<String, WireError> {
    let mut r = Reader::new(b);
    Ok(match word {
        "varint" => r.varint(5, "f")?.to_string(),
        "zigzag" => r.zigzag(5, "f")?.to_string(),
        "f16" => ((r.f16("f")? * 16777216.0) as i64).to_string(),
        "text" => r.text(b.len() as i64, "f")?.bytes().map(|x| format!("{x:02x}")).collect(),
        "crc32" => crc32(b).to_string(),
        "crc32c" => crc32c(b).to_string(),
        "adler32" => adler32(b).to_string(),
        "crc16_arc" => crc16_arc(b).to_string(),
        "crc16_modbus" => crc16_modbus(b).to_string(),
        "crc16_kermit" => crc16_kermit(b).to_string(),
        "crc16_x25" => crc16_x25(b).to_string(),
        "crc16_ccitt_false" => crc16_ccitt_false(b).to_string(),
        "crc16_xmodem" => crc16_xmodem(b).to_string(),
        "sum8" => sum8(b).to_string(),
        _ => xor8(b).to_string(),
    })
}

fn main() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let (word, digits) = line.split_once(' ').unwrap_or_default();
        let pairs = digits.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
        let b: Vec<u8> = pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect();
        match answer(word, &b) {
            Ok(found) => println!("{found}"),
            Err(error) => println!("{}", error.0.kind),
        }
    }
}
