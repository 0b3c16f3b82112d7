"""Programs under ten kilobytes that ask for much: each takes long, or makes much, in a way of its
own."""

from __future__ import annotations

from collections.abc import Callable

HEAD = "recipe r {{ package = pkgs.hello, pin = none\n{sets}\n}}\n"
OUT = 'output o { file = "out/{{variant}}.nix" }\n'
ONE_FILE = 'output o: all { file = "default.nix" }\n'


def _axes(*sizes: int) -> str:
    return "".join(
        f"axis a{i} = [{', '.join(str(n) for n in range(size))}]\n" for i, size in enumerate(sizes)
    )


def _matrix(count: int, more: str = "", limit: int = 0) -> str:
    names = [f"a{i}" for i in range(count)]
    text = "-".join(f"{{{{{name}}}}}" for name in names)
    raised = f"limit = {limit}\n" if limit else ""
    axes = " * ".join(names)
    return f'matrix m {{ recipe = r, axes = {axes}, name = "v-{text}"\n{raised}{more} }}\n'


def many_overlays(overlays: int = 150, side: int = 92) -> str:
    """Overlays of one line each, on each of the cells of a square."""
    named = "".join(f"overlay o{i} in pkgs {{ x{i} = 1 }}\n" for i in range(overlays))
    listed = ", ".join(f"o{i}" for i in range(overlays))
    sets = f'overlays = [{listed}]\nattrs.k = "{{{{a0}}}}-{{{{a1}}}}"'
    return named + _axes(side, side) + HEAD.format(sets=sets) + _matrix(2) + OUT


def many_exclusions(exclusions: int = 46) -> str:
    """Exclusions that read all axes of 99,452 cells, none of them made of `and` alone."""
    lines = "\n".join(
        f'exclude a0 == {i} and a1 == {i} or a1 == {i} and a2 == {i} because "r{i}"'
        for i in range(exclusions)
    )
    return _axes(46, 46, 47) + HEAD.format(sets="") + _matrix(3, lines) + OUT


def one_long_exclusion(terms: int = 46) -> str:
    """One exclusion of many `or`s over all axes of 99,452 cells."""
    term = " or ".join(f"(a0 == {i} and a1 == {i} and a2 == {i})" for i in range(terms))
    line = f'exclude {term} because "x"'
    return _axes(46, 46, 47) + HEAD.format(sets="") + _matrix(3, line) + OUT


def all_without_pin(form: str = "flake", file: str = "flake.nix") -> str:
    """99,452 entries of one file that a flake cannot build."""
    sets = 'attrs.k = "{{a0}}-{{a1}}-{{a2}}"'
    out = f'output o: {form} {{ file = "{file}" }}\n'
    return _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + out


def many_cells() -> str:
    """99,452 cells that differ in one setting."""
    sets = 'attrs.k = "{{a0}}-{{a1}}-{{a2}}"'
    return _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + OUT


def a_million_cells() -> str:
    sets = 'attrs.k = "{{a0}}-{{a1}}-{{a2}}"'
    return _axes(100, 100, 100) + HEAD.format(sets=sets) + _matrix(3, limit=1_000_000) + OUT


def many_matrices(matrices: int = 10) -> str:
    """Matrices that are each within the limit, and a million cells together."""
    text = _axes(46, 46, 47) + HEAD.format(sets='attrs.k = "{{a0}}-{{a1}}-{{a2}}"')
    for i in range(matrices):
        text += _matrix(3).replace("matrix m", f"matrix m{i}").replace('"v-', f'"v{i}-')
    return text + OUT


def large_recipes(*sizes: int) -> str:
    """A kilobyte of program for gigabytes of recipes."""
    lets = 'let s0 = "0000000000"\n' + "".join(
        f'let s{i} = "{{{{s{i - 1}}}}}{{{{s{i - 1}}}}}"\n' for i in range(1, 13)
    )
    sets = 'attrs { x = s12, k = "{{a0}}-{{a1}}-{{a2}}" }'
    return lets + _axes(*(sizes or (46, 46, 47))) + HEAD.format(sets=sets) + _matrix(3) + OUT


def many_settings(settings: int = 200) -> str:
    """Settings that each differ in each of 99,452 cells."""
    sets = "\n".join(f'attrs.k{i} = "{{{{a0}}}}-{{{{a1}}}}-{{{{a2}}}}"' for i in range(settings))
    return _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + OUT


