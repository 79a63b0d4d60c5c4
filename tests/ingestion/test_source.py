"""Source code of many languages: every piece stands under the class and function it is of, with its true lines."""

from __future__ import annotations

import re

from langchain_text_splitters import Language

from ingestion.chunking import CHUNKERS
from ingestion.chunking.definitions import definition
from ingestion.readers import read_document
from ingestion.readers.code import LANGUAGES
from schema import Chunk, Document
from tests.each_row import each_row
from tests.growth import assert_growth

SOURCES = {  # name -> source; a line with "@ path" says what it stands under
    "a.py": """
import os  #@

class Shop(Base):
    '''Doc.'''

    @property
    async def price(self, x: int = 3) -> int:
        return 1  #@ class Shop > async def price

def free(
    a,
):
    return 2  #@ def free

x = 3  #@
""",
    "a.ts": """
export class Shop extends Base {
  constructor(private x: number) {
    this.x = 1;  //@ export class Shop extends Base > constructor
  }
  async load(id: string): Promise<void> {
    if (id) {
      await go(id);  //@ export class Shop extends Base > async load
    }
  }
}
export const total = (a: number) => {
  return a;  //@ export const total
};
interface Item {
  id: number;  //@ interface Item
}
describe("x", () => {
  run();  //@
});
""",
    "a.js": """
function add(a, b) {
  return a + b;  //@ function add
}
const sub = function (a) {
  return a;  //@ const sub
};
""",
    "A.java": """
package a;

public class Shop<T> extends Base {
    private final int x = 3;  //@ public class Shop<T> extends Base

    @Override
    public List<String> items(String name) throws IOException {
        for (String s : all()) {
            use(s);  //@ public class Shop<T> extends Base > public List<String> items
        }
    }

    Shop(int x) {
        this.x = x;  //@ public class Shop<T> extends Base > Shop
    }
}
""",
    "a.go": """
package a

type Shop struct {
	x int //@ type Shop
}

func (s *Shop) Price(a int) (int, error) {
	if a > 0 {
		return 1, nil //@ func (s *Shop) Price
	}
}

func main() {
	run() //@ func main
}
""",
    "a.rs": """
pub struct Shop {
    x: i32, //@ pub struct Shop
}

impl<T> Trait for Shop {
    pub fn price(&self) -> i32 {
        1 //@ impl<T> Trait for Shop > pub fn price
    }
}
""",
    "a.c": """
#include <stdio.h>

static int add(int a, int b)
{
    return a + b; //@ static int add
}

int main(void) {
    printf("x"); //@ int main
    while (1) {
        add(1, 2); //@ int main
    }
}

struct point {
    int x; //@ struct point
};
""",
    "a.cpp": """
class Shop : public Base {
public:
    Shop(int x) : x_(x) {}
    virtual int price() const {
        return x_; //@ class Shop > virtual int price
    }
};

int Shop::total(const std::vector<int>& all) {
    return 0; //@ int Shop::total
}
""",
    "a.cs": """
namespace A
{
    public sealed class Shop : IShop
    {
        public async Task<int> Price(int a)
        {
            return 1; //@ namespace A > public sealed class Shop > public async Task<int> Price
        }
    }
}
""",
    "a.php": """
<?php
class Shop {
    public function price($a) {
        return 1; //@ class Shop > public function price
    }
}
""",
    "a.rb": """
module Trade
  class Shop < Base
    def price(a)
      1 #@ module Trade > class Shop < Base > def price
    end
  end
end
""",
    "a.sql": """
CREATE TABLE IF NOT EXISTS shop (
    id INTEGER --@ CREATE TABLE IF NOT EXISTS shop
);

create or replace function total(a int) returns int as
    select 1; --@ create or replace function total

SELECT 1; --@
""",
    "a.yaml": """
services:
  web:
    image: x #@ services > web
    ports:
      - 80 #@ services > web > ports
  db:
    image: y #@ services > db
steps:
- name: one #@ steps
- name: two #@ steps
top: 3 #@
""",
    "a.toml": """
top = 1 #@
[tool.ruff]
line = 120 #@ [tool.ruff]

[[items]]
x = 1 #@ [[items]]
""",
    "a.sh": """
set -e #@
build() {
  make #@ build()
}

function clean {
  rm x #@ function clean
}
""",
    "a.css": """
@media (max-width: 9px) {
  .shop a {
    color: red; /*@ @media (max-width: 9px) > .shop a */
  }
}
p,
a:hover {
  color: blue; /*@ a:hover */
}
""",
    "a.vue": """
<template>
  <div>x</div> <!--@ <template> -->
</template>

<script setup lang="ts">
const a = 1 //@ <script setup lang="ts">

function load() {
  run() //@ <script setup lang="ts"> > function load
}
</script>
""",
    "a.json": """
{
  "shop": {
    "hours": {
      "mon": "9 #@ shop > hours"
    },
    "name": "x #@ shop"
  },
  "top": "1 #@"
}
""",
    "Makefile": """
X = 1 #@
build: deps
	go build #@ build

test:
	go test #@ test
""",
    "Dockerfile": """
FROM python:3.12 AS base
RUN pip install x #@ FROM python:3.12 AS base
FROM base
RUN y #@ FROM base
""",
}


