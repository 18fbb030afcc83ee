"""Well-known commands that do more than read, so that the reason can be told.

The rule: a command that stands in no table is exclusive all the same.
"""

from .model import Refused, table

WRITERS = table(
    Refused("rm rmdir unlink shred", "removes files"),
    Refused("mv cp ln link install rsync scp rename", "writes files"),
    Refused("mkdir mkfifo mknod mktemp touch truncate tee dd split csplit shuf sponge fallocate", "writes files"),
    Refused("chmod chown chgrp chattr setfacl", "changes files"),
    Refused("patch ed ex vi vim nvim nano emacs sdiff ctags", "edits files"),
    Refused("zip compress uncompress ar cpio 7z zstd", "writes archives or unpacks them"),
    Refused("curl wget ssh sftp ftp nc ncat telnet ping dig nslookup host", "uses the network"),
    Refused("nohup", "may write nohup.out"),
    Refused("sudo doas su chroot setsid watch parallel script entr at batch crontab flock unshare", "runs a program"),
    Refused("sh dash zsh ksh fish csh tcsh busybox", "runs what only another shell will read"),
    Refused("gawk-extension lua deno bun php-cgi ipython jshell", "runs a program"),
    Refused(
        "npm npx yarn pnpm pip pip3 uv poetry cargo rustc rustup go gem bundle composer mvn gradle",
        "builds, installs or caches",
    ),
    Refused("apt apt-get dpkg yum dnf brew pacman apk snap", "installs packages"),
    Refused("pytest tox nox ruff mypy black eslint prettier tsc jest", "runs a program, and may write"),
    Refused("podman kubectl helm terraform aws gcloud az gh", "talks to other machines, or may write"),
    Refused("pkill killall reboot shutdown systemctl service mount umount sysctl insmod", "changes the machine"),
)
