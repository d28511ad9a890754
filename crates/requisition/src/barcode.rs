//! Barcode of the order id, in Code 128.

use barcoders::sym::code128::Code128;

use crate::error::Error;

/// Mark of barcoders for "character set B", which has both digits and small letters.
const SET_B: char = '\u{181}';

/// Returns the bars of an ASCII text, each with its first module and its width in modules, and the number of modules.
pub(crate) fn bars(text: &str) -> Result<(Vec<(u16, u16)>, u16), Error> {
    let modules = Code128::new(format!("{SET_B}{text}"))
        .map_err(|_| Error::Barcode)?
        .encode();
    let mut bars: Vec<(u16, u16)> = Vec::new();
    let mut module = 0;
    for dark in &modules {
        match bars.last_mut() {
            Some((first, width)) if *dark == 1 && *first + *width == module => *width += 1,
            _ if *dark == 1 => bars.push((module, 1)),
            _ => {}
        }
        module += 1;
    }
    Ok((bars, module))
}

#[cfg(test)]
mod tests {
    use super::bars;

    #[test]
    fn a_start_each_character_a_check_and_a_stop() {
        let (bars, modules) = bars("3fa85f64-5717-4562-b3fc-2c963f66afa6").expect("ASCII");
        assert_eq!(modules, 11 * (1 + 36 + 1) + 13);
        // Each character has three bars, the stop has four.
        assert_eq!(bars.len(), 3 * 38 + 4);
        assert_eq!(bars[..3], [(0, 2), (3, 1), (6, 1)], "start B is 211214");
        assert_eq!(bars.last(), Some(&(modules - 2, 2)));
    }
}
