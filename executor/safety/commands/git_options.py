"""Options that several git commands share: of differences, of histories, of states.

The rule: a long option stands in `optional` unless git never takes its value from the next word, so that no table
swallows a word that git would read as an option.
"""

from typing import Final

DIFF_FLAGS: Final = (
    "-p -u --patch -s --no-patch --raw --patch-with-raw --patch-with-stat --numstat --shortstat --summary "
    "--name-only --name-status --no-color --no-renames --minimal --patience --histogram "
    "--indent-heuristic --no-indent-heuristic -a --text --binary --full-index -R -b --ignore-space-change "
    "-w --ignore-all-space --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines -W "
    "--function-context --exit-code --quiet -q --no-ext-diff --no-textconv --no-prefix --pickaxe-all "
    "--pickaxe-regex --check --cached --staged --merge-base -z --compact-summary --no-index -c --cc -m -r "
    "-t --find-copies-harder --cumulative --no-relative --no-color-moved --combined-all-paths --root"
)
DIFF_OPTIONAL: Final = (
    "-U --unified --stat --stat-width --stat-count --color --color-moved --color-moved-ws --word-diff "
    "--word-diff-regex --color-words -M --find-renames -C --find-copies -B --break-rewrites -l -G -S -X "
    "--dirstat --diff-filter --diff-algorithm --submodule --ignore-submodules --src-prefix --dst-prefix "
    "--line-prefix --inter-hunk-context --anchored --relative --ws-error-highlight --abbrev -I "
    "--ignore-matching-lines --skip-to --rotate-to --diff-merges"
)
DIFF_REFUSED: Final = {
    "--output": "writes its result to a file",
    "--ext-diff --textconv": "may run a program",
    "--show-signature": "runs a program",
}
LOG_FLAGS: Final = (
    "--oneline --graph --all --no-decorate --merges --no-merges --reverse --first-parent --follow "
    "--no-walk --date-order --topo-order --author-date-order --boundary --left-right --cherry "
    "--cherry-pick --cherry-mark --left-only --right-only -i -E -F -P --regexp-ignore-case "
    "--extended-regexp --fixed-strings --perl-regexp --all-match --invert-grep --full-history --dense "
    "--sparse --simplify-merges --ancestry-path --source -g --walk-reflogs --relative-date --parents "
    "--children --no-notes --log-size --no-abbrev-commit --abbrev-commit --mailmap --use-mailmap "
    "--no-mailmap --full-diff --remove-empty --show-pulls --no-expand-tabs --objects"
)
LOG_VALUES: Final = "-L"
LOG_OPTIONAL: Final = (
    "-n --max-count --skip --since --after --until --before --author --committer --grep --grep-reflog "
    "--branches --tags --remotes --glob --exclude --format --pretty --date --decorate --decorate-refs "
    "--decorate-refs-exclude --min-parents --max-parents --encoding --notes --group"
)
STATUS_FLAGS: Final = (
    "-s --short -b --branch -v --verbose --long -z --null --show-stash --no-renames --ahead-behind --no-ahead-behind "
    "--no-column"
)
STATUS_OPTIONAL: Final = "--porcelain -u --untracked-files --ignored --ignore-submodules --column --find-renames"
