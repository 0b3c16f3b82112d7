"""Counts the words of the standard input, and names the interpreter that counted them."""

import platform
import re
import sys
from collections import Counter


def count(text: str) -> "Counter[str]":
    """How often each word is in *text*, in small letters."""
    return Counter(re.findall(r"\w+", text.lower()))


def main() -> None:
    print(f"counted by {platform.python_implementation()}")
    for word, number in count(sys.stdin.read()).most_common(3):
        print(f"{number} {word}")
