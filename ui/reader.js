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

// A box by its left, top, right and bottom: shares of the width and height of what it lies on.
const boxed = ([left, top, right, bottom]) => {
  const box = make('span', 'box');
  Object.assign(box.style, { left: `${100 * left}%`, top: `${100 * top}%`, width: `${100 * (right - left)}%`,
    height: `${100 * (bottom - top)}%` });
  return box;
};

// The page itself: a picture, with what is cited boxed.
const ZOOMS = [1, 1.5, 2, 3];
const pageView = ({ number, last, query, spans }, say) => {
  const made = make('div', 'page'), bar = make('div', 'bar'), around = make('div', 'sheet'), sheet = make('div', 'paper');
  const picture = make('img'), label = make('span', 'label'), note = make('p', 'note', say.no_page);
  let at = number, zoom = 0, turns = 0;
  const button = (sign, words, act) => {
    const one = press('step', sign, act);
    one.setAttribute('aria-label', words);
    one.title = words;
    return one;
  };
  const turn = by => { at = Math.min(last, Math.max(1, at + by)); load(); };
  const scale = by => {
    zoom = Math.min(ZOOMS.length - 1, Math.max(0, zoom + by));
    sheet.style.width = `${100 * ZOOMS[zoom]}%`;
    states();
    toBox();
  };
  const back = button('‹', say.page_before, () => turn(-1)), on = button('›', say.page_next, () => turn(1));
  const smaller = button('−', say.smaller, () => scale(-1)), larger = button('+', say.larger, () => scale(1));
  const states = () => {
    back.disabled = at <= 1;
    on.disabled = at >= last;
    smaller.disabled = zoom === 0;
    larger.disabled = zoom === ZOOMS.length - 1;
    picture.alt = label.textContent = say.page.replace('{}', at).replace('{}', last);
    around.setAttribute('aria-label', picture.alt);
  };
  const toBox = () => {
    const box = sheet.querySelector('.box');
    if (!box) return;
    around.scrollTop = box.offsetTop - around.clientHeight / 3;
    around.scrollLeft = box.offsetLeft + box.offsetWidth / 2 - around.clientWidth / 2;
  };
  const load = async () => {
    const mine = ++turns, address = `pages/${at}`;
    states();
    note.hidden = true;
    sheet.querySelectorAll('.box').forEach(one => one.remove());
    picture.src = `${address}.png?${query}`;
    const answer = await fetch(`${address}.json?${query}&spans=${spans}`).catch(() => null);
    if (mine !== turns || !answer?.ok) return;
    const { width, height, boxes } = await answer.json();
    if (width) picture.style.aspectRatio = `${width} / ${height}`;
    sheet.append(...boxes.map(boxed));
    toBox();
  };
  picture.addEventListener('load', toBox);
  picture.addEventListener('error', () => { note.hidden = false; });
  around.tabIndex = 0;
  around.setAttribute('role', 'region');
  bar.append(back, label, on, smaller, larger);
  sheet.append(picture);
  around.append(note, sheet);
  made.append(bar, around);
  load();
  return made;
};

// Pictures of the file that stand beside the passage; one that is pressed is shown large.
const picturesBeside = async ({ query, start, end, spans }, say, into) => {
  const answer = await fetch(`pages/pictures.json?${query}&start=${start}&end=${end}&spans=${spans}`).catch(() => null);
  const { pictures, boxes } = answer?.ok ? await answer.json() : { pictures: [] };
  if (!pictures.length || !into.isConnected) return;
  const row = make('div', 'pictures');
  row.setAttribute('role', 'group');
  row.setAttribute('aria-label', say.pictures);
  const order = [...pictures.filter(one => one in boxes), ...pictures.filter(one => !(one in boxes))];
  row.append(...order.slice(0, 12).map((number, nth) => {
    const one = press('picture', '', () => one.classList.toggle('large')), image = make('img');
    one.setAttribute('aria-label', `${say.pictures} ${nth + 1}`);
    image.alt = '';
    image.src = `pages/pictures/${number}.png?${query}`;
    image.addEventListener('error', () => one.remove());
    const paper = make('span', 'paper');
    paper.append(image, ...(boxes[number] ?? []).map(boxed));
    one.classList.toggle('large', number in boxes);  // what is cited was read from it
    one.append(paper);
    return one;
  }));
  into.before(row);
  fit();
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
    const views = make('div', 'views');
    if (value.page) views.append(pageView(value.page, value.say));
    views.append(page);
    made.append(views);
    if (value.pictures) queueMicrotask(() => picturesBeside(value.pictures, value.say, views));
  }
  element.replaceChildren(made);
  edges();
  find(60);
};
watch('value', draw);
draw();
