-- Starts `tvarc lsp`. Neovim reads the settings in lsp/tvarc.lua itself from 0.11 on; before, this file does.
if vim.lsp.enable then
  vim.lsp.enable("tvarc")
  return
end
local config = dofile(vim.api.nvim_get_runtime_file("lsp/tvarc.lua", false)[1])
vim.api.nvim_create_autocmd("FileType", {
  pattern = config.filetypes,
  callback = function(event)
    local file = vim.api.nvim_buf_get_name(event.buf)
    local found = vim.fs.find(config.root_markers, { path = vim.fs.dirname(file), upward = true })[1]
    vim.lsp.start({ name = "tvarc", cmd = config.cmd, root_dir = vim.fs.dirname(found or file) })
  end,
})
