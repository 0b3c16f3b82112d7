"""A description with less inserted says the same to the lints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.effort import examples
from support.library import rows
from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.names import OF_CPUS, PLAIN, reading, said, tokens
from tvarc.values.value import RowValue

WORDS = (
    *("SM90", "sm", "compute", "capability", "cc", "9.0", "9.0a", "90", "12.8", "2.10.0", "13"),
    *("13.2", "9.1", "–"),
    *("v12.8", "CUDA", "cuda12_8", "toolkit", "version", "v", "x86-64", "ARMv9", "CPU", "GB10"),
    *("Graviton3", "Grace", "One", "AmpereOne", "Cobalt", "100", "Neoverse", "H100", "RTX", "4090"),
    *(
        "Jetson",
        "Thor",
        "Ampere",
        "Altra",
        "DGX",
        "Spark",
        "Blackwell",
        "Ultra",
        "not",
        "or",
        "and",
    ),
    *("and", "newer", "than", "to", "any", "needs", "driver", "also", "PyTorch", "fast", "AVX512"),
    *("-mavx2", "575", "570.26", "+", ",", "(", ")", ".", "_", ":", "5", "…", "٩", "²"),
)
SEPARATORS = st.sampled_from((" ", "", "-", "_", "/", ", ", ". ", ".", "\t"))
PIECES = st.lists(st.tuples(st.sampled_from(WORDS), SEPARATORS), max_size=6).map(
    lambda listed: "".join(word + separator for word, separator in listed)
)


class _Named:
    """The rows of the library's GPUs and chips alone."""

    def __init__(self) -> None:
        self.rows = {
            "nvidia": tuple(rows("nvidia", "nvidia").values()),
            "cpu-soc": tuple(rows("cpu", "cpu-soc").values()),
        }

    def all(self, table: str) -> tuple[RowValue, ...]:
        return self.rows.get(table, ())

    def having(self, table: str, field: str, text: str) -> tuple[RowValue, ...]:
        return ()

    def derived(self, kind: str, table: str, make: Callable[[], Any]) -> Any:
        return make()


FACTS = Facts(_Named())


@pytest.mark.slow
@settings(max_examples=examples(1500))
@given(PIECES, PIECES, PIECES, PIECES, PIECES)
@example("CUDA ", " ", "", "12.8", "or newer")
@example("RTX ", "", "", "4090", "")
@example("for ", ", ", " CUDA 12.8", "AVX512 and not", "5")
@example("", " ", "", "CUDA toolkit", "12.8")
def test_what_decides_nothing_may_be_left_out(
    before: str, between: str, after: str, first: str, second: str
) -> None:
    names, chips, words = FACTS.gpu_names(), FACTS.chips(), FACTS.deciding()
    of_first = reading((before,), (between, None, after), words)
    of_second = reading((before, None, between), (after,), words)
    whole = before + first + between + second + after
    less = before + of_first(first) + between + of_second(second) + after
    assert said(less, names, chips) == said(whole, names, chips)


def test_words_that_decide_nothing_become_one() -> None:
    words = FACTS.deciding()
    goes_on = reading(("for sm",), (" of ", None), words)
    assert goes_on("9.0") == "9.0"
    alone = reading(("PyTorch ", None, ", "), (", for sm", None), words)
    assert alone("AVX-512 VNNI") == PLAIN
    assert alone("x86-64") == f"{OF_CPUS} {PLAIN}"
    assert alone("not") == "not"
    last = reading((", for sm", None, " of "), ("",), words)
    assert last("two words, H100") == f"{PLAIN} {PLAIN} , H100"


@pytest.mark.slow
@given(PIECES)
def test_tokens_are_words_versions_and_breaks(text: str) -> None:
    found = tokens(text)
    letters = "".join(char for char in text if char.isalnum())
    assert "".join(char for token in found for char in token if char.isalnum()) == letters
    for token in found:
        assert token in ("", "+") or all(char.isalnum() or char == "." for char in token)
