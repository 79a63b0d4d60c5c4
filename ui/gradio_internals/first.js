// Before anything of the page runs: whose it is, and language and look as chosen, remembered in two cookies.
(() => {
  // Drafts and the conversation last looked at are of one user, also where a session ended without a logout.
  const user = document.querySelector('meta[name=citewise-user]')?.content;
  if (user && localStorage.getItem('citewise-user') !== user) {
    localStorage.clear();
    localStorage.setItem('citewise-user', user);
  }
  const chosen = name => (document.cookie.match(`(?:^|; )citewise-${name}=(\\w+)`) ?? [])[1];
  const language = { zh: 'zh-CN', en: 'en' }[chosen('language')];
  if (language) {
    Object.defineProperty(navigator, 'language', { get: () => language });
    Object.defineProperty(navigator, 'languages', { get: () => [language] });
  }
  document.documentElement.lang = /^zh/i.test(navigator.language) ? 'zh-CN' : 'en';
  // Gradio follows the system's look: here it is told the chosen one.
  const DARK = '(prefers-color-scheme: dark)', ask = window.matchMedia.bind(window), system = ask(DARK);
  const told = Object.assign(new EventTarget(), { media: DARK });
  const dark = () => ({ dark: true, light: false })[chosen('look')] ?? system.matches;
  const look = () => { document.documentElement.style.colorScheme = dark() ? 'dark' : 'light'; };
  Object.defineProperty(told, 'matches', { get: dark });
  window.matchMedia = query => query === DARK ? told : ask(query);
  const changed = () => { look(); told.dispatchEvent(new Event('change')); };
  system.addEventListener('change', changed);
  globalThis.citewise = {
    chosen,
    choose(name, value) {
      document.cookie = `citewise-${name}=${value}; path=/; SameSite=Strict; max-age=${value ? 31536000 : 0}`;
      if (name === 'language') location.reload(); else changed();
    },
  };
  look();
  // The clock of Gradio's progress is drawn anew on every frame, and the one of the page's own loading never stops:
  // a page that is left open would draw for ever. Here it ticks once a second.
  const CLOCK = /^\(\)=>\{[\w$]+\([\w$]+,\(performance\.now\(\)-[\w$]+\([\w$]+\)\)\/1e3\)/;
  const onFrame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = step => CLOCK.test(step) ? setTimeout(step, 1000) : onFrame(step);
  // At each step of each event Gradio copies the whole conversation, every word of it on its own, and tries its functions:
  // a word is its own copy, and that a function has none costs least where the error is there already.
  const cloned = window.structuredClone.bind(window), NONE = new DOMException('no copy', 'DataCloneError');
  const SAME = { string: true, number: true, boolean: true, undefined: true };
  window.structuredClone = (value, how) => {
    if (value === null || SAME[typeof value]) return value;
    if (typeof value === 'function') throw NONE;
    return cloned(value, how);
  };
  // At each step of each event Gradio tells every part that has ever shown progress how things stand, though most of them
  // have heard it: each is looked for in the whole page, and copied. It asks here first: see `mended_scripts.py`.
  const heard = new WeakMap();  // by what tells a part: what it was told last
  const same = (one, other) => [one, other].every(
    part => Object.keys(part).every(key => (one[key] ?? null) === (other[key] ?? null)));
  globalThis.citewise.hasHeard = (part, { loading_status: now, ...more }) => {
    if (!part || !now || Object.keys(more).length) return false;
    const before = heard.get(part);
    heard.set(part, { ...now });
    return before !== undefined && same(before, now);
  };
  // Who is not logged in any more is led to the login; what was typed is still there afterwards.
  const fetched = window.fetch.bind(window);
  window.fetch = async (...asked) => {
    const answer = await fetched(...asked);
    if (answer.status === 401) location.reload();
    return answer;
  };
})();
