import type { FastifyReply, FastifyRequest } from "fastify";

/** Whether a person looks at it in a browser. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes("text/html") === true;
}

/** A page of one sentence. Programs that look into e-mails open what is linked there: so only the button sends. */
export function sendPage(reply: FastifyReply, title: string, text: string, button: string | null): FastifyReply {
  const form = button === null ? "" : `<form method="post"><button>${escaped(button)}</button></form>`;
  return (
    reply
      .type("text/html; charset=utf-8")
      .header(
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
      )
      // With less, browsers would not say that the button is of this page.
      .header("referrer-policy", "same-origin")
      .header("cache-control", "no-store")
      .send(
        `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
          `<meta name="robots" content="noindex"><title>${escaped(title)}</title><style>${STYLE}</style>` +
          `<main><h1>${escaped(title)}</h1><p>${escaped(text)}</p>${form}</main></html>`,
      )
  );
}

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;display:grid;place-items:center;min-height:90vh;margin:0;color-scheme:light dark}" +
  "main{max-width:32rem;padding:1.5rem}h1{font-size:1.25rem}button{font:inherit;padding:.5rem 1.5rem;cursor:pointer}";

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
