LOSSES: dict[str, int]
