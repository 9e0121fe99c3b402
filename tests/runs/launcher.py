# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-playbook for half of its CPU seconds, and without most of its waiting: launcher.py ARGUMENT...

It is Ansible's own command, with its settings, output and signals. But tasks that only decide are done without a
worker, what is made of files and templates is kept for other runs, memory is not tidied up, and operations are looked
at earlier than users need it. With ``--serve SOCKET``, it is the server that forks others (see ``server.py``).
"""

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def prepare() -> None:
    """Import Ansible, and let it do less."""
    folder = ROOT / "build" / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    sys.path[0] = str(ROOT / "tests")
    from runs import early, kept

    # As for the script that users run.
    sys.path[0] = str(Path(sys.executable).parent)
    sys.argv[0] = str(Path(sys.executable).parent / "ansible-playbook")
    gc.disable()
    kept.keep_parsed_texts(folder)
    kept.keep_compiled_code(folder)
    kept.keep_compiled_templates(folder)
    kept.keep_parsed_files(folder)
    kept.send_compiled_modules(folder)
    from ansible import cli
    from ansible.utils.collection_loader import AnsibleCollectionConfig

    from runs import decisions

    can_import = cli.init_plugin_loader
    searched = os.environ.get("ANSIBLE_COLLECTIONS_PATH", "").split(os.pathsep)

    def init_plugin_loader(*arguments: object) -> None:
        if not AnsibleCollectionConfig.collection_finder:
            can_import(*arguments)
        decisions.decide_without_forks()
        with suppress(ModuleNotFoundError):  # where the collection is not installed
            early.look_early()
        if any(Path(path, "ansible_collections", "awx").is_dir() for path in searched):
            from runs import forked_modules

            forked_modules.fork_modules_of("awx.awx", "controller_api")

    cli.init_plugin_loader = init_plugin_loader


def main() -> int | None:
    prepare()
    if sys.argv[1:2] == ["--serve"]:
        from runs.server import serve

        return serve(sys.argv[2])
    from ansible.cli import playbook

    return playbook.main()


if __name__ == "__main__":
    sys.exit(main())
