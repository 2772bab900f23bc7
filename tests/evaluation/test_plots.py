"""What is drawn in pictures: the calls of the drawing library, one by one."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from plait.errors import OptionError
from plait.evaluation.plots import plot_breakdown, plot_patterns
from plait.evaluation.tables import Table


class Axes:
    """Notes what is asked of it."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **options: self.calls.append((name, *arguments, options))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that were made: sizes, axes, and how they were saved."""
    figures: list[Any] = []

    class Figure:
        def __init__(self, **options: Any) -> None:
            self.options, self.axes, self.saved = options, Axes(), None
            figures.append(self)

        def add_subplot(self) -> Axes:
            return self.axes

        def savefig(self, file: Any, **options: Any) -> None:
            self.saved = {**options, "salt": context}
            file.write(b"picture")

    context: dict[str, str] = {}

    class Settings:
        def __init__(self, settings: dict[str, str]) -> None:
            self.settings = settings

        def __enter__(self) -> None:
            context.update(self.settings)

        def __exit__(self, *_: object) -> None:
            pass

    library = ModuleType("matplotlib")
    library.rc_context = Settings  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "matplotlib", library)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", SimpleNamespace(Figure=Figure))  # type: ignore[arg-type]
    return figures


def table(*rows: tuple[str, float]) -> Table:
    return Table("By tag", ("tag", "F1"), rows)


def test_a_breakdown_has_a_group_of_bars_for_each_row(drawn: list[Any], tmp_path: Path) -> None:
    tables = [table(("N", 50.0), ("V", 60.0), ("X", 1.0)), table(("V", 70.0), ("N", 80.0))]
    plot_breakdown(tmp_path / "p.svg", tables, ["one", "two"], "F1", top=2)
    (figure,) = drawn
    assert figure.options == {"figsize": (5.0, 4.0), "layout": "constrained"}
    assert figure.axes.calls == [
        ("bar", [-0.2, 0.8], [50.0, 60.0], 0.4, {"label": "one"}),
        ("bar", [0.2, 1.2], [80.0, 70.0], 0.4, {"label": "two"}),
        ("set_xticks", range(2), ["N", "V"], {}),
        ("legend", {}),
        ("set_ylabel", "F1, %", {}),
        ("set_title", "By tag", {}),
    ]
    assert figure.saved == {"format": "svg", "dpi": 150, "metadata": {"Date": None}, "salt": {"svg.hashsalt": "plait"}}
    assert (tmp_path / "p.svg").read_bytes() == b"picture"


def test_one_system_needs_no_legend_and_long_names_are_turned(drawn: list[Any], tmp_path: Path) -> None:
    for name, turned in (("ABCD", {}), ("ABCDE", {"rotation": 45, "ha": "right", "rotation_mode": "anchor"})):
        plot_breakdown(str(tmp_path / "p.PNG"), [table((name, 50.0))], ["one"], "F1")
        assert drawn[-1].axes.calls == [
            ("bar", [0.0], [50.0], 0.8, {"label": "one"}),
            ("set_xticks", range(1), [name], turned),
            ("set_ylabel", "F1, %", {}),
            ("set_title", "By tag", {}),
        ]
        assert drawn[-1].saved == {"format": "png", "dpi": 150, "metadata": None, "salt": {"svg.hashsalt": "plait"}}


def test_a_picture_grows_with_its_bars_and_has_a_limit(drawn: list[Any], tmp_path: Path) -> None:
    rows = [(f"t{number}", 1.0) for number in range(30)]
    plot_breakdown(tmp_path / "p.png", [table(*rows)], ["one"], "F1")
    assert len(drawn[-1].axes.calls[0][1]) == 25
    assert drawn[-1].options["figsize"] == (1.5 + 0.55 * 25, 4.0)
    plot_breakdown(tmp_path / "p.png", [table()], ["one"], "F1")
    assert drawn[-1].axes.calls[1] == ("set_xticks", range(0), [], {})
    patterns = Counter({("x", str(number)): 1 for number in range(20)})
    plot_patterns(tmp_path / "p.png", [patterns], ["one"])
    assert len(drawn[-1].axes.calls[0][1]) == 15


def test_patterns_are_drawn_in_their_order(drawn: list[Any], tmp_path: Path) -> None:
    patterns = [Counter({("N", "V"): 2}), Counter({("N", "V"): 1, ("V", "N"): 2, ("X", "Y"): 1})]
    plot_patterns(tmp_path / "p.png", patterns, ["one", "two"], top=2)
    (figure,) = drawn
    assert figure.options["figsize"] == (5.0, 4.0)
    assert [call[:3] for call in figure.axes.calls] == [
        ("bar", [-0.2, 0.8], [2, 0]),
        ("bar", [0.2, 1.2], [1, 2]),
        ("set_xticks", range(2), ["N → V", "V → N"]),
        ("legend", {}),
        ("set_ylabel", "errors", {}),
        ("set_title", "Error patterns, gold → predicted", {}),
    ]


def test_pictures_of_other_kinds_are_refused(drawn: list[Any], tmp_path: Path) -> None:
    for name, suffix in (("p.pdf", ".pdf"), ("p", "")):
        with pytest.raises(OptionError) as found:
            plot_patterns(tmp_path / name, [Counter()], ["one"])
        assert str(found.value) == f"{tmp_path / name}: plots can be written as png or svg, not {suffix!r}"


def test_the_library_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(OptionError) as found:
        plot_patterns(tmp_path / "p.png", [Counter()], ["one"])
    assert str(found.value) == "plots need matplotlib; install it with: pip install plait[plot]"
