// A link of the chat that leads to something beside an answer: "#source/TURN/2", "#trace/TURN".
const follow = link => {
  const [kind, turn, number] = link.getAttribute('href').slice(1).split('/');
  trigger('followed', { kind, turn, number: Number(number) || 0 });
};
document.addEventListener('click', event => {
  const link = event.target.closest?.('#chat a[href^="#"]');
  if (!link || !link.getAttribute('href').includes('/')) return;
  event.preventDefault();
  follow(link);
}, true);
