-- A person's session in Neovim, for test_clients.py: hover, an edit with a fault, and its undo. Prints what is seen.
local function wait(done)
  assert(vim.wait(30000, done, 20), "nothing came within 30 seconds")
end
local function messages()
  return vim.tbl_map(function(one) return { line = one.lnum + 1, code = one.code } end, vim.diagnostic.get(0))
end
local out = {}
vim.cmd.edit("variants.tvar")
out.filetype = vim.bo.filetype
out.parsed = vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil
wait(function() return vim.lsp.get_clients({ bufnr = 0, name = "tvarc" })[1] ~= nil end)
local client = vim.lsp.get_clients({ bufnr = 0, name = "tvarc" })[1]
wait(function() return client.initialized end)
vim.fn.search("pkgs.hello")
vim.cmd.normal({ "5l", bang = true })
local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/hover", params, 30000)) do
  out.hover = answer.result
end
vim.api.nvim_buf_set_lines(0, 0, 0, false, { "let broken = " })
wait(function() return #vim.diagnostic.get(0) > 0 end)
out.broken = messages()
vim.cmd.undo()
wait(function() return #vim.diagnostic.get(0) == 0 end)
io.stdout:write(vim.json.encode(out), "\n")
vim.cmd("qall!")
