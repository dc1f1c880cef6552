import type { EmailContent, EmailPart } from './email.ts'

/** An email as it is sent. */
export interface RenderedEmail {
  subject: string
  text: string
  html: string
}

const font = `font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`

/** For mail programs with a dark mode; others show the light colors. */
const darkStyle = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (prefers-color-scheme: dark) {
    .paper { background: #15120f !important; }
    .sheet { background: #1d1915 !important; border-color: #352d26 !important; }
    .ink { color: #f5efe6 !important; }
    .soft { color: #c2b8aa !important; }
    .line { border-color: #352d26 !important; }
  }`

/**
 * The layout of every email, as HTML and as plain text. It loads nothing, and every link leads to `publicUrl`, whatever the
 * content says.
 */
export function renderEmail(
  { subject, title, parts, toAnyone = false }: EmailContent,
  publicUrl: string,
): RenderedEmail {
  const host = new URL(publicUrl).host
  const why = toAnyone
    ? `You received this email because someone typed your address at ${host}.`
    : `You get this mail because of your account at ${host}.`
  return {
    subject: oneLine(subject),
    text: [oneLine(title), ...parts.map((part) => asText(part, publicUrl)), `-- \n${why}`]
      .join('\n\n')
      .concat('\n'),
    html: page(
      oneLine(subject),
      `<h1 class="ink" style="margin:0 0 16px;${font};font-size:22px;line-height:28px;font-weight:600;color:#1c1712">${escape(title)}</h1>
${parts.map((part) => asHtml(part, publicUrl)).join('\n')}`,
      escape(why),
    ),
  }
}

/** Keeps only path, query and fragment of an address, so that no email can point elsewhere. */
function onThisSite(to: string, publicUrl: string): string {
  const wanted = new URL(to, publicUrl)
  const address = new URL(publicUrl)
  address.pathname = wanted.pathname
  address.search = wanted.search
  address.hash = wanted.hash
  return address.href
}

function asText(part: EmailPart, publicUrl: string): string {
  if (typeof part === 'string') return oneLine(part)
  if ('button' in part) return `${oneLine(part.button)}:\n${onThisSite(part.to, publicUrl)}`
  if ('code' in part) return `Your code: ${oneLine(part.code)}`
  return part.facts.map(([label, value]) => `${oneLine(label)}: ${oneLine(value)}`).join('\n')
}

function asHtml(part: EmailPart, publicUrl: string): string {
  if (typeof part === 'string') {
    return `<p class="ink" style="margin:0 0 16px;${font};font-size:16px;line-height:24px;color:#1c1712">${escape(part)}</p>`
  }
  if ('button' in part) {
    return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 8px"><tr><td style="border-radius:8px;background:#f97a2b">
<a href="${escape(onThisSite(part.to, publicUrl))}" style="display:inline-block;padding:12px 20px;${font};font-size:16px;line-height:20px;font-weight:600;color:#1c1006;text-decoration:none">${escape(part.button)}</a>
</td></tr></table>`
  }
  if ('code' in part) {
    return `<p class="soft" style="margin:16px 0 4px;${font};font-size:15px;line-height:22px;color:#554c41">Your code</p>
<p class="ink" style="margin:0 0 24px;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:28px;line-height:36px;font-weight:600;letter-spacing:6px;color:#1c1712">${escape(part.code)}</p>`
  }
  const cell = `padding:8px 0;border-bottom:1px solid #e5dccd;${font};font-size:15px;line-height:22px`
  const rows = part.facts.map(
    ([
      label,
      value,
    ]) => `<tr><td class="soft line" style="${cell};color:#554c41">${escape(label)}</td>
<td class="ink line" align="right" style="${cell};color:#1c1712;word-break:break-word">${escape(value)}</td></tr>`,
  )
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px">${rows.join('\n')}</table>`
}

function page(subject: string, body: string, footer: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escape(subject)}</title>
<style>${darkStyle}
</style>
</head>
<body class="paper" style="margin:0;padding:0;background:#fbf8f2">
<table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#fbf8f2">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px">
<tr><td class="ink" style="padding:0 0 16px;${font};font-size:18px;line-height:24px;font-weight:700;color:#1c1712"><span aria-hidden="true" style="color:#f97a2b">&#9679;</span> Hoplet</td></tr>
<tr><td class="sheet" style="padding:32px 28px;background:#fffdf9;border:1px solid #e5dccd;border-radius:12px">
${body}
</td></tr>
<tr><td class="soft" style="padding:16px 4px 0;${font};font-size:13px;line-height:20px;color:#554c41">${footer}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

const breaking = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** User text can neither start a new line nor change the reading direction. */
function oneLine(text: string): string {
  return text.replaceAll(breaking, ' ').trim()
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return oneLine(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
