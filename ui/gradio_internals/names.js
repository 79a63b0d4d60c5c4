// Gradio's own parts have their names in English only, or none: here they get theirs.
const zh = /^zh/i.test(navigator.language), { zh: names, message } = props.value;
const named = (one, words) => { if (one && one.getAttribute('aria-label') !== words) one.setAttribute('aria-label', words); };
const look = () => {
  waiting = 0;
  named(document.querySelector('#box textarea'), zh ? message.zh : message.en);
  for (const arrow of document.querySelectorAll('#chat .thought-group .arrow button:not([aria-hidden])')) {  // of a heading that is pressed
    arrow.tabIndex = -1;
    arrow.setAttribute('aria-hidden', 'true');
  }
  if (!zh) return;
  for (const name of ['aria-label', 'title'])
    for (const one of document.querySelectorAll(`:is(button, [role])[${name}]`)) {
      const words = names[one.getAttribute(name)];
      if (words) one.setAttribute(name, words);
    }
  for (const { firstChild: said } of document.querySelectorAll('.toast-title-row > span, [data-testid=toast-text]')) {
    const words = names[said?.data?.trim()];
    if (words) said.data = words;
  }
};
let waiting = 0;
const later = () => { waiting ||= setTimeout(look, 300); };
new MutationObserver(later).observe(document.body, { childList: true, subtree: true });
document.addEventListener('click', later);  // "copied"
look();
