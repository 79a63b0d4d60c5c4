// Draws the table of documents. All text is set as text, never as HTML: names of files are anybody's words.
const chosen = new Set();

// For the buttons beside the table: the keys that are chosen at the moment of the click.
globalThis.chosenDocuments = () => [...chosen];

const counted = () => {
  const label = element.querySelector('.chosen-count');
  if (label) label.textContent = chosen.size ? props.value.say.chosen.replace('{}', chosen.size) : '';
  const boxes = [...element.querySelectorAll('tbody input')];
  const all = element.querySelector('thead input');
  if (all) {
    all.checked = boxes.length > 0 && boxes.every(box => box.checked);
    all.indeterminate = !all.checked && boxes.some(box => box.checked);
  }
};
const choose = (key, on) => { on ? chosen.add(key) : chosen.delete(key); };

const checkbox = (label, on, changed) => {
  const box = make('input');
  box.type = 'checkbox';
  box.checked = on;
  box.setAttribute('aria-label', label);
  box.addEventListener('change', () => { changed(box.checked); counted(); });
  return box;
};

const heading = value => {
  const row = make('tr'), first = make('th', 'col-choose');
  first.append(checkbox(value.say.all, false, on => {
    for (const one of value.rows) choose(one.key, on);
    for (const box of element.querySelectorAll('tbody input')) {
      box.checked = on;
      box.closest('tr').classList.toggle('chosen', on);
    }
  }));
  row.append(first);
  for (const { column, label } of value.heads) {
    const cell = make('th', `col-${column}`), button = press('', label, () => trigger('sorted', { column }));
    if (column === value.sorted) {
      cell.setAttribute('aria-sort', value.descending ? 'descending' : 'ascending');
      button.append(make('span', 'arrow', value.descending ? ' ↓' : ' ↑'));
    }
    cell.append(button);
    row.append(cell);
  }
  return row;
};

const line = (one, value) => {
  const row = make('tr', `is-${one.status}`), first = make('td', 'col-choose');
  row.dataset.key = one.key;
  row.classList.toggle('chosen', chosen.has(one.key));
  row.classList.toggle('opened', one.key === value.opened);
  first.append(checkbox(`${value.say.choose} ${one.name}`, chosen.has(one.key), on => {
    choose(one.key, on);
    row.classList.toggle('chosen', on);
  }));
  row.append(first);
  for (const { column, label } of value.heads) {
    const cell = make('td', `col-${column}`);
    cell.dataset.label = label;
    if (column === 'name') {
      const button = press('open', one.name, () => trigger('opened', { key: one.key }));
      button.title = `${value.say.open} ${one.name}${one.address ? `\n${one.address}` : ''}`;
      cell.append(button);
      if (one.address) cell.append(make('span', 'address', one.address));
    } else if (column === 'status') {
      cell.append(make('span', 'state', one.state));
      if (one.fraction !== null) {
        const bar = make('progress');
        bar.max = 1; bar.value = one.fraction;
        bar.setAttribute('aria-label', one.state);
        cell.append(bar);
      }
      if (one.note) { cell.append(make('span', 'note', one.note)); cell.title = one.note; }
    } else if (column === 'updated') {
      cell.append(time(one.updated));
    } else {
      cell.textContent = one[column];
    }
    row.append(cell);
  }
  return row;
};

const footing = value => {
  const foot = make('div', 'foot');
  foot.append(make('span', 'count', value.count), make('span', 'chosen-count'));
  if (value.pages > 1) {
    const pager = make('span', 'pager');
    for (const [say, page] of [['before', value.page - 1], ['next', value.page + 1]]) {
      const button = press(say, value.say[say], () => trigger('paged', { page }));
      button.disabled = page < 0 || page >= value.pages;
      pager.append(button);
      if (say === 'before') pager.append(make('span', '', `${value.page + 1} / ${value.pages}`));
    }
    foot.append(pager);
  }
  return foot;
};

const draw = () => {
  const value = props.value;
  if (!value || !value.heads) return;
  const keys = new Set(value.rows.map(one => one.key));
  for (const key of chosen) if (!keys.has(key)) chosen.delete(key);  // what is not seen is not chosen
  const scrolled = element.querySelector('.scroll')?.scrollTop ?? 0;
  const table = make('table'), head = make('thead'), body = make('tbody'), scroll = make('div', 'scroll');
  head.append(heading(value));
  body.append(...value.rows.map(one => line(one, value)));
  table.append(head, body);
  scroll.append(table);
  if (value.empty) scroll.append(make('p', 'empty', value.empty));
  element.replaceChildren(scroll, footing(value));
  scroll.scrollTop = scrolled;
  counted();
};
watch('value', () => redrawn(draw));
draw();
