from plait.transition._scoring import Scoring

class Beam:
    scoring: Scoring
    trees: int
    taggings: int
    size: int
    def __init__(self, scoring: Scoring, trees: int, taggings: int) -> None: ...