def many_conditions(conditions: int = 100) -> str:
    """Conditions that each read all axes."""
    sets = "\n".join(
        f'when a0 == {i % 46} and a1 == {i % 46} or a2 == {i % 46} {{ attrs.k{i} = "x" }}'
        for i in range(conditions)
    )
    return _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + OUT


def many_requirements(requirements: int = 100) -> str:
    """Checks that each read all axes, and what is decided."""
    sets = 'attrs.k = "{{a0}}-{{a1}}-{{a2}}"\n' + "\n".join(
        f'require attrs.k != "{i}" because "w{i}"' for i in range(requirements)
    )
    return _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + OUT


def wide_axes() -> str:
    """Many axes of two values."""
    return _axes(*[2] * 16) + HEAD.format(sets='attrs.k = "{{a0}}"') + _matrix(16) + OUT


def decided_by_name() -> str:
    """A package that depends on the name: no cell shares anything."""
    sets = "attrs.k = variant\nattrs.l = upper(variant)"
    text = _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + OUT
    return text.replace("pkgs.hello", "pkgs[upper(variant)]")


def much_excluded() -> str:
    """All cells but one are dropped."""
    lines = 'exclude a0 != 1 or a1 != 1 or a2 != 1 because "x"'
    return _axes(46, 46, 47) + HEAD.format(sets="") + _matrix(3, lines) + OUT


def many_reasons(exclusions: int = 150) -> str:
    """Millions of reasons: each exclusion drops all cells but one."""
    lines = "\n".join(
        f'exclude a0 != 1 or a1 != 1 or a2 != 1 because "r{i}"' for i in range(exclusions)
    )
    return _axes(46, 46, 47) + HEAD.format(sets="") + _matrix(3, lines) + OUT


def large_in_one_file(*sizes: int) -> str:
    """Gigabytes of recipes in one file, which is made in memory."""
    return large_recipes(*sizes).replace(OUT, ONE_FILE)


def doubled_texts(lets: int = 18) -> str:
    """`let`s that each hold the two before them, so that a text has thousands of pieces."""
    named = 'let s0 = "{{a0}}-{{a1}}"\n' + "".join(
        f'let s{i} = "{{{{s{i - 1}}}}}{{{{s{max(i - 2, 0)}}}}}"\n' for i in range(1, lets)
    )
    sets = named + "\n".join(f"attrs.k{i} = s{i}" for i in range(lets))
    return _axes(200, 200) + HEAD.format(sets=sets) + _matrix(2) + OUT


def many_needs(matrices: int = 12) -> str:
    """Matrices in a row, each of whose variants needs one of the matrix before it."""
    text = _axes(100, 40)
    for i in range(matrices):
        need = f", needs n = m{i - 1}" if i else ""
        sets = f'attrs.k = "{{{{a0}}}}"{need}'
        one = HEAD.format(sets=sets) + _matrix(2)
        one = one.replace("recipe r {", f"recipe r{i} {{").replace("recipe = r,", f"recipe = r{i},")
        text += one.replace("matrix m {", f"matrix m{i} {{").replace('"v-', f'"v{i}-')
    return text + OUT


def many_nix_texts(texts: int = 70) -> str:
    """Texts of Nix that each differ in each cell."""
    sets = "\n".join(
        f'attrs.k{i} = nix"""[ {{{{a0}}}} {{{{a1}}}} (pkgs.hello.override {{ x = {i}; }}) ]"""'
        for i in range(texts)
    )
    return _axes(200, 200) + HEAD.format(sets=sets) + _matrix(2) + OUT


def many_outputs(outputs: int = 60) -> str:
    """Outputs that each have a file for each cell."""
    sets = 'attrs.k = "{{a0}}-{{a1}}"'
    out = "".join(
        f'output o{i} {{ file = "out{i}/{{{{variant}}}}.nix" }}\n' for i in range(outputs)
    )
    return _axes(200, 200) + HEAD.format(sets=sets) + _matrix(2) + out


def many_own_overlays(overlays: int = 40) -> str:
    """Overlays that each differ in each cell."""
    named = "".join(
        f'overlay p{i} for hello {{ attrs.postPatch = "{{{{a0}}}}-{{{{a1}}}} {i}" }}\n'
        for i in range(overlays)
    )
    sets = f"overlays = [{', '.join(f'p{i}' for i in range(overlays))}]"
    return _axes(200, 200) + named + HEAD.format(sets=sets) + _matrix(2) + OUT


