"""Where else a chapter's notebook runs, or is fetched from, once `repository.url` is set."""

import re
from urllib.parse import quote

BRANCH = "notebooks"
"""Where the publishing workflow puts what is in `downloads/`: Colab and Binder open files of repositories."""


def repository(config) -> str:
    """`owner/name` on GitHub, or nothing: neither place opens other hosts alike."""
    url = config.html_theme_options.get("repository_url") or ""
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(\.git)?/?", url)
    return found[1] if found else ""


def elsewhere(repository: str, notebook: str) -> dict[str, str]:
    """Other places that run a notebook, and their addresses of it."""
    if not repository:
        return {}
    path = quote(f"lab/tree/{notebook}", safe="")
    return {
        "Colab": f"https://colab.research.google.com/github/{repository}/blob/{BRANCH}/{notebook}",
        "Binder": f"https://mybinder.org/v2/gh/{repository}/{BRANCH}?urlpath={path}",
    }


def online(config) -> str:
    """The address of the files in `downloads/`, as a notebook elsewhere can fetch them."""
    known = repository(config)
    return f"https://github.com/{known}/raw/{BRANCH}" if known else ""
