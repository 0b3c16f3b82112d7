"""The idea."""

from __future__ import annotations

from support.rules import (
    attrs,
    each,
    fine,
    held,
    makes,
    quoted,
    refused,
    row,
    rule,
    table,
    told,
    top,
    writes,
)

THREE = """
axis gpu = ["sm80", "sm90"]
axis isa = ["avx2", "avx512"]
recipe child { package = pkgs.hello, attrs { x = "{{gpu}} {{isa}}" } }
matrix builds {
  recipe = child
  axes   = gpu * isa
  name   = "{{gpu}}-{{isa}}"
  exclude gpu == "sm80" and isa == "avx512"
}
"""

TABLES = (
    table(
        "The idea",
        *told("Read this page to learn what a program is made from, and what one looks like."),
        rule(
            "A `.tvar` file declares *axes*, *recipes* and *matrices*.",
            row("three-nouns", top(THREE), fine),
        ),
        rule(
            "A matrix multiplies axes and drops the cells that it excludes. Each cell that is left is a *variant*.",
            row("product", top(THREE), makes("sm80-avx2", "sm90-avx2", "sm90-avx512")),
            row(
                "nothing-excluded",
                top(THREE.replace("exclude", "# exclude")),
                makes("sm80-avx2", "sm80-avx512", "sm90-avx2", "sm90-avx512"),
            ),
        ),
        rule(
            "one recipe, decided for one value of each axis.",
            row(
                "one-value-each",
                top(THREE),
                each("attrs.x", *map(quoted, ("sm80 avx2", "sm90 avx2", "sm90 avx512"))),
            ),
        ),
        rule(
            "tvarc writes each variant as one Nix file.",
            row(
                "one-file-each",
                top(THREE),
                writes("sm80-avx2.nix", "sm90-avx2.nix", "sm90-avx512.nix"),
            ),
        ),
        rule(
            "There are no loops, no recursion, and no functions to define. So every compilation ends.",
            row(
                "no-circle",
                top("let a = b\nlet b = a\nrecipe child { package = pkgs.hello, attrs { x = a } }"),
                refused("E205"),
            ),
            row("no-functions", top("let f(x) = x"), refused("E101")),
            row("no-loops", attrs("x = for i in [1] { i }"), refused("E101")),
        ),
        *held(
            "test_language_examples.py::test_the_first_example_makes_three_variants",
            "This makes three variants: `sm80-avx2`, `sm90-avx2` and `sm90-avx512`.",
        ),
    ),
)
