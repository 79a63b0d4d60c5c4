"""Sitemaps: pages that nothing links to, bombs, and what is none."""

import pytest

from benchmarks.web_site import Page
from tests.web.site_cases import came, html
from web.links import locations_of

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def sitemap(*urls, kind="url"):
    entries = "".join(f"<{kind}><loc> {url} </loc></{kind}>" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?><{kind}set {NAMESPACE}>{entries}</{kind}set>'


@pytest.mark.parametrize("media_type", ["application/xml", "text/xml; charset=utf-8"])
async def test_pages_that_only_a_sitemap_names(crawled, site, media_type):
    site.pages |= {
        "/docs/": html("start"),
        "/docs/hidden": html("hidden"),
        "/sitemap.xml": Page(sitemap(site.url("/docs/hidden"), site.url("/x"), site.url("/docs/", 1)), media_type),
    }
    results = await crawled()
    assert came(results, site) == ["/docs/", "/docs/hidden"]
    assert (results[1].depth, results[1].found_on) == (1, site.url("/sitemap.xml"))


async def test_an_index_of_sitemaps_that_robots_names(crawled, site):
    import gzip

    named = Page(f"User-agent: *\nDisallow:\nSitemap: {site.url('/index.xml')}\n", "text/plain")
    index = sitemap(site.url("/one.xml.gz"), site.url("/index.xml"), site.url("/no.xml"), kind="sitemap")
    site.pages |= {
        "/robots.txt": named,
        "/index.xml": Page(index, "application/xml"),
        "/one.xml.gz": Page(gzip.compress(sitemap(site.url("/docs/hidden")).encode()), "application/x-gzip"),
        "/docs/": html("start"),
        "/docs/hidden": html("hidden"),
    }
    assert came(await crawled(), site) == ["/docs/", "/docs/hidden"]
    assert len(site.asked("/index.xml")) == 1
    assert not site.asked("/sitemap.xml")


async def test_a_sitemap_that_is_none_does_no_harm(crawled, site):
    site.pages |= {"/docs/": html("start", "a"), "/docs/a": html("a")}
    for body in ("", "<urlset><url>", "\x00\x01", "<html><body>404</body></html>", bomb().decode()):
        site.pages["/sitemap.xml"] = Page(body, "application/xml")
        assert came(await crawled(), site) == ["/docs/", "/docs/a"]


def bomb():
    lines = ['<!ENTITY e0 "http://127.0.0.1/docs/x">']
    lines += [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10)]
    return f"<!DOCTYPE urlset [{''.join(lines)}]><urlset><url><loc>&e9;</loc></url></urlset>".encode()


def test_entities_are_not_expanded_and_nothing_else_is_read(tmp_path):
    import gzip

    (tmp_path / "secret").write_text("http://127.0.0.1/secret")
    entity = f'<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">'
    outside = f"<!DOCTYPE u [{entity}]><urlset><url><loc>&x;</loc></url></urlset>"
    for data in (bomb(), outside.encode(), gzip.compress(bytes(2_000_000)), b"\x1f\x8bnone", b"", b"<a"):
        assert locations_of(data, 1_000_000) == ([], [])
    image = "<image:image xmlns:image='i'><image:loc>http://a/i</image:loc></image:image>"
    own = f"<urlset {NAMESPACE}><url><loc>http://a/</loc>{image}</url></urlset>"
    assert locations_of(own.encode(), 1_000_000) == (["http://a/"], [])
