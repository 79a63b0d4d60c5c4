// Draws the System tab: sections of rows, the metrics with small curves, the settings. All text is set as text.
const SVG = 'http://www.w3.org/2000/svg';
const cell = (tag, name, text) => { const made = make(tag, name, text); if (tag === 'th') made.scope = 'col'; return made; };
const section = (title, about) => {
  const made = make('section');
  made.append(make('h3', '', title));
  if (about) made.append(make('p', 'about', about));
  return made;
};
const rows = one => {
  const made = section(one.title), list = make('dl');
  for (const row of one.rows) {
    const value = make('dd', row.state ? `is-${row.state}` : '');
    if (row.value) value.append(make('span', 'value', row.value));
    if (row.note) value.append(make('span', 'note', row.note));
    if (row.link) {
      const link = make('a', 'link', row.link.words);
      link.href = row.link.href;
      link.download = '';
      value.append(link);
    }
    list.append(make('dt', '', row.name), value);
  }
  made.append(list);
  return made;
};
// A curve through the values, oldest left, zero at the foot; a single value is a point.
const curve = (values, name, highest) => {
  const drawn = document.createElementNS(SVG, 'svg'), wide = 120, high = 24;
  const top = highest ?? (Math.max(...values) || 1);
  drawn.setAttribute('viewBox', `0 0 ${wide} ${high}`);
  drawn.setAttribute('class', 'curve');
  drawn.setAttribute('role', 'img');
  drawn.setAttribute('aria-label', name);
  const points = values.map((value, n) => [
    values.length > 1 ? 2 + n * (wide - 4) / (values.length - 1) : wide - 2, high - 2 - value / top * (high - 4),
  ]);
  const line = document.createElementNS(SVG, 'polyline'), last = document.createElementNS(SVG, 'circle');
  line.setAttribute('points', points.map(point => point.map(part => part.toFixed(1)).join(',')).join(' '));
  last.setAttribute('cx', points.at(-1)[0]);
  last.setAttribute('cy', points.at(-1)[1]);
  last.setAttribute('r', 2);
  drawn.append(line, last);
  return drawn;
};
const table = (head, name) => {
  const made = make('table', name), top = make('tr');
  top.append(...head.map(words => cell('th', '', words)));
  made.createTHead().append(top);
  made.append(make('tbody'));
  return made;
};
const scroll = inner => { const made = make('div', 'scroll'); made.append(inner); return made; };
const figures = ({ head, rows }) => {
  const drawn = table(head, 'figures');
  drawn.tBodies[0].append(...rows.map(row => {
    const line = make('tr'), recent = make('td', 'recent');
    recent.append(curve(row.recent, `${head.at(-1)}: ${row.name}`, row.top));
    line.append(make('td', 'name', row.name), ...row.cells.map(words => make('td', 'number', words)), recent);
    return line;
  }));
  return scroll(drawn);
};
const metrics = of => {
  const made = section(of.title, of.about);
  if (!of.rows.length) made.append(make('p', 'none', of.none));
  else made.append(figures(of));
  if (of.shares.rows.length) made.append(figures(of.shares));
  if (of.counted.length) {
    const list = make('ul');
    list.append(...of.counted.map(words => make('li', '', words)));
    made.append(list);
  }
  return made;
};
const setting = row => {
  const line = make('tr', row.differs ? 'differs' : '');
  line.append(make('td', 'name', row.name), make('td', '', row.value), make('td', 'default', row.default));
  return line;
};
const settings = of => {
  const made = section(of.title, of.about), same = make('details'), summary = make('summary', '', of.same);
  const differ = of.rows.filter(row => row.differs), rest = of.rows.filter(row => !row.differs);
  const changed = table(of.head, 'settings'), unchanged = table(of.head.slice(0, 2), 'settings');
  changed.tBodies[0].append(...differ.map(setting));
  unchanged.tBodies[0].append(...rest.map(row => { const line = setting(row); line.lastChild.remove(); return line; }));
  summary.append(` (${rest.length})`);
  same.open = element.querySelector('details')?.open ?? false;
  same.append(summary, scroll(unchanged));
  made.append(differ.length ? scroll(changed) : make('p', 'none', of.none), same);
  return made;
};
// What can be cleared asks back first, in the page's own words.
const clearing = (words, sure, event, told) =>
  press('clear', words, () => { if (confirm(sure)) trigger(event, told); });
const unanswered = of => {
  const made = section(of.title, of.about);
  if (!of.rows.length) { made.append(make('p', 'none', of.none)); return made; }
  const drawn = table(of.head, 'unanswered'), foot = make('p', 'foot');
  drawn.tBodies[0].append(...of.rows.map(row => {
    const line = make('tr'), at = make('td', 'when');
    at.append(time(row.asked));
    line.append(at, make('td', 'question', row.question), ...row.cells.map(words => make('td', '', words)));
    return line;
  }));
  foot.append(make('span', '', of.count));
  for (const { href, words } of of.links) {
    const link = make('a', 'link', words);
    link.href = href;
    link.download = '';
    foot.append(link);
  }
  foot.append(clearing(of.clear, of.sure, 'list_cleared', {}));
  made.append(scroll(drawn), foot);
  return made;
};
const caches = of => {
  const made = section(of.title, of.about), drawn = table(of.head, 'caches'), foot = make('p', 'foot');
  drawn.tBodies[0].append(...of.rows.map(row => {
    const line = make('tr'), last = make('td', 'do');
    const button = clearing(of.clear, `${of.sure} (${row.name})`, 'cache_cleared', { name: row.key });
    button.setAttribute('aria-label', `${of.clear}: ${row.name}`);
    button.disabled = row.empty;
    last.append(button);
    line.append(make('td', 'name', row.name), ...row.cells.map(words => make('td', 'number', words)), last);
    return line;
  }));
  foot.append(clearing(of.clear_all, of.sure, 'cache_cleared', { name: '' }));
  made.append(scroll(drawn), foot);
  return made;
};
const draw = () => {
  const value = props.value;
  if (!value?.sections) { element.replaceChildren(); return; }
  const held = document.activeElement?.tagName === 'SUMMARY' && element.contains(document.activeElement);
  const states = make('div', 'states');
  states.append(...value.sections.map(rows));
  element.replaceChildren(
    states, unanswered(value.unanswered), metrics(value.metrics), caches(value.caches), settings(value.settings),
  );
  if (held) element.querySelector('summary')?.focus({ preventScroll: true });
};
watch('value', draw);
draw();
