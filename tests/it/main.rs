//! One test binary: golden files, reading, keywords, the command line, an MCP client, real documents.
//!
//! The tests judge the program from outside: they run the binary and read its output with code of
//! their own. Folders of shared data come from environment variables (`GEN_TOOLS_CORPUS`,
//! `GEN_TOOLS_MCP_SCHEMA`, `GEN_TOOLS_SCHEMA_SUITE` ...); where one is not set, the tests that need
//! it say so and pass.

// Helpers of tests stop the test where something is wrong, and say what they measured.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod architecture;
mod cases;
mod check;
mod check_faults;
mod check_schema;
mod cli;
mod compare;
mod corpus;
mod corpus_reading;
mod equivalence;
mod fixtures;
mod fuzz;
mod generated;
mod golden;
mod golden_faults;
mod hostile;
mod hostile_files;
mod keyword_names;
mod mcp;
mod mcp_stub;
mod mutate;
mod oracle;
mod properties;
mod reading;
mod readme;
mod run;
mod selection;
mod stats;
mod suite;
mod walk;
