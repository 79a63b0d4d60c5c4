"""Pages of a site, and what came of them."""

from benchmarks.web_site import Page

ROBOTS = Page("User-agent: *\nDisallow: /docs/private/\n", "text/plain")


def html(text, *links, head=""):
    anchors = " ".join(link if link.startswith("<") else f'<a href="{link}">{link}</a>' for link in links)
    return Page(f"<html><head><title>{text}</title>{head}</head><body><p>{text}</p>{anchors}</body></html>")


def came(results, site):
    return [one.url.removeprefix(site.url("")) for one in results if one.state == "page"]
