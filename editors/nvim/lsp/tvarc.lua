return { cmd = { "tvarc", "lsp" }, filetypes = { "tvar" }, root_markers = { "variants.tvar", ".git" } }
