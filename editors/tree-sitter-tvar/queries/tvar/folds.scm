[(body) (rows) (record) (list) (fields) (script_text) (nix)] @fold
