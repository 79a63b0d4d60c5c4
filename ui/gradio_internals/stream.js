// Gradio's page closes its stream of events whenever it waits for nothing, and what it begins at that very moment is
// never heard of again: it believes the stream to be open still, or takes its end for a broken connection. Here it
// sees one stream that does not end; behind it stands one of the server whenever something is awaited.
(() => {
  const fetched = window.fetch.bind(window);
  const DATA = /\/queue\/data\?/, JOIN = /\/queue\/join(\?|$)/;
  const OVER = 'data: {"msg":"process_completed"', END = 'data: {"msg":"close_stream"';
  const awaited = new Set(), early = new Set();  // events; those that were over before their number was known
  let joining = 0, wake = () => {};

  const join = async asked => {
    joining += 1;
    try {
      const answer = await fetched(...asked);
      const id = answer.ok && (await answer.clone().json()).event_id;
      if (id && !early.delete(id)) awaited.add(id);
      return answer;
    } finally {
      joining -= 1;
      wake();
    }
  };

  const over = block => {
    const id = JSON.parse(block.slice(block.indexOf('{'))).event_id;
    if (!awaited.delete(id) && joining) early.add(id);
  };

  // Passes on the messages of one stream of the server; whether it has ended because nothing was awaited.
  const pass = async (body, page) => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader(), encoder = new TextEncoder();
    let rest = '', ended = false;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return ended;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop();
      for (const block of blocks) {
        if (block.startsWith(END)) ended = true;
        else page.enqueue(encoder.encode(`${block}\n\n`));
        if (block.startsWith(OVER)) over(block);
      }
    }
  };

  const something = signal => new Promise((found, failed) => {
    signal.addEventListener('abort', () => failed(signal.reason), { once: true });
    (wake = () => { if (awaited.size || signal.aborted) found(); })();
  });

  const stream = async request => {
    const first = await fetched(request.clone());
    if (!first.ok) return first;
    const body = new ReadableStream({
      async start(page) {
        try {
          for (let answer = first; await pass(answer.body, page);) {
            await something(request.signal);
            answer = await fetched(request.clone());
            if (!answer.ok) throw new Error(`the stream of events: ${answer.status}`);
          }
          page.close();
        } catch (error) {
          page.error(error);
        }
      },
    });
    return new Response(body, { status: first.status, headers: first.headers });
  };

  window.fetch = (...asked) => {
    const [request] = asked, address = request.url ?? String(request);
    if (JOIN.test(address)) return join(asked);
    return DATA.test(address) && request instanceof Request ? stream(request) : fetched(...asked);
  };
})();
