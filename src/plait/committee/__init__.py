"""Several systems that analyse the same words and vote: on tags, on heads, on labels."""
