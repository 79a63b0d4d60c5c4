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
const draw = () => {
  const held = element.contains(document.activeElement) && document.activeElement.dataset.opens;
  const open = opened()?.dataset.opens;
  element.replaceChildren(...(props.value?.chips ?? []).map(([name, words, own]) => {
    const chip = press(own ? 'chip own' : 'chip', words, () => show(opened() === chip ? '' : name));
    chip.dataset.opens = name;
    chip.title = words;
    chip.setAttribute('aria-controls', `${name}-choices`);
    chip.setAttribute('aria-expanded', String(name === open));
    return chip;
  }));
  if (held) chips().find(chip => chip.dataset.opens === held)?.focus({ preventScroll: true });
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
