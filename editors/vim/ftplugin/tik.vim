" Vim and Neovim: what is usual for Python, and in Neovim the language server of tikc.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=#\ %s expandtab shiftwidth=4 softtabstop=4 suffixesadd=.tik,.py
setlocal makeprg=tikc\ check\ --color=never\ %:S errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %tote:\ %m,%-G%.%#
let b:undo_ftplugin = 'setlocal commentstring< expandtab< shiftwidth< softtabstop< suffixesadd< makeprg< errorformat<'

" g:tikc_lsp is the command of the server; an empty list turns it off.
if !has('nvim')
  finish
endif
lua << END
local command = vim.g.tikc_lsp or { 'tikc', 'lsp' }
if #command > 0 and vim.fn.executable(command[1]) == 1 then
  -- one server for all buffers
  if not vim.g.tikc_client or not vim.lsp.get_client_by_id(vim.g.tikc_client) then
    vim.g.tikc_client = vim.lsp.start_client({ name = 'tikc', cmd = command, root_dir = vim.fn.getcwd() })
  end
  vim.lsp.buf_attach_client(0, vim.g.tikc_client)
  vim.bo.omnifunc = 'v:lua.vim.lsp.omnifunc'
  local keys = { K = 'hover', gd = 'definition', gr = 'references', ['<C-k>'] = 'signature_help' }
  for key, action in pairs(keys) do
    vim.keymap.set('n', key, vim.lsp.buf[action], { buffer = true })
  end
end
END
