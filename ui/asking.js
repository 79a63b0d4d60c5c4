// A question that is edited, an answer that is made again or copied: links "#edit/TURN", "#again/TURN", "#copy/TURN",
// "#keep/TURN".
let menu = null, from = null;
const shut = back => {
  menu?.remove();
  menu = null;
  if (back) from?.focus();
};
const choose = (link, turn) => {
  shut(false);
  from = link;
  menu = make('div', 'again-menu');
  menu.setAttribute('role', 'menu');
  menu.setAttribute('aria-label', props.value.say.again_how);
  menu.append(make('p', '', props.value.say.again_how), ...props.value.strategies.map(([strategy, label]) => {
    const item = press('', label, () => { shut(false); trigger('again', { turn, strategy }); });
    item.setAttribute('role', 'menuitem');
    item.dataset.strategy = strategy;
    return item;
  }));
  menu.addEventListener('keydown', event => {
    const all = [...menu.querySelectorAll('button')], at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) { event.preventDefault(); all[to % all.length].focus(); }
    if (event.key === 'Escape') shut(true);
    if (event.key === 'Tab') shut(true);
  });
  document.body.append(menu);
  const { left, top, bottom } = link.getBoundingClientRect(), { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  menu.style.top = `${bottom + height + 8 < innerHeight ? bottom + 4 : Math.max(8, top - height - 4)}px`;
  menu.querySelector('button').focus();
};
// The answer as it reads, its sources below it; where the page may not write to the clipboard, by a selection.
const copy = async link => {
  const parts = [...link.closest('.prose').children].filter(one => !one.contains(link));
  const words = one => [...one.children].map(chip => chip.innerText).join('\n');
  const text = parts.map(one => (one.querySelector(':scope > a[href^="#cited/"]') ? words(one) : one.innerText)).join('\n\n');
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const held = make('textarea');
    held.value = text;
    document.body.append(held);
    held.select();
    document.execCommand('copy');
    held.remove();
    link.focus();
  }
  link.classList.add('copied');
  link.title = props.value.say.copied;
  setTimeout(() => link.classList.remove('copied'), 1500);
};
document.addEventListener('click', event => {
  const link = event.target.closest?.('#chat a:is([href^="#edit/"], [href^="#again/"], [href^="#copy/"], [href^="#keep/"])');
  if (menu && !menu.contains(event.target)) shut(false);
  if (!link) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const [kind, turn] = link.getAttribute('href').slice(1).split('/');
  if (kind === 'again') { choose(link, turn); return; }
  if (kind === 'copy') { copy(link); return; }
  if (kind === 'keep') { trigger('kept', { turn }); return; }
  trigger('edited', { turn });
  document.querySelector('#box textarea')?.focus();
}, true);
addEventListener('resize', () => shut(false));

const draw = () => {
  const value = props.value;
  if (!value?.turn) { element.replaceChildren(); return; }
  const bar = make('div', 'bar');
  bar.setAttribute('role', 'status');
  bar.append(make('span', '', value.say.editing), press('', value.say.edit_cancel, () => trigger('cancelled', {})));
  element.replaceChildren(bar);
  document.querySelector('#box textarea')?.focus();
};
document.querySelector('#box')?.addEventListener('keydown', event => {
  if (event.key === 'Escape' && props.value?.turn) trigger('cancelled', {});
});
watch('value', draw);
