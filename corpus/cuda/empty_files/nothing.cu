// No code at all.
