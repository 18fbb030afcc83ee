"""From the bytes of a response to its blocks, and from results to the message that answers them (W1–W7)."""
