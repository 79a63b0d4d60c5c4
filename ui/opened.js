// A link that leads to something beside an answer: "#source/TURN/2", "#trace/TURN". Escape closes it again, and the
// keyboard is where it was: on the link of the chat that was followed.
let from = null;
const links = href => [...document.querySelectorAll('#chat a[href^="#"]')].filter(one => one.getAttribute('href') === href);
const follow = link => {
  const href = link.getAttribute('href'), [kind, turn, number] = href.slice(1).split('/');
  if (link.closest('#chat')) from = { href, nth: links(href).indexOf(link) };
  trigger('followed', { kind: kind === 'cited' ? 'source' : kind, turn, number: Number(number) || 0 });
};
const back = () => {
  if (from) (links(from.href)[from.nth] ?? links(from.href)[0])?.focus();
  from = null;
};
document.addEventListener('click', event => {
  if (event.target.closest?.('#close-details')) { back(); return; }
  const link = event.target.closest?.(':is(#chat, #details) a[href^="#"]');
  if (!link || !/^#(source|cited|plan|trace|evaluation)\//.test(link.getAttribute('href'))) return;  // the others: asking.js
  event.preventDefault();
  follow(link);
}, true);
document.addEventListener('keydown', event => {
  const close = document.querySelector('#close-details');
  if (event.key !== 'Escape' || event.defaultPrevented || !close?.getClientRects().length) return;
  if (event.target.closest?.('input, select, textarea:not(#box textarea), [role=listbox], [role=dialog]')) return;
  close.click();
});
