autocmd BufNewFile,BufRead *.tik setfiletype tik
