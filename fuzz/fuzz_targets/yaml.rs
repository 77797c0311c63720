#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| gen_tools_fuzz::yaml_is_read(text));
