// Draws how well an answer holds. All text is set as text, never as HTML: answers and reasons are anybody's words.
const figures = section => {
  const made = make('dl', 'figures');
  for (const one of section.rows) {
    const bar = make('span', 'bar'), value = make('dd', 'number', one.said), told = make('dd', 'told-more');
    bar.style.setProperty('--share', one.share);
    bar.setAttribute('aria-hidden', 'true');
    told.append(make('span', 'more', one.is));
    if (one.why) told.append(make('p', 'reason', one.why));
    made.append(make('dt', '', one.name), bar, value, told);
  }
  return [made];
};

const sentences = section => {
  const made = make('ol', 'sentences');
  made.append(...section.rows.map(one => {
    const line = make('li', one.state), mark = make('span', 'mark', one.mark), body = make('div');
    mark.setAttribute('role', 'img');
    mark.setAttribute('aria-label', one.label);
    mark.title = one.label;
    body.append(make('span', '', one.text), make('span', 'more', one.more));
    line.append(mark, body);
    return line;
  }));
  return [made];
};

const drawnIn = (parent, tag, attributes, text) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
};

// Told apart by colour, dashes and the shape of their points.
const dashes = ['', '6 3', '2 3'];
const point = (svg, n, x, y, title) => {
  const shape = n === 0 ? drawnIn(svg, 'circle', { cx: x, cy: y, r: 3.5, class: `line-${n}` })
    : n === 1 ? drawnIn(svg, 'rect', { x: x - 3, y: y - 3, width: 6, height: 6, class: `line-${n}` })
      : drawnIn(svg, 'path', { d: `M${x} ${y - 4}l4 7h-8z`, class: `line-${n}` });
  drawnIn(shape, 'title', {}, title);
};

const plot = (one, labels, axis) => {
  const made = make('figure', 'plot'), caption = make('figcaption'), svg = drawnIn(made, 'svg', {});
  const left = 30, right = 350, top = 8, bottom = 92, low = one.ticks[0], high = one.ticks.at(-1);
  const x = n => labels.length < 2 ? left : left + 8 + n * (right - left - 16) / (labels.length - 1);
  const y = value => bottom - (Math.min(high, Math.max(low, value)) - low) / (high - low) * (bottom - top);
  for (const [name, value] of Object.entries({ viewBox: '0 0 360 122', role: 'img', 'aria-label': [
    one.title, ...one.lines.map(line => `${line.name}: ${line.values.map(value => value ?? '–').join(', ')}`),
  ].join('. ') })) svg.setAttribute(name, value);
  for (const tick of one.ticks) {
    drawnIn(svg, 'line', { x1: left, x2: right, y1: y(tick), y2: y(tick), class: 'grid' });
    drawnIn(svg, 'text', { x: left - 6, y: y(tick) + 3, 'text-anchor': 'end' }, String(tick));
  }
  const every = Math.ceil(labels.length / 12);
  labels.forEach((label, n) => {
    if (n % every === 0) drawnIn(svg, 'text', { x: x(n), y: bottom + 13, 'text-anchor': 'middle' }, label);
  });
  drawnIn(svg, 'text', { x: (left + right) / 2, y: bottom + 26, 'text-anchor': 'middle', class: 'axis' }, axis);
  one.lines.forEach((line, n) => {
    let gone = true;  // a turn without a value interrupts the line
    const path = line.values.map((value, at) => {
      if (value === null) { gone = true; return ''; }
      const step = `${gone ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      gone = false;
      return step;
    }).join('');
    drawnIn(svg, 'path', { d: path, class: `stroke line-${n}`, 'stroke-dasharray': dashes[n] });
    line.values.forEach((value, at) => {
      if (value !== null) point(svg, n, x(at), y(value), `${axis} ${labels[at]}, ${line.name}: ${value}`);
    });
    const legend = make('span', 'legend'), sample = drawnIn(legend, 'svg', { viewBox: '0 0 30 10', 'aria-hidden': 'true' });
    drawnIn(sample, 'path', { d: 'M1 5L29 5', class: `stroke line-${n}`, 'stroke-dasharray': dashes[n] });
    point(sample, n, 15, 5, line.name);
    legend.append(line.name);
    caption.append(legend);
  });
  made.prepend(make('p', 'more', one.title));
  made.append(caption);
  return made;
};

const history = section => {
  const made = make('table'), head = make('thead'), body = make('tbody'), row = make('tr'), scroll = make('div', 'scroll');
  const kind = n => n ? 'number' : '';
  row.append(...section.heads.map((said, n) => {
    const cell = make('th', kind(n), said);
    cell.scope = 'col';
    return cell;
  }));
  head.append(row);
  body.append(...section.rows.map(one => {
    const line = make('tr', one.kept ? 'kept' : '');
    line.append(...one.cells.map((said, n) => make('td', kind(n), said)));
    return line;
  }));
  made.append(head, body);
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', section.title);
  scroll.append(made);
  return [...section.plots.map(one => plot(one, section.labels, section.axis)), scroll];
};

const draw = () => {
  const value = props.value;
  if (!value || !value.sections) { element.replaceChildren(); return; }
  const parts = [];
  if (value.empty) parts.push(make('p', 'empty', value.empty));
  if (value.lead) {
    const lead = make('p', value.pending ? 'lead pending' : 'lead', value.lead);
    lead.setAttribute('role', 'status');
    parts.push(lead);
  }
  for (const section of value.sections) {
    const made = make('section');
    made.append(make('h4', '', section.title), ...({ figures, sentences, history })[section.kind](section));
    parts.push(made);
  }
  element.replaceChildren(...parts);
};
watch('value', draw);
draw();
