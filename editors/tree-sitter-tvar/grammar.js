/**
 * The language `.tvar`, for editors that highlight by a tree. The rules follow ../../grammar/tvar.lark, with two
 * differences. A line end is a blank everywhere, since no value can be followed by what begins an item. Of a text
 * between quotes, the rules also say what is in it.
 */
const PREC = { or: 1, and: 2, not: 3, compare: 4, product: 5, postfix: 6 };
/** Words that begin an item, and may be keys. Those of the second list never name a block. */
const DECLARATORS = [
  "language", "use", "let", "facts", "axis", "pin", "input", "overlay", "patch", "recipe", "mixin", "matrix",
  "variant", "output", "warn", "flag", "needs", "script", "test", "part", "default", "force",
];
const CLAUSES = ["when", "include", "exclude", "require"];

module.exports = grammar({
  name: "tvar",
  word: ($) => $.identifier,
  extras: ($) => [/\s/, /\uFEFF/, $.comment],
  supertypes: ($) => [$._expression],
  // After a value, `when` and `because` belong to the value, or begin an item: what follows them decides.
  conflicts: ($) => [[$.assignment], [$.flag], [$.include], [$.exclude], [$.require], [$.warn], [$.needs]],
  rules: {
    source_file: ($) => items($, $._item),
    body: ($) => seq("{", items($, $._item), "}"),
    _item: ($) => choice($.language, $.use, $.let, $.facts, $.axis, $.pin, $.input, $.overlay, $.patch, $.recipe,
      $.mixin, $.matrix, $.variant, $.output, $.include, $.exclude, $.require, $.warn, $.flag, $.needs, $.when,
      $.script, $.test, $.part, $.assignment, $.block),

    language: ($) => seq("language", $.number, optional(seq("with", $.identifier, ">=", $.number))),
    use: ($) => seq("use", field("module", choice($.dotted, $.string)),
      optional(seq("from", field("input", $.identifier))), optional(seq("as", field("alias", $.identifier)))),
    dotted: ($) => seq($.identifier, repeat(seq(".", $.identifier))),
    let: ($) => seq("let", field("name", $.identifier), "=", field("value", $._expression)),

    facts: ($) => seq("facts", field("name", $.identifier), choice(
      seq($.fields, choice($.rows, $.from)),
      seq("+=", optional($.fields), choice($.rows, $.from)),
      seq("override", $.rows))),
    fields: ($) => seq("(", optional(commas($.field)), ")"),
    field: ($) => seq(field("name", $.identifier), ":", $._type),
    from: ($) => seq("from", $.string),
    rows: ($) => seq("{", items($, $.row), "}"),
    row: ($) => seq(field("name", $.identifier), $.body),

    axis: ($) => seq("axis", field("name", $.identifier), choice(
      seq("=", field("source", $._expression)), $.rows, seq(":", field("table", $.identifier)))),

    pin: ($) => seq("pin", field("name", $.identifier), $.body),
    input: ($) => seq("input", field("name", $.identifier), $.body),
    overlay: ($) => seq("overlay", field("name", $.identifier), optional(seq(choice("in", "for"), $.target)),
      optional($.until), optional($.because), $.body),
    patch: ($) => seq("patch", field("name", $.identifier), "for", $.target, optional($.until), optional($.because),
      $.body),
    until: ($) => seq("until", $.entry_path, ">=", $._postfix),
    target: ($) => seq(choice($._key, $._word_key), repeat(choice(seq(".", $._key), seq("[", $._expression, "]")))),
    recipe: ($) => seq("recipe", field("name", $.identifier), optional(seq("extends", $.dotted)),
      optional(seq("with", $.dotted, repeat(seq(",", $.dotted)))), $.body),
    mixin: ($) => seq("mixin", field("name", $.identifier), $.body),
    matrix: ($) => seq("matrix", field("name", $.identifier), optional(seq("extends", $.dotted)), $.body),
    variant: ($) => seq("variant", field("name", $.identifier), $.body),
    output: ($) => seq("output", field("name", $.identifier), optional(seq(":", field("form", $.identifier))), $.body),

    include: ($) => seq("include", choice($._expression, $.product), optional($.because)),
    exclude: ($) => seq("exclude", $._expression, optional($.because)),
    require: ($) => seq("require", $._expression, optional($.because)),
    warn: ($) => seq("warn", field("name", $.identifier), "=", choice($._expression, "off"), optional($.because)),
    flag: ($) => seq("flag", field("name", $.identifier), optional(seq(":", $._type)), "=",
      field("value", $._expression), optional($._condition), optional($.because)),
    needs: ($) => seq("needs", field("name", $.identifier), "=", $._expression,
      optional(seq("by", "argument", optional(seq("or", "exclude")))), optional($.because)),
    when: ($) => seq("when", field("condition", $._expression), $.body, optional($.otherwise)),
    otherwise: ($) => seq("else", choice($.when, $.body)),
    because: ($) => seq("because", choice($.string, $.script_text)),

    test: ($) => seq("test", field("name", choice($.identifier, $.string)), $.body),
    script: ($) => seq("script", field("name", choice($.identifier, $.string)), choice($.body, seq("+=", $._text))),
    part: ($) => choice(
      seq(optional($.strength), "part", field("name", $.identifier), choice(
        seq(optional(seq(choice("before", "after"), field("anchor", $.identifier))), $._text),
        seq("=", $.none))),
      seq("+=", $._text)),
    _text: ($) => choice($.string, $.script_text),

    assignment: ($) => seq(optional($.strength), $.path, choice("=", "+=", "-="),
      field("value", choice($._expression, $.product)), optional($._condition), optional($.because)),
    _condition: ($) => seq("when", field("condition", $._expression)),
    strength: (_) => choice("default", "force"),
    path: ($) => seq(choice($._key, $._word_key), repeat(seq(".", $._key))),
    _key: ($) => choice($.identifier, $.string),
    _word_key: ($) => alias(choice(...DECLARATORS, ...CLAUSES, "because"), $.identifier),
    block: ($) => seq(field("name", choice($.identifier, alias(choice(...DECLARATORS), $.identifier))), $.body),

    _type: ($) => choice($.type_name, $.list_type, $.optional_type, $.choice_type),
    type_name: ($) => $.identifier,
    list_type: ($) => seq("[", $._type, "]"),
    optional_type: ($) => seq($._type, "?"),
    choice_type: ($) => seq($.identifier, "(", commas($._expression), ")"),

    product: ($) => prec.left(PREC.product, seq($._postfix, repeat1(seq("*", $._postfix)))),
    _expression: ($) => choice($.conditional, $.logic, $.negated, $.compare, $._postfix),
    conditional: ($) => prec.right(0, seq("if", $._expression, "then", $._expression, "else", $._expression)),
    logic: ($) => choice(
      prec.left(PREC.or, seq($._expression, "or", $._expression)),
      prec.left(PREC.and, seq($._expression, "and", $._expression))),
    negated: ($) => prec(PREC.not, seq("not", $._expression)),
    compare: ($) => prec.left(PREC.compare, seq($._postfix,
      choice("==", "!=", "<", "<=", ">", ">=", "in", seq("not", "in"), "is", seq("is", "not")), $._postfix)),
    _postfix: ($) => choice($.identifier, $.string, $.script_text, $.nix, $.number, $.true, $.false, $.null, $.none,
      $.paren, $.list, $.record, $.call, $.member, $.index),
    member: ($) => prec.left(PREC.postfix, seq($._postfix, ".", field("name", $._key))),
    index: ($) => prec.left(PREC.postfix, seq($._postfix, "[", commas($._pick), "]")),
    _pick: ($) => choice($._expression, $.range, $.where, $.axis_where, $.axis_value),
    range: ($) => seq($._postfix, "..", $._postfix),
    where: ($) => seq("where", $._expression),
    axis_where: ($) => seq($.identifier, "where", $._expression),
    axis_value: ($) => seq($.identifier, "=", $._expression),
    paren: ($) => seq("(", $._expression, ")"),
    list: ($) => seq("[", optional(commas(choice($._expression, $.spread, $.each))), "]"),
    spread: ($) => seq("...", $._expression),
    each: ($) => seq(choice($._expression, $.spread), "for", field("name", $.identifier), "in", $._expression,
      optional(seq("if", $._expression))),
    record: ($) => seq("{", items($, $.entry), "}"),
    entry: ($) => seq($.entry_path, "=", field("value", $._expression)),
    entry_path: ($) => seq($._key, repeat(seq(".", $._key))),
    call: ($) => prec(PREC.postfix, seq(field("function", $.identifier), "(", optional(commas($._argument)), ")")),
    _argument: ($) => choice($._expression, $.named_argument),
    named_argument: ($) => seq(field("name", $.identifier), "=", $._expression),

    true: (_) => "true",
    false: (_) => "false",
    null: (_) => "null",
    none: (_) => "none",
    identifier: (_) => /[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*/,
    number: (_) => /-?[0-9][0-9A-Za-z_]*(\.[0-9A-Za-z_]+)*([-+][A-Za-z][0-9A-Za-z_.]*)*/,

    string: ($) => seq('"', repeat(choice($.content, $.escape, $.interpolation, alias($._brace, $.content))),
      token.immediate('"')),
    content: (_) => token.immediate(prec(1, /[^"\\{\n]+/)),
    escape: (_) => token.immediate(prec(1, /\\(\{\{|[^\n])/)),
    _brace: (_) => token.immediate("{"),
    interpolation: ($) => seq(token.immediate("{{"), $._expression, "}}"),

    script_text: ($) => fenced($, "", [$.text]),
    // In a comment of Nix, `{{` begins no value. In `${{{`, the last two braces do.
    nix: ($) => fenced($, "nix", [alias(choice($._nix_comment, $._nix_text, $._dollar), $.text),
      alias($._computed, $.interpolation)]),
    _nix_text: (_) => token.immediate(prec(1, /[^"{\\\n$]+|\n/)),
    _dollar: (_) => token.immediate("$"),
    _computed: ($) => seq(token.immediate("${{{"), $._expression, "}}"),
    text: (_) => token.immediate(prec(1, /[^"{\\\n]+|\n/)),
    _nix_comment: (_) => token.immediate(prec(2, /\n[ \t]*#[^\n"]*/)),
    text_escape: (_) => token.immediate("\\{{"),
    _backslash: (_) => token.immediate("\\"),
    comment: (_) => token(/#[^\n]*/),
  },
});

/** What is in a body: items that a comma may separate. */
function items($, item) {
  return repeat(seq(item, optional(",")));
}

function commas(rule) {
  return seq(rule, repeat(seq(",", rule)), optional(","));
}

/** Text between three quotes or more. At its end may be more quotes than at its beginning. */
function fenced($, word, texts) {
  return choice(word + '"'.repeat(6), ...[3, 4, 5].map((count) => {
    const quotes = alias(token.immediate(new RegExp(`"{1,${count - 1}}`)), $.text);
    const inner = [...texts, $.text_escape, $.interpolation, quotes];
    const marks = [alias($._backslash, $.text), alias($._brace, $.text)];
    return seq(word + '"'.repeat(count), repeat(choice(...inner, ...marks)),
      token.immediate(new RegExp(`"{${count},}`)));
  }));
}
