//! Before and after, one rule at a time.
