// Draws the chips above the message box; each opens its choices, one at a time. All text is set as text, never as
// HTML: names of files and sets are anybody's words.
const choices = name => document.querySelector(`#${name}-choices`);
const chips = () => [...element.querySelectorAll('button')];
const show = name => {
  for (const chip of chips()) {
    const open = chip.dataset.opens === name;
    chip.setAttribute('aria-expanded', String(open));
    choices(chip.dataset.opens)?.classList.toggle('open', open);
  }
};
// What is shown counts, and not what the chip says: Gradio may have written the classes of the list anew.
const opened = () => chips().find(chip => choices(chip.dataset.opens)?.classList.contains('open'));
const made = name => {
  const chip = press('chip', '', () => show(opened() === chip ? '' : name));
  chip.dataset.opens = name;
  chip.setAttribute('aria-controls', `${name}-choices`);
  return chip;
};
// Chips that are there stay: one that is replaced between the press and the release of a button gets no click.
const draw = () => {
  const wanted = props.value?.chips ?? [];
  const there = new Map(chips().map(chip => [chip.dataset.opens, chip]));
  if (wanted.length !== there.size || wanted.some(([name]) => !there.has(name))) {
    element.replaceChildren(...wanted.map(([name]) => there.get(name) ?? made(name)));
  }
  const open = opened()?.dataset.opens;
  for (const [name, words, own] of wanted) {
    const chip = chips().find(one => one.dataset.opens === name);
    chip.className = own ? 'chip own' : 'chip';
    chip.textContent = chip.title = words;
    chip.setAttribute('aria-expanded', String(name === open));
  }
};
document.addEventListener('pointerdown', event => {  // the lists of the choices stand elsewhere in the page
  if (!event.target.closest?.('#ask-bar, [role=listbox], .toast-wrap')) show('');
}, true);
document.addEventListener('keydown', event => {
  if (event.key !== 'Escape' || event.defaultPrevented || !opened()) return;
  if (event.target.closest?.('#ask-bar') === null || event.target.getAttribute?.('aria-expanded') === 'true' && event.target.role === 'combobox') return;
  const chip = opened();
  show('');
  chip.focus();
  event.preventDefault();
});
watch('value', draw);
draw();
