"""Hooks of MkDocs: links that leave docs/ lead to the repository, if `repo_url` is set, or are plain text."""

import posixpath
import re

LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<target>\.\./[^)\s]*)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown, page, config, **_):
    folder = posixpath.dirname(page.file.src_uri)

    def rewritten(link):
        target = posixpath.normpath(posixpath.join("docs", folder, link["target"]))
        if target.startswith("docs/"):
            return link[0]
        return (
            f"[{link['text']}]({config.repo_url.rstrip('/')}/blob/main/{target})" if config.repo_url else link["text"]
        )

    # Code is left as it is.
    parts, end = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [LINK.sub(rewritten, markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, LINK.sub(rewritten, markdown[end:])])
