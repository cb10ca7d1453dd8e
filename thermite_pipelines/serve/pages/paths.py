"""Where the pages stand: the addresses that templates, forms and the guard agree on."""

from urllib.parse import quote, urlencode

ROOT = "/knowledge"
START = "/"
"""Where people begin: it leads to the first page."""
SIGN_IN = f"{ROOT}/sign-in"
SIGN_OUT = f"{ROOT}/sign-out"
STATIC = f"{ROOT}/static"
SEARCH = f"{ROOT}/search"


def is_page(path: str) -> bool:
    """Whether a path belongs to the pages, there or not."""
    return path in (START, ROOT) or path.startswith(f"{ROOT}/")


def is_open(path: str) -> bool:
    """Whether a path of the pages is for whoever has not signed in, too."""
    return path in (START, SIGN_IN) or path.startswith(f"{STATIC}/")


def url(*parts: str, **query: object) -> str:
    """The address of a page from the parts of its path; of the query, what is None or empty is left out."""
    path = "/".join((ROOT, *(quote(part, safe="~") for part in parts)))
    given = {name: value for name, value in query.items() if value not in (None, "", [], ())}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def is_own(path: str) -> bool:
    """Whether a text is an address of these pages and leads nowhere else, also where a browser reads it its own way."""
    return is_page(path.partition("?")[0]) and path.isprintable() and path.isascii() and "\\" not in path
