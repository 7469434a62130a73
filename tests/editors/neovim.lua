-- Drives tikc lsp with the client of Neovim, which this project has not written: prints what the editor has then, a line of JSON each.
-- The kernel is loaded, with the files of editors/vim. Global name: folder, of the kernel.
local uri = 'file://' .. folder .. '/k.tik'
local results = {}

local function show(name, value)
  io.stdout:write(vim.fn.json_encode({ name, value }) .. '\n')
end

local function wait(what, condition)
  if not vim.wait(60000, condition, 10) then
    show('timeout', what)
    vim.cmd('cquit')
  end
end

local function ask(client, method, line, character, more)
  local params = vim.tbl_extend('error', { textDocument = { uri = uri }, position = { line = line, character = character } }, more or {})
  local answer = client.request_sync('textDocument/' .. method, params, 60000, 0)
  assert(answer and not answer.err, method .. ': ' .. vim.inspect(answer))
  return answer.result
end

local function diagnostics()
  local list = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do
    table.insert(list, { d.lnum, d.col, d.end_col, d.severity, d.code, (d.message:gsub('\n.*', '')) })
  end
  return list
end

show('filetype', vim.bo.filetype)
show('syntax', vim.b.current_syntax)
local client = vim.lsp.get_client_by_id(vim.g.tikc_client)
wait('initialized', function() return client.initialized and #vim.lsp.buf_get_clients(0) == 1 end)
show('server', { client.name, client.server_capabilities.positionEncoding, client.offset_encoding })

-- A mistake is typed, seen, and mended by the fix that the server offers.
local lines = vim.api.nvim_buf_get_lines(0, 0, -1, true)
local row
for i, line in ipairs(lines) do
  if line:find('data_move%(a_ub') then row = i - 1 end
end
local col = lines[row + 1]:find('x_gm') - 1
vim.api.nvim_buf_set_text(0, row, col, row, col + 4, { 'x_gn' })
wait('a finding', function() return #vim.diagnostic.get(0) == 1 end)
show('mistake', diagnostics())
local at = { start = { line = row, character = col }, ['end'] = { line = row, character = col + 4 } }
local actions = client.request_sync('textDocument/codeAction', { textDocument = { uri = uri }, range = at, context = { diagnostics = {} } }, 60000, 0).result
show('action', actions[1].title)
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
wait('no finding', function() return #vim.diagnostic.get(0) == 0 end)
show('mended', vim.api.nvim_buf_get_lines(0, row, row + 1, true)[1] == lines[row + 1])

show('hover', vim.split(ask(client, 'hover', row, col).contents.value, '\n'))
show('definition', ask(client, 'definition', row, col)[1].range)
local items = ask(client, 'completion', row, 2).items
local labels = {}
for _, i in ipairs(items) do labels[i.label] = i.detail end
show('completion', { labels.vec_add, labels.data_move })
local help = ask(client, 'signatureHelp', row, col)
show('signature', { help.signatures[1].label, help.activeParameter })
show('references', #ask(client, 'references', row, col, { context = { includeDeclaration = true } }))

-- What the editor does by itself with an answer: rename changes the buffer.
local edit = ask(client, 'rename', row, col, { newName = 'input_gm' })
vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
wait('the kernel is right', function() return #vim.diagnostic.get(0) == 0 end)
local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
show('renamed', { text:find('x_gm') == nil, select(2, text:gsub('input_gm', '')) })

client.stop()
wait('the end', function() return client.is_stopped() end)
vim.cmd('qall!')
