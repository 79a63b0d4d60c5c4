// Language and look: each a group of which one is pressed.
const group = (name, of, now, choose) => {
  const made = make('div', 'choice');
  made.setAttribute('role', 'group');
  made.setAttribute('aria-label', of.label);
  made.append(...of.options.map(([value, words]) => {
    const button = press('', words, () => choose(value));
    button.setAttribute('aria-pressed', String(value === now));
    button.dataset.value = value;
    if (name === 'language') button.lang = value === 'zh' ? 'zh-CN' : 'en';
    return button;
  }));
  return made;
};
const draw = () => {
  const now = /^zh/i.test(navigator.language) ? 'zh' : 'en', words = props.value?.[now];
  if (!words || !globalThis.citewise) return;
  element.replaceChildren(
    group('language', words.language, now, chosen => { if (chosen !== now) citewise.choose('language', chosen); }),
    group('look', words.look, citewise.chosen('look') ?? '', chosen => {
      citewise.choose('look', chosen);
      draw();
      element.querySelector(`[data-value="${chosen}"]:not([lang])`)?.focus();
    }),
  );
};
draw();