def long_chain(recipes: int = 60) -> str:
    """Recipes that each extend the one before, with settings that differ in each cell."""
    text = _axes(200, 200) + 'recipe r0 { package = pkgs.hello, pin = none, attrs.l = ["a"] }\n'
    for i in range(1, recipes):
        sets = f'attrs.k{i} = "{{{{a0}}}}-{{{{a1}}}}", attrs.l += ["{{{{a1}}}}x{i}"]'
        text += f"recipe r{i} extends r{i - 1} {{ {sets} }}\n"
    return text + _matrix(2).replace("recipe = r,", f"recipe = r{recipes - 1},") + OUT


def many_includes(includes: int = 150, side: int = 46) -> str:
    """A sparse matrix of many `include`s, which are one condition with the operands of all."""
    lines = "\n".join(
        f'include {i % side} * [{i * 7 % side}, {i * 11 % side}] * [{i * 3 % side}] because "i{i}"'
        if i % 2
        else f"include a0 == {i % side} and a1 != {i % 41} and a2 == {i % 7}"
        for i in range(includes)
    )
    sets = 'attrs.k = "{{a0}}-{{a1}}-{{a2}}"'
    return _axes(side, side, side) + HEAD.format(sets=sets) + _matrix(3, lines) + OUT


def long_lists(settings: int = 5, elements: int = 72, *sizes: int) -> str:
    """Lists of elements that each read all axes, by a `for`."""
    sets = "\n".join(
        f'attrs.k{i} = ["{{{{x}}}}-{{{{a0}}}}-{{{{a1}}}}" for x in xs]' for i in range(settings)
    )
    named = f"let xs = {[*range(elements)]}\n"
    return named + _axes(*(sizes or (14, 12))) + HEAD.format(sets=sets) + _matrix(2) + OUT


def many_removals(removals: int = 24, *sizes: int) -> str:
    """One list to which many conditions add, and from which they remove."""
    listed = ", ".join(f'"x{i}"' for i in range(removals))
    sets = f"attrs.l = [{listed}]\n"
    sets += "\n".join(
        f'when a{i % 2} == {i} {{ attrs.l -= ["x{i}"] }}\nattrs.l += ["{{{{a{i % 2}}}}}-{i}"]'
        for i in range(removals)
    )
    return _axes(*(sizes or (60, 60))) + HEAD.format(sets=sets) + _matrix(2) + OUT


def long_scripts(parts: int = 60, form: str = "flake") -> str:
    """A script of many parts, which each read all axes, in one file of all variants."""
    sets = "\n".join(
        f'script preConfigure {{ part p{i} """\n    echo {{{{a0}}}} {{{{a1}}}} {i}\n  """ }}'
        for i in range(parts)
    )
    pin = 'pin nixpkgs { github = "NixOS/nixpkgs", rev = "' + "0" * 40 + '" }\n'
    recipe = HEAD.format(sets=sets).replace(", pin = none", "")
    out = f'output o: {form} {{ file = "{form}.nix" }}\n'
    return pin + _axes(150, 150) + recipe + _matrix(2) + out


PROGRAMS: dict[str, Callable[[], str]] = {
    "overlays": many_overlays,
    "exclusions": many_exclusions,
    "ors": one_long_exclusion,
    "flake": all_without_pin,
    "all": lambda: all_without_pin("all", "default.nix"),
    "million": a_million_cells,
    "matrices": many_matrices,
    "large": large_recipes,
    "settings": many_settings,
    "conditions": many_conditions,
    "requirements": many_requirements,
    "axes": wide_axes,
    "names": decided_by_name,
    "excluded": much_excluded,
    "plain": many_cells,
    "reasons": many_reasons,
    "one-file": large_in_one_file,
    "lets": doubled_texts,
    "needs": many_needs,
    "nix-texts": many_nix_texts,
    "outputs": many_outputs,
    "own-overlays": many_own_overlays,
    "chain": long_chain,
    "includes": many_includes,
    "lists": long_lists,
    "removals": many_removals,
    "scripts": long_scripts,
}
"""Each by what it has much of."""
