import { defaultLanguage, type TextLanguage, textLanguages } from '#domain/texts/languages.ts'
import { mailTexts } from '#domain/texts/mail-texts.ts'
import type { MailTexts } from '#domain/texts/catalogs.generated.ts'
import { escapeMarkup } from '../primitives/escape-markup.ts'
import page from './layout.html?raw'

/** A paragraph, a small table, digits to type, or a button. An empty paragraph or value is left out. */
type EmailPart =
  | string
  | { facts: readonly (readonly [label: string, value: string])[] }
  | { code: string }
  /** Always leads to this server: of an address only the path is used. */
  | { button: string; to: string }

/** The content of an email, before it becomes HTML and plain text. Every string may hold any characters. */
export interface EmailContent {
  subject: string
  title: string
  parts: readonly EmailPart[]
  /** For emails to addresses without an account, which may have been typed by mistake. */
  toAnyone?: boolean
}

const font = `font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`

/**
 * The layout of every email, as HTML and as plain text. It loads nothing, and every link leads to `publicUrl`, independent of the
 * content says.
 */
export function renderEmail(
  { subject, title, parts, toAnyone = false }: EmailContent,
  publicUrl: string,
  language: TextLanguage = defaultLanguage,
) {
  const { layout } = mailTexts(language)
  const { host } = new URL(publicUrl)
  const why = toAnyone ? layout.typedAddress({ host }) : layout.hasAccount({ host })
  const shown = parts.filter((part) => part !== '').map((part) => render(part, publicUrl, layout))
  const pieces: Record<string, string> = {
    font,
    language: languageAttributes(language),
    subject: escape(subject),
    title: escape(title),
    parts: shown.map((part) => part.html).join('\n'),
    why: escape(why),
  }
  return {
    subject: oneLine(subject),
    text: [oneLine(title), ...shown.map((part) => part.text), `-- \n${why}`]
      .join('\n\n')
      .concat('\n'),
    html: page.replaceAll(/\{(\w+)\}/g, (gap, name: string) => pieces[name] ?? gap),
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

function languageAttributes(language: TextLanguage): string {
  return textLanguages[language].direction === 'rtl'
    ? `lang="${language}" dir="rtl"`
    : `lang="${language}"`
}

/** A part as a line or lines of plain text, and as HTML. */
function render(
  part: EmailPart,
  publicUrl: string,
  texts: MailTexts['layout'],
): { text: string; html: string } {
  if (typeof part === 'string')
    return {
      text: oneLine(part),
      html: `<p class="ink" style="margin:0 0 16px;${font};font-size:16px;line-height:24px;color:#1c1712">${escape(part)}</p>`,
    }
  if ('button' in part) {
    const to = onThisSite(part.to, publicUrl)
    return {
      text: `${texts.buttonLine({ label: oneLine(part.button) })}\n${to}`,
      html: `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 8px"><tr><td style="border-radius:8px;background:#f97a2b">
<a href="${escape(to)}" style="display:inline-block;padding:12px 20px;${font};font-size:16px;line-height:20px;font-weight:600;color:#1c1006;text-decoration:none">${escape(part.button)}</a>
</td></tr></table>`,
    }
  }
  if ('code' in part)
    return {
      text: texts.codeLine({ code: oneLine(part.code) }),
      html: `<p class="soft" style="margin:16px 0 4px;${font};font-size:15px;line-height:22px;color:#554c41">${escape(texts.code())}</p>
<p class="ink" style="margin:0 0 24px;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:28px;line-height:36px;font-weight:600;letter-spacing:6px;color:#1c1712">${escape(part.code)}</p>`,
    }
  const facts = part.facts.filter(([, value]) => value !== '')
  const cell = `padding:8px 0;border-bottom:1px solid #e5dccd;${font};font-size:15px;line-height:22px`
  const rows = facts.map(
    ([label, value]) =>
      `<tr><td class="soft line" style="${cell};color:#554c41">${escape(label)}</td>
<td class="ink line" align="right" style="${cell};color:#1c1712;word-break:break-word">${escape(value)}</td></tr>`,
  )
  return {
    text: facts
      .map(([label, value]) => texts.fact({ label: oneLine(label), value: oneLine(value) }))
      .join('\n'),
    html: `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px">${rows.join('\n')}</table>`,
  }
}

const breaking = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** User text can neither start a new line nor change the reading direction. */
function oneLine(text: string): string {
  return text.replaceAll(breaking, ' ').trim()
}

const escape = (text: string) => escapeMarkup(oneLine(text))
