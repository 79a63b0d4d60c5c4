// Draws the glossary: a row to add a pair, and a row for each; those of documents can only be read.
let editing = '';  // key of the pair that is being changed
const keyOf = one => JSON.stringify([one.chinese, one.english]);

const form = (row, say, was, done) => {
  const [chinese, english] = ['chinese', 'english'].map(name => {
    const cell = make('td', `col-${name}`), box = make('input', name);
    box.value = was?.[name] ?? '';
    box.maxLength = 200;
    box.setAttribute('aria-label', say[name]);
    box.placeholder = say[name];
    box.addEventListener('keydown', event => { if (event.key === 'Enter' && !event.isComposing) save(); });
    cell.append(box);
    row.append(cell);
    return box;
  });
  const save = () => {
    if (!chinese.value.trim() || !english.value.trim()) return;
    done();
    trigger('pair_put', {
      chinese: chinese.value, english: english.value, was_chinese: was?.chinese ?? '', was_english: was?.english ?? '',
    });
  };
  return save;
};

const adding = say => {
  const row = make('tr', 'adding'), cell = make('td', 'col-do');
  row.dataset.key = '+';
  const save = form(row, say, null, () => {});
  cell.append(press('add', say.add, save));
  row.append(make('td', 'col-document'), cell);
  return row;
};

const line = (one, say) => {
  const row = make('tr'), cell = make('td', 'col-do'), key = keyOf(one);
  row.dataset.key = key + one.document;
  if (editing === key && !one.document) {
    const save = form(row, say, one, () => { editing = ''; });
    cell.append(press('save', say.save, save), press('keep', say.keep, () => { editing = ''; draw(); }));
  } else {
    row.append(make('td', 'col-chinese', one.chinese), make('td', 'col-english', one.english));
    const button = (name, pressed) => {
      const made = press(name, say[name], pressed);
      made.setAttribute('aria-label', `${say[name]} ${one.chinese} ${one.english}`);
      return made;
    };
    if (!one.document) {
      cell.append(
        button('edit', () => { editing = key; draw(); element.querySelector('tr:not(.adding) input')?.focus(); }),
        button('remove', () => trigger('pair_removed', { chinese: one.chinese, english: one.english })),
      );
    }
  }
  row.append(make('td', 'col-document', one.document), cell);
  return row;
};

const draw = () => {
  const value = props.value;
  if (!value?.say) { element.replaceChildren(); return; }
  const { say } = value, table = make('table'), head = make('tr'), body = make('tbody'), scroll = make('div', 'scroll');
  head.append(...['chinese', 'english', 'document'].map(name => make('th', `col-${name}`, say[name])), make('th', 'col-do'));
  table.createTHead().append(head);
  body.append(adding(say), ...value.rows.map(one => line(one, say)));
  table.append(body);
  scroll.append(table);
  element.replaceChildren(make('p', 'about', say.about), scroll);
  if (value.more) element.append(make('p', 'about', value.more));
};
watch('value', () => redrawn(draw));
draw();
