# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of Sphinx for the site that `make docs` builds."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform

project = "hosting.management"
author = project_copyright = "hosting.management contributors"
html_title = project
html_theme = "sphinx_ansible_theme"
html_copy_source = False
html_show_sphinx = False
html_use_index = False

extensions = ["myst_parser", "sphinx.ext.intersphinx", "sphinx_antsibull_ext"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["README.md"]  # index.md includes it
highlight_language = "yaml+jinja"
pygments_style = "ansible"
nitpicky = True
myst_heading_anchors = 3

# Ansible's own pages, such as those of ansible.builtin. Without a network, the stub beside this file names them.
intersphinx_mapping = {"ansible": ("https://docs.ansible.com/projects/ansible/devel/", (None, "ansible.inv"))}
intersphinx_timeout = 5


class LinkedNames(SphinxTransform):
    """Links the names of modules in the guides' text, such as `env_push`, with the reference."""

    default_priority = 400
    prefix = "hosting.management."

    def apply(self) -> None:
        if not self.env.docname.startswith(("index", "docs/")):
            return
        modules = {
            path.name.removesuffix("_module.rst") for path in Path(self.env.srcdir).glob("reference/*_module.rst")
        }
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext().removeprefix(self.prefix)
            if name in modules and not isinstance(literal.parent, nodes.reference | pending_xref):
                link = pending_xref(
                    "",
                    refdomain="std",
                    reftype="ref",
                    reftarget=f"ansible_collections.{self.prefix}{name}_module",
                    refexplicit=True,
                    refwarn=True,
                )
                literal.replace_self(link)
                link += literal


def setup(app) -> None:
    app.add_transform(LinkedNames)
