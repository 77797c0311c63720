#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| gen_tools_fuzz::json_is_read(text));
