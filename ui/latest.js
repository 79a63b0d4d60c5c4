// Draws the latest files beside the chat. All text is set as text, never as HTML: names of files are anybody's words.
const draw = () => {
  const value = props.value;
  if (!value?.rows) { element.replaceChildren(); return; }
  if (value.empty) { element.replaceChildren(make('p', '', value.empty)); return; }
  const table = make('table'), head = make('thead'), heads = make('tr'), body = make('tbody');
  heads.append(...value.heads.map(words => {
    const cell = make('th', '', words);
    cell.scope = 'col';
    return cell;
  }));
  head.append(heads);
  body.append(...value.rows.map(cells => {
    const row = make('tr');
    row.append(...cells.map(words => make('td', '', words)));
    return row;
  }));
  table.append(head, body);
  element.replaceChildren(table);
};
watch('value', draw);
draw();
