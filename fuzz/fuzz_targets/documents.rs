#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|text: &str| gen_tools_fuzz::document_is_converted(text));

// Of eight changes seven keep the document JSON; the last spoils its bytes.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let document = data.get(..size).filter(|_| !seed.is_multiple_of(8));
    match document.and_then(|text| gen_tools_fuzz::changed(text, seed, max_size)) {
        Some(changed) => match data.get_mut(..changed.len()) {
            Some(room) => {
                room.copy_from_slice(&changed);
                changed.len()
            }
            None => fuzzer_mutate(data, size, max_size),
        },
        None => fuzzer_mutate(data, size, max_size),
    }
});
