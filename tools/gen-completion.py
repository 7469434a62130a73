#!/usr/bin/python3
"""Writes the completions of the tool's command line from the tables that --help is made from (driver_tables.py): commands, the
options of each, what is known of their values, and files by how their names end.
usage: tools/gen-completion.py bash|fish OUT"""
import sys

import driver_tables

# ---- bash -------------------------------------------------------------------------------------------
# What stands before and after the tables. COMP_WORDBREAKS has the sign = and the colon, so that --soc=NAME is three words.
BASH = r'''# Completion of tikc for bash. Made by tools/gen-completion.py.
# Offers words that begin as the one under the cursor; with a comma in it, those for what is after it.
_tikc_words() # MANY WORD...
{
    local done= many=$1
    shift
    [ -z "$many" ] || [ "$word" = "${word%,*}" ] || done=${word%,*},
    mapfile -t COMPREPLY < <(compgen -P "$done" -W "$*" -- "${word#"$done"}")
}

# Offers folders and the files whose names end so; where there are none, any.
_tikc_files() # ENDING...
{
    local end
    compopt -o filenames 2>/dev/null
    for end; do
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X "!*$end" -- "$word")
    done
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$word")
    [ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

_tikc()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} sign=0 name=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _tikc_words '' @COMMANDS@ --help --version
        return
    fi
    # --soc = NAME, --choice U8 = READING and --in TENSOR = FILE: the option is before the sign, or before the name.
    [ "$before" != = ] || sign=$((COMP_CWORD - 1))
    if [ "$word" = = ]; then
        sign=$COMP_CWORD word=
    fi
    if [ "$sign" -gt 2 ]; then
        before=${COMP_WORDS[sign - 1]}
        [[ $before == -* ]] || name=$before before=${COMP_WORDS[sign - 2]}
    fi
    case "$command $before" in
@VALUES@
    esac
    case $command$word in
@OPTIONS@
    esac
    case $command in
@FILES@
    esac
}
complete -F _tikc tikc
'''


def case(pattern, *commands):
    return '\n'.join([f'    {pattern})', *('        ' + c for c in commands), '        ;;'])


def bash_value(value):
    """The commands that offer a value."""
    if value.named:
        words = ' '.join(value.words)
        offer = [f"_tikc_files {' '.join(value.files)}"]
        if words:
            offer = [f"_tikc_words '' {words}", f"[ ${{#COMPREPLY[@]}} -gt 0 ] && [ -n \"$word\" ] || {offer[0]}"]
        return [f'[ -z "$name" ] || {{', *('    ' + o for o in offer), '}']
    if any('=' in w for w in value.words):
        return [f"_tikc_words '' $([ -n \"$name\" ] && printf '%s\\n' {' '.join(value.words)} | sed -n \"s/^$name=//p\" || echo {' '.join(value.words)})"]
    if value.words:
        return [f"_tikc_words '{'many' if value.many else ''}' {' '.join(value.words)}"]
    if value.files:
        return ['_tikc_files' + ''.join(f" '{e}'" for e in value.files)]
    return ['_tikc_files'] if value.folders else [':']


def bash_values():
    """A case for each value: the commands and spellings of the options that have it."""
    found = {}
    words = {c.id: c.word for c in driver_tables.commands()}
    for o in driver_tables.options():
        long = [s for s in o.spellings if s.startswith('--') or len(o.spellings) > 1]
        if o.value is not None and long:
            of = [words[c] for c in o.commands if c in words]
            found.setdefault(tuple(bash_value(o.value)), []).extend(f"'{c} {s}'" for c in of for s in long)
    return '\n'.join(case('|'.join(patterns), *offer, 'return') for offer, patterns in found.items())


def spellings(command):
    return ['--help'] + [s for o in driver_tables.of_command(command) for s in o.spellings if s.startswith('--') or len(o.spellings) == 1]


def bash_options():
    return '\n'.join(case(f'{c.word}-*', f"_tikc_words '' {' '.join(spellings(c))}", 'return') for c in driver_tables.commands())


