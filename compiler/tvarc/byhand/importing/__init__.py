"""Hand-made recipes → a program that builds the same: read, explained, written, proven.

`imported.py` runs the stages; in the order in which data goes through them, the files are:

- Files to recipes. `folder.py` reads a folder, and `flakes.py` finds the files that a flake calls.
  `reading.py` reads one recipe, which the room `reading` has reduced. `pinned.py` recognizes a
  nixpkgs by its fetcher. The room `reading` finds the changes of packages and of sets of
  them. `comments.py` knows the place of each comment. `links.py` finds
  texts that a file writes once and reads by a name. The nouns are `Recipe` and `Family` of
  `model.py`; `needs.py` finds the recipes that a recipe needs, and names matrices.
- Names to axes. `shapes.py` finds the axes in the names of files, by the rows of the library,
  `tables.py`. `parting.py` parts a family by style.
- Values to expressions. `explain.py` finds what decides a text, with the conditions of
  `conditions.py`, as an expression that looks up what `lookups.py` has. `values.py` says any
  value: lines and their parts by `lines.py`, `templates.py`, `runs.py`, `symbols.py` and
  `alignment.py`, descriptions with `phrases.py`; Nix and files by `skeleton.py`; what is fetched by
  `sources.py`. `declarations.py` has what they name.
- Expressions to statements. `recipes.py` makes those of one matrix, with `settings.py`,
  `overlays.py` and `reasons.py`; `statements.py` has the noun and its blocks.
- Statements to text. `program.py` writes a program, and `matrices.py` its matrices with their
  drift; `names.py` and `written.py` know the spelling of the language.
- Text to proof. `proof.py` compiles the program and compares what it builds with what was read.
  `report.py` prints it.
"""
