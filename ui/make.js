// What the scripts of drawn parts share. All text is set as text, never as HTML: it is anybody's words.
const make = (tag, name, text) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
};
const press = (name, text, pressed) => {
  const button = make('button', name, text);
  button.type = 'button';
  button.addEventListener('click', pressed);
  return button;
};
// 2026-11-22 05:26 in the reader's time zone: read alike everywhere, unlike 11/12/26.
const when = iso => {
  const at = new Date(iso), two = number => String(number).padStart(2, '0');
  if (!iso || Number.isNaN(at.getTime())) return '–';
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
};
const time = iso => {
  const made = make('time', '', when(iso));
  made.dateTime = iso;
  return made;
};
// A redraw leaves a person at the keyboard where they are: of a row by its key, of its cell by its class.
const redrawn = draw => {
  const held = element.contains(document.activeElement) ? document.activeElement : null;
  const at = held && [held.closest('tr')?.dataset.key, held.closest('td,th')?.className, held.tagName, held.className];
  draw();
  if (!at) return;
  const row = [...element.querySelectorAll('tr')].find(one => one.dataset.key === at[0]);
  const cell = row && [...row.children].find(one => one.className === at[1]);
  const found = [...(cell?.querySelectorAll(at[2].toLowerCase()) ?? [])];
  (found.find(one => one.className === at[3]) ?? found[0])?.focus({ preventScroll: true });
};
