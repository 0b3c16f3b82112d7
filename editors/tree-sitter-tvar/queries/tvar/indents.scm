; For Helix.
[(body) (rows) (record) (list) (fields) (paren) (call) (index)] @indent
["}" "]" ")"] @outdent
