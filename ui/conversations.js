// Draws the list of conversations: new, search, open, rename, export, delete. All text is set as text.
let asking = '', naming = '';  // names of those that are about to be deleted, or renamed
let waiting = 0;
const head = make('div', 'head'), list = make('ul', 'list');
let opened = '';  // the conversation that was opened last; what was said in another one comes late
const go = name => {
  globalThis.openedConversation = opened = name;
  return name;
};
const open = name => trigger('opened', { name: go(name) });
const current = value => opened || value.current;
const newName = () => Array.from(  // randomUUID is not there without https
  crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');
const fresh = press('new', '', () => open(newName()));
const find = make('input', 'find');
find.type = 'search';
const words = () => find.value.trim();
find.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => trigger('searched', { words: words() }), 250);
});
head.append(fresh, find);

const refocus = name => list.querySelector(`[data-name="${CSS.escape(name)}"] .open`)?.focus();
const narrow = () => { if (innerWidth < 768) document.querySelector('.sidebar.open .toggle-button')?.click(); };

const question = (one, say) => {
  const row = make('li', 'asked'), keep = press('keep', say.keep, () => { asking = ''; draw(); refocus(one.name); });
  row.addEventListener('keydown', event => { if (event.key === 'Escape') keep.click(); });
  row.append(make('span', '', say.ask_remove.replace('{}', one.title)), press('remove', say.remove, () => {
    asking = '';
    trigger('removed', { name: one.name, fresh: one.name === current(props.value) ? go(newName()) : '' });
    fresh.focus();
  }), keep);
  return row;
};

const field = (one, say) => {
  const row = make('li', 'named'), input = make('input', 'title');
  input.value = one.title;
  input.maxLength = 200;
  input.setAttribute('aria-label', say.title);
  input.title = say.title;
  const end = keep => {
    if (naming !== one.name) return;
    naming = '';
    const title = input.value.trim();
    if (keep && title !== one.title) {
      one.title = title || one.title;  // until the list comes back
      trigger('renamed', { name: one.name, title, words: words() });
    }
    draw();
    refocus(one.name);
  };
  input.addEventListener('keydown', event => {
    if (event.isComposing) return;
    if (event.key === 'Enter' || event.key === 'Escape') { event.preventDefault(); end(event.key === 'Enter'); }
  });
  input.addEventListener('blur', () => end(true));
  row.append(input);
  return row;
};

const line = (one, value) => {
  if (one.name === asking) return question(one, value.say);
  if (one.name === naming) return field(one, value.say);
  const row = make('li'), say = value.say, does = make('span', 'does');
  row.dataset.name = one.name;
  const title = press('open', one.title, () => {
    narrow();
    open(one.name);
  });
  title.title = `${one.title} · ${when(one.updated)}`;
  if (one.name === current(value)) title.setAttribute('aria-current', 'true');
  title.addEventListener('keydown', event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); const all = [...list.querySelectorAll('.open')]; all[all.indexOf(title) + step]?.focus(); }
    if (event.key === 'F2') start('naming');
    if (event.key === 'Delete') start('asking');
  });
  const start = what => {
    if (what === 'naming') naming = one.name; else asking = one.name;
    draw();
    const into = list.querySelector(what === 'naming' ? 'input.title' : '.asked .keep');
    into?.focus();
    into?.select?.();
  };
  const named = (made, words) => { made.setAttribute('aria-label', `${words}: ${one.title}`); made.title = words; return made; };
  const save = make('a', 'export', '⤓');
  save.href = `conversations/${encodeURIComponent(one.name)}.md`;
  save.download = '';
  does.append(
    named(press('rename', '✎', () => start('naming')), say.rename), named(save, say.export),
    named(press('remove', '✕', () => start('asking')), say.remove),
  );
  row.append(title, does);
  return row;
};

const draw = () => {
  const value = props.value;
  if (!value || !value.rows) return;
  if (!head.isConnected) element.replaceChildren(head, list);
  fresh.textContent = `＋ ${value.say.new}`;
  find.placeholder = value.say.find;
  find.setAttribute('aria-label', value.say.find);
  list.setAttribute('aria-label', value.say.list);
  find.hidden = !value.rows.length && !value.find && !words();
  const held = document.activeElement?.closest('#conversations li')?.dataset.name, at = list.scrollTop;
  list.replaceChildren(...value.rows.map(one => line(one, value)));
  if (!value.rows.length) list.append(make('li', 'none', value.find ? value.say.none_found : value.say.none));
  if (value.left) list.append(make('li', 'none', value.say.more.replace('{}', value.left)));
  list.scrollTop = at;
  if (held) refocus(held);
};
watch('value', () => {
  if (naming) return;  // the field that is being typed into stays; what it changes brings the list anew
  draw();
  if (words() !== (props.value?.find ?? '')) trigger('searched', { words: words() });  // what is found stays shown
});
draw();