def bash_files():
    out = [case('explain', f"_tikc_words '' {' '.join(driver_tables.explained())}")]
    for c in driver_tables.commands():
        if c.files or c.folders:
            out.append(case(c.word, '_tikc_files ' + ' '.join(c.files or [''])))
    return '\n'.join(out)


def bash():
    text = BASH.replace('@COMMANDS@', ' '.join(c.word for c in driver_tables.commands()))
    return text.replace('@VALUES@', bash_values()).replace('@OPTIONS@', bash_options()).replace('@FILES@', bash_files())


# ---- fish -------------------------------------------------------------------------------------------

def quoted(text):
    return "'" + text.replace('\\', '\\\\').replace("'", "\\'") + "'"


def fish_files(endings):
    """A command that prints files."""
    return ' '.join(['_tikc_files (_tikc_word)', *(e for e in endings if e)])


def fish_value(value):
    if value is None:
        return ''
    if value.named:
        words = ' '.join(value.words)
        return f" -x -a '(_tikc_named {' '.join(value.files)} -- {words})'"
    if value.words:
        words = ' '.join(value.words)
        return f" -x -a {quoted(f'(_tikc_many {words})' if value.many else words)}"
    if value.files:
        return f" -x -a {quoted('(' + fish_files(value.files) + ')')}"
    return " -x -a '(__fish_complete_directories (_tikc_word))'" if value.folders else ' -x'


FISH = r'''# Completion of tikc for fish. Made by tools/gen-completion.py.
# The word under the cursor, without the option that it may be the value of.
function _tikc_word
    commandline -ct | string replace -r '^--?[a-z-]+=' ''
end

# Folders and the files whose names end so; where there are none, any.
function _tikc_files # WORD ENDING...
    set -l all (complete -C "__fish_command_without_completions $argv[1]" | string replace -r '\t.*' '')
    set -l ends (string join '|' -- / (string escape --style=regex -- $argv[2..]))
    set -q argv[2]; and string match -r -- "^.*(?:$ends)\$" $all; or printf '%s\n' $all
end

# Words for what is after the last comma.
function _tikc_many # WORD...
    set -l done (string match -r '.*,' -- (_tikc_word))
    printf '%s\n' $done$argv
end

# Of NAME=VALUE: words, and files whose names end so.
function _tikc_named # ENDING -- WORD...
    set -l parts (string match -r '^([^=]+=)(.*)$' -- (_tikc_word)); or return
    printf '%s\n' $parts[2]$argv[3..] $parts[2](_tikc_files "$parts[3]" $argv[1])
end

complete -c tikc -f
'''


def fish_option(o, condition):
    out = f"complete -c tikc -n {quoted(condition)}"
    for s in o.spellings:
        out += f' -l {s[2:]}' if s.startswith('--') else f' -s {s[1:]}'
    return out + fish_value(o.value) + f' -d {quoted(o.help.split(";")[0])}'


def fish_command(c):
    chosen = f'__fish_seen_subcommand_from {c.word}'
    out = [f"complete -c tikc -n __fish_use_subcommand -a {c.word} -d {quoted(c.what)}"]
    if c.files or c.folders:
        out.append(f"complete -c tikc -n {quoted(chosen)} -a {quoted('(' + fish_files(c.files) + ')')}")
    if c.word == 'explain':
        out.append(f"complete -c tikc -n {quoted(chosen)} -a {quoted(' '.join(driver_tables.explained()))}")
    return out + [fish_option(o, chosen) for o in driver_tables.of_command(c)] + [f"complete -c tikc -n {quoted(chosen)} -s h -l help -d 'list the options'"]


def fish():
    out = [FISH + "complete -c tikc -n __fish_use_subcommand -l version -d 'print the version'"]
    for c in driver_tables.commands():
        out += fish_command(c)
    return '\n'.join(out) + '\n'


def main():
    shell, path = sys.argv[1:]
    with open(path, 'w', encoding='utf-8') as f:
        f.write({'bash': bash, 'fish': fish}[shell]())


if __name__ == '__main__':
    main()
