//! One test binary: golden files, reading, keywords, the command line, an MCP client, real documents.
