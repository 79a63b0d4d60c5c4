// Draws chunks with their line numbers. All text is set as text, never as HTML.
const draw = () => {
  const value = props.value;
  if (!value || !value.pieces) { element.replaceChildren(); return; }
  element.replaceChildren(...value.pieces.map(one => {
    const piece = make('article', 'piece'), head = make('header'), lines = make('ol', 'lines');
    head.append(make('b', '', one.number), make('span', 'place', one.place));
    if (one.headings) head.append(make('span', 'path', one.headings));
    head.append(make('span', 'sizes', one.sizes));
    if (one.cut) head.append(make('span', 'cut', one.cut));
    lines.start = one.first;
    lines.style.setProperty('--digits', String(one.first + one.lines.length).length);
    let repeated = one.repeated;  // characters of the chunk before
    lines.append(...one.lines.map((words, n) => {
      const line = make('li');
      line.value = one.first + n;
      const letters = repeated > 0 ? [...words] : [];  // as Python counts them
      if (repeated > 0) line.append(make('span', 'repeated', letters.slice(0, repeated).join('')));
      line.append(repeated > 0 ? letters.slice(repeated).join('') : words);
      repeated -= letters.length + 1;
      return line;
    }));
    if (one.cut) piece.classList.add('is-cut');
    piece.append(head, lines);
    return piece;
  }));
  if (value.more) element.append(make('p', 'more', value.more));
};
watch('value', draw);
draw();
