"""Source code in many languages; a line with “@ path” says what it stands under."""

from __future__ import annotations

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
