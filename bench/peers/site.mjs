// A site of one page on loopback, which every server opens.
import http from 'node:http';

const page = `<!doctype html><html lang="en"><head><title>Static page</title></head><body><h1>Hello</h1><p>A static page.</p>
<button onclick="window.clicks = (window.clicks || 0) + 1">Click me</button>
<form><input aria-label="Name"><button type="submit">Send</button></form>
<ul>${Array.from({ length: 40 }, (_, i) => `<li><a href="/page/${i}">Link ${i}</a> with some text</li>`).join('')}</ul></body></html>`;

// site listens on a free port and returns the address of the page.
export function site() {
  const server = http.createServer((_, res) => res.setHeader('Content-Type', 'text/html; charset=utf-8').end(page));
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() })));
}
