"""Commands that read text and print text.

The rule: options as GNU and the BSDs have them; a name in doubt stands in `optional` or nowhere.
"""

from .model import Arguments, Command, NotReadOnly, table

_SUMS = (
    "-b --binary -c --check --tag --untagged -t --text -z --zero --ignore-missing --quiet --status --strict -w --warn"
)
_PAGED = "-e -E -f -F -g -G -i -I -m -M -n -N -q -Q -r -R -s -S -u -U -w -X -J --help --version"


def _starts_no_command(arguments: Arguments) -> None:
    """``less +!rm`` runs a command; only positions are let through."""
    for word in arguments.operands:
        if word.prefix.startswith("+") and not (word.text and word.text[1:].strip("0123456789Gg") == ""):
            raise NotReadOnly(f"gives the pager commands ({word.source})")


TEXTS = table(
    Command(
        "cat",
        flags="-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T "
        "--show-tabs -u -v --show-nonprinting --help --version",
        any_words=True,
    ),
    Command(
        "head",
        flags="-q --quiet --silent -v --verbose -z --zero-terminated --help --version",
        values="-c --bytes -n --lines",
        numbers=True,
        any_words=True,
    ),
    Command(
        "tail",
        flags="-f -F -q --quiet --silent --retry -r -v --verbose -z --zero-terminated --help --version",
        values="-c --bytes -n --lines --max-unchanged-stats --pid -s --sleep-interval",
        optional="--follow",
        numbers=True,
        any_words=True,
    ),
    Command(
        "wc",
        flags="-c --bytes -m --chars -l --lines -L --max-line-length -w --words --help --version",
        values="--files0-from --total",
        any_words=True,
    ),
    Command(
        "sort",
        flags="-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -i "
        "--ignore-nonprinting -M --month-sort -h --human-numeric-sort -n --numeric-sort -R --random-sort -r --reverse "
        "-V --version-sort -c -C --debug -m --merge -s --stable -u --unique -z --zero-terminated --help --version",
        values="--sort --random-source --batch-size --files0-from -k --key -S --buffer-size -t --field-separator "
        "--parallel",
        optional="--check",
        refused={
            "-o --output": "writes its result to a file",
            "-T --temporary-directory": "writes to a directory of its own",
            "--compress-program": "runs a program",
        },
        answers=True,
    ),
    Command(
        "uniq",
        flags="-c --count -d --repeated -D -i --ignore-case -u --unique -z --zero-terminated --help --version",
        values="-f --skip-fields -s --skip-chars -w --check-chars",
        optional="--all-repeated --group",
        operands=1,
        surplus="writes to its second operand",
    ),
    Command(
        "cut",
        flags="-n --complement -s --only-delimited -z --zero-terminated --help --version",
        values="-b --bytes -c --characters -d --delimiter -f --fields --output-delimiter",
        any_words=True,
    ),
    Command(
        "tr",
        flags="-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1 -u --help --version",
        any_words=True,
    ),
    Command(
        "nl",
        flags="-p --no-renumber --help --version",
        values="-b --body-numbering -d --section-delimiter -f --footer-numbering -h --header-numbering -i "
        "--line-increment -l --join-blank-lines -n --number-format -s --number-separator -v --starting-line-number -w "
        "--number-width",
        any_words=True,
    ),
    Command("tac", flags="-b --before -r --regex --help --version", values="-s --separator", any_words=True),
    Command("rev", flags="-0 --zero -h --help -V --version", any_words=True),
    Command(
        "paste", flags="-s --serial -z --zero-terminated --help --version", values="-d --delimiters", any_words=True
    ),
    Command(
        "join",
        flags="-i --ignore-case --check-order --nocheck-order --header -z --zero-terminated --help --version",
        values="-a -e -j -o -t -v -1 -2",
        any_words=True,
    ),
    Command(
        "comm",
        flags="-1 -2 -3 -i --check-order --nocheck-order --total -z --zero-terminated --help --version",
        values="--output-delimiter",
        any_words=True,
    ),
    Command("fold", flags="-b --bytes -s --spaces --help --version", values="-w --width", any_words=True),
    Command(
        "fmt",
        flags="-c --crown-margin -s --split-only -t --tagged-paragraph -u --uniform-spacing --help --version",
        values="-p --prefix -w --width -g --goal",
        numbers=True,
        any_words=True,
    ),
    Command(
        "expand unexpand",
        flags="-a --all --first-only -i --initial --help --version",
        values="-t --tabs",
        any_words=True,
    ),
    Command(
        "column",
        flags="-t --table -d --table-noheadings -e --table-header-repeat -L --keep-empty-lines -J --json -x "
        "--fillrows -h --help -V --version",
        values="-n --table-name -O --table-order -N --table-columns -E --table-noextreme -H --table-hide -R "
        "--table-right -T --table-truncate -W --table-wrap -c --output-width -o --output-separator -s "
        "--separator",
        any_words=True,
    ),
    Command(
        "od",
        flags="-v --output-duplicates --traditional -a -b -c -d -f -i -l -o -s -x --help --version",
        values="-A --address-radix -j --skip-bytes -N --read-bytes -t --format --endian",
        optional="-S --strings -w --width",
        any_words=True,
    ),
    Command(
        "hexdump hd",
        flags="-b -c -C --canonical -d -o -x -v --no-squeezing -h --help -V --version",
        values="-e --format -f --format-file -n --length -s --skip",
        any_words=True,
    ),
    Command(
        "strings",
        flags="-a --all -d --data -f --print-file-name -o -w --include-all-whitespace -h --help -v -V --version",
        values="-n --bytes -t --radix -e --encoding -s --output-separator",
        numbers=True,
        any_words=True,
    ),
    Command(
        "diff",
        flags="--normal -q --brief -s --report-identical-files -e --ed -n --rcs -y --side-by-side --left-column "
        "--suppress-common-lines -p --show-c-function -t --expand-tabs -T --initial-tab -r --recursive "
        "--no-dereference -N --new-file --unidirectional-new-file -i --ignore-case -E --ignore-tab-expansion "
        "-Z --ignore-trailing-space -b --ignore-space-change -w --ignore-all-space -B --ignore-blank-lines -a "
        "--text --strip-trailing-cr -d --minimal --speed-large-files -c -u --help -v --version",
        values="-W --width -F --show-function-line -L --label --tabsize -x --exclude -X --exclude-from -S "
        "--starting-file --from-file --to-file -I --ignore-matching-lines -D --ifdef -C -U",
        optional="--context --unified --color",
        numbers=True,
        any_words=True,
        answers=True,
    ),
    Command(
        "cmp",
        flags="-b --print-bytes -l --verbose -s --quiet --silent --help -v --version",
        values="-i --ignore-initial -n --bytes",
        any_words=True,
        answers=True,
    ),
    Command("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum", flags=_SUMS, any_words=True),
    Command("b2sum cksum", flags=_SUMS, values="-l --length -a --algorithm", any_words=True),
    Command("sum", flags="-r -s --sysv", any_words=True),
    Command(
        "base64 base32", flags="-d -D --decode -i --ignore-garbage --help --version", values="-w --wrap", operands=1
    ),
    Command(
        "numfmt",
        flags="--debug --grouping -z --zero-terminated --help --version",
        values="-d --delimiter --field --format --from --from-unit --invalid --padding --round --suffix --to --to-unit",
        optional="--header",
        any_words=True,
    ),
    Command(
        "jq",
        flags="-n --null-input -c --compact-output -r --raw-output -j --join-output -a --ascii-output -s --slurp -e "
        "--exit-status -S --sort-keys -C --color-output -M --monochrome-output -R --raw-input --tab --stream "
        "--seq --args --jsonargs --unbuffered --raw-output0 -h --help --version -V",
        values="--indent -f --from-file -L --arg --argjson --slurpfile --rawfile",
        abbreviates=False,
        any_words=True,
        answers=True,
    ),
    Command(
        "less",
        flags=_PAGED,
        optional="-p -x -z",
        numbers=True,
        abbreviates=False,
        also=_starts_no_command,
    ),
    Command(
        "more",
        flags=_PAGED,
        optional="-x -z",
        refused={"-p": "gives the pager commands on some systems"},
        numbers=True,
        abbreviates=False,
        also=_starts_no_command,
    ),
)
