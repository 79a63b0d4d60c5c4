// Draws the list of websites and repositories.
let asking = '';  // key of the one that is about to be removed
const unfolded = new Set();  // keys of those whose problems are read

const problems = (one, value) => {
  const details = make('details'), list = make('ul');
  details.open = unfolded.has(one.key);
  details.addEventListener('toggle', () => details.open ? unfolded.add(one.key) : unfolded.delete(one.key));
  list.append(...one.problems.map(words => make('li', '', words)));
  details.append(make('summary', '', value.say.problems.replace('{}', one.problems.length)), list);
  return details;
};

const line = (one, value) => {
  const row = make('tr', `is-${one.status}`);
  row.dataset.key = one.key;
  for (const { column, label } of value.heads) {
    const cell = make('td', `col-${column}`);
    cell.dataset.label = label;
    if (column === 'address') {
      cell.append(make('span', 'address', one.address));
      if (one.limits) cell.append(make('span', 'note', one.limits));
    } else if (column === 'state') {
      cell.append(make('span', 'state', one.state));
      if (one.note) cell.append(make('span', 'problem', one.note));
      if (one.counts) cell.append(make('span', 'note', one.counts));
      if (one.problems.length) cell.append(problems(one, value));
    } else if (column === 'refreshed') {
      cell.append(time(one.refreshed));
    } else {
      cell.textContent = one[column];
    }
    row.append(cell);
  }
  const cell = make('td', 'col-do'), button = (name, pressed) => {
    const made = press(name, value.say[name], pressed);
    made.setAttribute('aria-label', `${value.say[name]} ${one.address}`);
    return made;
  };
  if (one.running) cell.append(button('stop', () => trigger('stopped', { source: Number(one.key) })));
  else cell.append(button('refresh', () => trigger('refreshed', { source: Number(one.key) })));
  cell.append(button('remove', () => {
    asking = one.key;
    draw();
    element.querySelector('tr.asked .keep')?.focus();
  }));
  row.append(cell);
  return row;
};

const question = (one, value) => {
  const row = make('tr', 'asked'), cell = make('td'), answers = make('span', 'answers');
  row.dataset.key = `${one.key}?`;
  cell.colSpan = value.heads.length + 1;
  const removed = documents => () => { asking = ''; draw(); trigger('removed', { source: Number(one.key), documents }); };
  if (one.has_pages) answers.append(press('with', value.say.with.replace('{}', one.pages), removed(true)));
  answers.append(press('only', one.has_pages ? value.say.only : value.say.remove, removed(false)), press('keep', value.say.keep, () => {
    asking = '';
    draw();
  }));
  cell.append(make('span', '', value.say.ask.replace('{}', one.address)), answers);
  row.append(cell);
  return row;
};

const draw = () => {
  const value = props.value;
  if (!value || !value.rows?.length) { element.replaceChildren(); return; }
  const table = make('table'), head = make('tr'), top = make('thead'), body = make('tbody'), scroll = make('div', 'scroll');
  head.append(...value.heads.map(({ column, label }) => make('th', `col-${column}`, label)), make('th', 'col-do'));
  top.append(head);
  for (const one of value.rows) {
    body.append(line(one, value));
    if (one.key === asking) body.append(question(one, value));
  }
  table.append(top, body);
  scroll.append(table);
  element.replaceChildren(scroll);
};
watch('value', () => redrawn(draw));
draw();
