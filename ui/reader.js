// Draws a source of an answer: what the answer takes from it, and its passage marked within the document.
const TAGS = new Set(['p', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'em', 'strong', 's',
  'table', 'thead', 'tbody', 'tr', 'th', 'td', 'hr', 'br', 'a', 'mark', 'div', 'span']);
const CLASSES = new Set(['good', 'weak', 'image']);
let before = null, after = null, asked = false, shown = {};

// A node of the document: text, or a tag of the list above. No attribute but these is set.
const node = one => {
  if (typeof one === 'string') return document.createTextNode(one);
  const [tag, attributes, ...children] = one, made = make(TAGS.has(tag) ? tag : 'div');
  if (tag === 'a' && /^https?:\/\//i.test(attributes.href ?? '')) outward(made, attributes.href);
  if (tag === 'ol') made.start = attributes.start ?? 1;
  if (CLASSES.has(attributes.class)) made.className = attributes.class;
  made.append(...children.map(node));
  return made;
};
const outward = (link, address) => {
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.title = address;
};

const heading = (name, text) => {
  const made = make('div', `heading ${name}`, text);
  made.setAttribute('role', 'heading');
  made.setAttribute('aria-level', '3');
  return made;
};

const section = (one, code) => {
  const made = make('section');
  if (one.head) made.append(heading('place', one.head));
  for (const { line, node: drawn } of one.blocks ?? []) {
    const block = make('div', 'block');
    block.append(make('span', 'line', line || ''), node(drawn));
    made.append(block);
  }
  if (one.lines) {
    const lines = make('div', code ? 'lines code' : 'lines');
    lines.append(...one.lines.map(({ number, parts }) => {
      const line = make('div', 'block'), words = make('span', 'words');
      words.append(...parts.map(node));
      line.append(make('span', 'line', number), words);
      return line;
    }));
    made.append(lines);
  }
  return made;
};

const claim = (one, say) => {
  const made = make('li', one.state), said = make('span', 'said', one.text);
  made.append(make('span', 'sign', { good: '✓', weak: '⚠', unknown: '?' }[one.state]), said);
  if (one.score) made.append(make('span', 'score', `${say.support} ${one.score}`));
  if (one.reasons.length) made.append(make('span', 'reasons', one.reasons.join(' · ')));
  if (one.gloss) made.append(make('span', 'gloss', one.gloss));
  return made;
};
const claims = (name, title, list, say) => {
  const made = make('div', name), items = make('ul');
  items.append(...list.map(one => claim(one, say)));
  made.append(heading('', title), items);
  return made;
};

const beside = (href, sign, words) => {
  const link = make('a', 'step', sign);
  link.setAttribute('aria-label', words);
  link.title = words;
  if (href) link.href = href;
  else link.setAttribute('aria-disabled', 'true');
  return link;
};
const header = value => {
  const made = make('header'), top = make('div', 'top'), facts = make('p', 'facts');
  const steps = make('span', 'steps');
  steps.append(beside(value.previous, '‹', value.say.previous), make('span', '', value.position),
    beside(value.next, '›', value.say.next));
  top.append(heading('title', `[${value.number}] ${value.title}`), steps);
  facts.append(...value.facts.map(fact => make('span', '', fact)));
  if (/^https?:\/\//i.test(value.address)) {
    const link = make('a', 'out', `${value.readable} ↗`);
    outward(link, value.address);
    link.setAttribute('aria-label', `${value.say.original}: ${value.readable}`);
    facts.append(link);
  }
  if (value.file) {
    const link = make('a', 'file', `⬇ ${value.say.download}`);
    link.href = value.file;
    link.download = '';
    facts.append(link);
  }
  made.append(top);
  if (value.path) made.append(make('p', 'path', value.path));
  made.append(facts);
  return made;
};

const ask = way => {
  const at = way === 'before' ? before : after;
  if (asked || at === null) return;
  asked = true;
  trigger('more', { turn: shown.turn, number: shown.number, way, at });
};
const edges = () => {
  const [up, down] = ['.up', '.down'].map(name => element.querySelector(name));
  if (up) up.hidden = before === null;
  if (down) down.hidden = after === null;
};

const grow = value => {
  if (value.turn !== shown.turn || value.number !== shown.number) return;
  const text = element.querySelector('.text'), added = value.sections.map(one => section(one, value.code));
  const first = value.more === 'before' ? added.at(-1) : text.lastElementChild;
  const then = value.more === 'before' ? text.firstElementChild : added[0];
  const height = text.scrollHeight, top = text.parentElement.scrollTop;
  if (value.more === 'before') {
    before = value.before;
    text.prepend(...added);
  } else {
    after = value.after;
    text.append(...added);
  }
  const heads = [first, then].map(one => one?.querySelector(':scope > .place'));
  if (heads[0] && heads[0].textContent === heads[1]?.textContent) heads[1].remove();  // the page goes on
  if (value.more === 'before') text.parentElement.scrollTop = top + text.scrollHeight - height;
  asked = false;
  edges();
};

// The document takes what the window has left below it.
const fit = () => {
  const page = element.querySelector('.document');
  if (page?.getClientRects().length) page.style.setProperty('--above', `${page.getBoundingClientRect().top + 24}px`);
};
addEventListener('resize', fit);

// When the panel is there to be seen: the passage in the middle, and the keyboard on it.
const find = tries => {
  const mark = element.querySelector('mark.good') ?? element.querySelector('mark');
  if (!mark) return;
  if (!mark.getClientRects().length) {
    if (tries) setTimeout(find, 50, tries - 1);
    return;
  }
  mark.tabIndex = -1;
  mark.focus({ preventScroll: true });
  fit();
  const page = element.querySelector('.document'), box = page.getBoundingClientRect();
  page.scrollTop += mark.getBoundingClientRect().top - box.top - Math.min(box.height / 3, 160);
  page.addEventListener('scroll', () => {
    if (page.scrollTop < 300) ask('before');
    if (page.scrollHeight - page.scrollTop - page.clientHeight < 300) ask('after');
  });
};

const draw = () => {
  const value = props.value;
  if (!value || typeof value !== 'object') { element.replaceChildren(); return; }
  if (value.more) { grow(value); return; }
  shown = value;
  const made = make('div', 'reader');
  if (value.title) made.append(header(value));
  if (value.claims?.length) made.append(claims('claims', value.say.claims, value.claims, value.say));
  if (value.note) made.append(make('p', 'note', value.note));
  if (value.doubtful?.length) made.append(claims('claims', value.say.doubtful, value.doubtful, value.say));
  if (value.listed?.length) {
    const list = make('ul', 'listed');
    list.append(...value.listed.map(({ href, words }) => {
      const item = make('li'), link = make('a', '', words);
      link.href = href;
      item.append(link);
      return item;
    }));
    made.append(heading('', value.say.sources), list);
  }
  if (value.sections) {
    [before, after, asked] = [value.before, value.after, false];
    const page = make('div', 'document'), text = make('div', 'text');
    page.setAttribute('role', 'region');
    page.setAttribute('aria-label', value.say.text);
    page.tabIndex = 0;
    text.append(...value.sections.map(one => section(one, value.code)));
    page.append(press('edge up', value.say.before, () => ask('before')), text,
      press('edge down', value.say.after, () => ask('after')));
    made.append(page);
  }
  element.replaceChildren(made);
  edges();
  find(60);
};
watch('value', draw);
draw();
