"""What the parser families share in training."""
