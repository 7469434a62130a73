;;; tik-mode.el --- Major mode for TIK kernels  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "26.3"))

;;; Commentary:
;; Python's mode, with the calls and memories of the module tik; eglot and lsp-mode start the language server of tikc.
;; Set-up: (add-to-list 'load-path ".../editors/emacs") (require 'tik-mode), then M-x eglot in a kernel, or
;; (add-hook 'tik-mode-hook #'eglot-ensure).

;;; Code:

(require 'python)
(require 'tik-words)

(defgroup tik nil
  "TIK kernels."
  :group 'languages)

(defcustom tik-server-command '("tikc" "lsp")
  "The command of the language server, and its options."
  :type '(repeat string)
  :group 'tik)

(defconst tik-font-lock-keywords
  (list
   (cons "# tikc: .*$" '(0 font-lock-preprocessor-face t))
   (cons (concat "\\.\\(" (regexp-opt tik-words-calls) "\\)\\s-*(") '(1 font-lock-function-name-face))
   (cons (regexp-opt tik-words-memories 'symbols) 'font-lock-constant-face))
  "What is highlighted beside Python.")

;;;###autoload
(define-derived-mode tik-mode python-mode "TIK"
  "Major mode for TIK kernels."
  (font-lock-add-keywords nil tik-font-lock-keywords))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.tik\\'" . tik-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'tik-mode tik-server-command)))

(defvar lsp-language-id-configuration)
(declare-function lsp-register-client "lsp-mode" (client))
(declare-function make-lsp-client "lsp-mode" (&rest arguments))
(declare-function lsp-stdio-connection "lsp-mode" (command))
(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(tik-mode . "tik"))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection tik-server-command)
                    :major-modes '(tik-mode)
                    :server-id 'tikc)))

(provide 'tik-mode)
;;; tik-mode.el ends here
