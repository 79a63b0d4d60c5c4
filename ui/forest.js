// Draws names of the library and the tree of a document; a click asks about a name. All text is set as text.
const ask = (name, words, about) => {
  const button = press(name, words, () => {
    document.querySelector('#chat-view-button')?.click();
    trigger('asked', { name: about });
  });
  button.title = props.value.say.ask.replace('{}', about);
  if (words !== about) button.setAttribute('aria-label', button.title);
  return button;
};
const node = one => {
  const item = make('li', one.heading ? 'heading' : '');
  if (!one.children.length) { item.append(ask('name', one.name, one.name)); return item; }
  const branch = make('details'), line = make('summary');
  branch.open = one.open;
  line.append(make('span', '', one.name), ask('about', props.value.say.short, one.name));
  branch.append(line, tree(one.children));
  item.append(branch);
  return item;
};
const tree = nodes => {
  const list = make('ul');
  list.append(...nodes.map(node));
  return list;
};
const draw = () => {
  const value = props.value;
  if (!value || !value.say) { element.replaceChildren(); return; }
  const made = [];
  if (value.names?.length) {
    const list = make('ul', 'connected');
    list.append(...value.names.map(one => {
      const item = make('li');
      item.append(ask('name', one.name, one.name), make('span', 'count', one.count));
      return item;
    }));
    made.push(list);
  }
  if (value.tree?.length) {
    const whole = tree(value.tree);
    whole.classList.add('whole');
    made.push(whole);
  }
  if (value.note) made.push(make('p', 'hint', value.note));
  element.replaceChildren(...made);
};
watch('value', draw);
draw();