def cut(document: Document, size: int = 50) -> list[Chunk]:
    return CHUNKERS["code"](document, size, 0, lambda texts: None)


@each_row("name", SOURCES)
def test_what_a_line_stands_under(name):
    source = SOURCES[name].lstrip("\n")
    document = read_document(name, source.encode(), max_bytes=10_000)
    assert document.kind == "code"
    expected = {
        number: re.split(r"\*/|-->|\",?$", line.partition("@ ")[2])[0].strip()
        for number, line in enumerate(source.split("\n"), 1)
        if any(mark in line for mark in ("#@", "//@", "--@", "/*@"))
    }
    assert len(expected) >= 1
    for number, path in expected.items():
        line = document.text.split("\n")[number - 1]
        [chunk, *_] = [chunk for chunk in cut(document, max(50, len(line) + 1)) if line in chunk.text]
        assert chunk.start_line <= number <= chunk.end_line
        under = " > ".join(chunk.headings)
        if under != path:  # or it stands in one piece with the line that says so
            inner = path.split(" > ")[len(chunk.headings) :]
            assert path.startswith(under)
            assert inner
            assert all(name in chunk.text for name in inner)


def test_an_oversized_function_goes_on_under_its_signature():
    body = "".join(f"        step_{n} = run({n})\n" for n in range(200))
    document = read_document("a.py", f"class A:\n    def long(self, x):\n{body}".encode(), max_bytes=100_000)
    chunks = cut(document, 500)
    assert len(chunks) > 8
    assert {chunk.headings for chunk in chunks[1:]} == {("class A", "def long")}
    assert [chunk.start_line for chunk in chunks[1:]] == [chunk.end_line + 1 for chunk in chunks[:-1]]


@each_row(
    ("line", "language"),
    [
        ("    if (a) {", "java"), ("    return call(x)", "c"), ("    } else if (x) {", "cpp"), ("run(a, b);", "c"),
        ("    foo(a) {", "java"), ("  it('works', () => {", "js"), ("  if (x) {", "js"), ("  return f(x) {", "ts"),
        ("x = call(1)", "python"), ("class_name = 3", "python"), ("define = 1", "python"), ("key: value", "yaml"),
        ("- item", "yaml"), ("http://x.example:", "ini"), ("SELECT * FROM t", "sql"), ("classes are taught", "text"),
    ],
)  # fmt: skip
def test_what_is_no_definition(line, language):
    assert definition(line, language) == ""


@each_row("language", ["", "c", "java", "ts", "yaml", "css", "sql", "hcl", "sh", "make", "json", "r"])
@each_row(
    ("unit", "end"),
    [
        ("a ", ""), ("a(", ""), ("<", ""), (" ", ""), ("x:", ""), ("a.b-c ", "{"), ("(", "=>"), ("const a = (", ""),
    ],
)  # fmt: skip
def test_odd_lines_take_no_time(language, unit, end):
    short, long = (unit * (size // len(unit)) + end for size in (2_000, 16_000))
    assert_growth(lambda line: definition(line, language), short, long, 24)  # 8 where linear, 64 where quadratic


@each_row("language", sorted({*LANGUAGES.values(), *(language.value for language in Language)}))
def test_every_language_is_cut(language):
    source = "# first\nsub price {\n  return 1;\n}\n" * 20
    document = Document("a", source, kind="code", metadata={"programming_language": language})
    assert [line for chunk in cut(document, 60) for line in chunk.text.split("\n")] == source.strip().split("\n")


def test_a_script_of_one_line_of_a_megabyte():
    document = read_document("a.js", b"function f(a){return a+1};" * 40_000, max_bytes=2_000_000)
    chunks = cut(document, 1000)
    assert {(chunk.start_line, chunk.end_line) for chunk in chunks} == {(1, 1)}
    assert "".join(chunk.text for chunk in chunks).replace(" ", "") == document.text.replace(" ", "")
