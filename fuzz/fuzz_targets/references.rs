#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| gen_tools_fuzz::reference_is_resolved(text));
