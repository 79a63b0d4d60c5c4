// Draws how an answer came about: bars, tables that can be sorted, texts. All of it is set as text, never as HTML.
const cell = (one, head) => {
  const made = make('td', head.number ? 'number' : '');
  made.append(make('span', '', one.text));
  if (one.more) made.append(make('span', 'more', one.more));
  return made;
};

const filled = (body, section) => body.replaceChildren(...section.rows.flatMap(row => {
  const line = make('tr', row.kept ? 'kept' : row.failed ? 'failed' : '');
  line.append(...row.cells.map((one, n) => cell(one, section.heads[n])));
  if (!row.said) return [line];
  const below = make('tr', 'failed said'), said = make('td', '', row.said);
  said.colSpan = section.heads.length;
  below.append(said);
  return [line, below];
}));

// What has no value stays behind, whichever way it is sorted.
const compared = (a, b, way) => {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return (a < b ? -1 : 1) * way;
};

const sort = (section, n, cells, body) => {
  const { number, key } = section.heads[n], before = cells[n].getAttribute('aria-sort');
  const first = number && key !== 'rank' ? 'descending' : 'ascending';  // scores: the highest first
  const way = !before ? first : before === 'ascending' ? 'descending' : 'ascending';
  for (const one of cells) one.removeAttribute('aria-sort');
  cells[n].setAttribute('aria-sort', way);
  const of = row => row.cells[n].sort === undefined ? row.cells[n].text : row.cells[n].sort;
  section.rows.sort((a, b) => compared(of(a), of(b), way === 'ascending' ? 1 : -1));
  filled(body, section);
};

const table = given => {
  const section = { ...given, rows: [...given.rows] };  // sorted here alone
  const made = make('table', section.name), head = make('thead'), body = make('tbody'), row = make('tr');
  const cells = section.heads.map(one => {
    const made = make('th', one.number ? 'number' : '');
    made.scope = 'col';
    return made;
  });
  cells.forEach((one, n) => one.append(section.sortable
    ? press('', section.heads[n].label, () => sort(section, n, cells, body)) : section.heads[n].label));
  row.append(...cells);
  head.append(row);
  filled(body, section);
  made.append(head, body);
  if (section.foot) {
    const foot = make('tfoot'), last = make('tr');
    last.append(...section.foot.map((said, n) => make('td', section.heads[n].number ? 'number' : '', said)));
    foot.append(last);
    made.append(foot);
  }
  const scroll = make('div', 'scroll');
  scroll.tabIndex = 0;  // it can be scrolled with the keyboard
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', section.title);
  scroll.append(made);
  return [scroll];
};

const bars = section => {
  const made = make('ul', 'bars');
  made.append(...section.bars.map(one => {
    const line = make('li'), bar = make('span', 'bar'), told = make('span', 'more', one.calls);
    bar.style.setProperty('--share', one.share);
    bar.setAttribute('aria-hidden', 'true');
    line.append(make('span', 'label', one.label), bar, make('span', 'number', one.said), told);
    if (one.note) line.append(make('span', 'note', one.note));
    return line;
  }));
  return [made];
};

const list = section => {
  const made = make('ul', 'plain');
  made.append(...section.items.map(one => make('li', '', one)));
  return [made];
};

const folded = one => {
  const made = make('details'), summary = make('summary', '', one.title);
  made.append(summary, make('pre', '', one.text));
  return made;
};

const draw = () => {
  const value = props.value;
  if (!value || !value.sections) { element.replaceChildren(); return; }
  const parts = [];
  if (value.empty) parts.push(make('p', 'empty', value.empty));
  if (value.lead) parts.push(make('p', 'lead', value.lead));
  for (const section of value.sections) {
    const made = make('section');
    made.append(make('h4', '', section.title), ...({ table, bars, list }[section.kind]?.(section) ?? []));
    if (section.note) made.append(make('p', 'hint', section.note));
    if (section.folded) made.append(folded(section.folded));
    parts.push(made);
  }
  element.replaceChildren(...parts);
};
watch('value', draw);
draw();
