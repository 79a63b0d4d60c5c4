// Draws the table of documents. All text is set as text, never as HTML: names of files are anybody's words.
// (Templates of gr.HTML would not do: they evaluate "${...}" in what they are filled with.)
const make = (tag, name, text) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
};
const chosen = new Set();
// 2026-11-22 05:26 in the reader's time zone: read alike everywhere, unlike 11/12/26.
const when = iso => {
  const at = new Date(iso), two = number => String(number).padStart(2, '0');
  if (!iso || Number.isNaN(at.getTime())) return '–';
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
};

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
    const cell = make('th', `col-${column}`), button = make('button', '', label);
    button.type = 'button';
    if (column === value.sorted) {
      cell.setAttribute('aria-sort', value.descending ? 'descending' : 'ascending');
      button.append(make('span', 'arrow', value.descending ? ' ↓' : ' ↑'));
    }
    button.addEventListener('click', () => trigger('sorted', { column }));
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
      const button = make('button', 'open', one.name);
      button.type = 'button';
      button.title = `${value.say.open} ${one.name}`;
      button.addEventListener('click', () => trigger('opened', { key: one.key }));
      cell.append(button);
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
      const time = make('time', '', when(one.updated));
      time.dateTime = one.updated;
      cell.append(time);
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
      const button = make('button', say, value.say[say]);
      button.type = 'button';
      button.disabled = page < 0 || page >= value.pages;
      button.addEventListener('click', () => trigger('paged', { page }));
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
  const held = element.contains(document.activeElement) ? document.activeElement : null;
  const at = held && [held.closest('tr')?.dataset.key, held.tagName, held.closest('td,th')?.className];
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
  if (at) {  // a person at the keyboard stays where they are
    const row = [...element.querySelectorAll('tr')].find(one => one.dataset.key === at[0]);
    const cell = row && [...row.children].find(one => one.className === at[2]);
    cell?.querySelector(at[1].toLowerCase())?.focus({ preventScroll: true });
  }
};
watch('value', draw);
draw();
