vim.filetype.add({ extension = { tvar = "tvar" } })
