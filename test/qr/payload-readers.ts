/** Readers of payloads as a phone has them, written from the formats and not from the code that writes them. */

/** The fields of `WIFI:`, letter by letter. */
export function readWifi(text: string): Record<string, string> {
  if (!text.startsWith('WIFI:')) throw new Error(`no Wi-Fi: ${text}`)
  const fields: Record<string, string> = {}
  let name: string | undefined
  let part = ''
  for (let i = 'WIFI:'.length; i < text.length; i++) {
    const letter = text.charAt(i)
    if (letter === '\\') part += text.charAt(++i)
    else if (letter === ':' && name === undefined) [name, part] = [part, '']
    else if (letter === ';') {
      // The last of two ends it.
      if (name === undefined) return i === text.length - 1 ? fields : { broken: text }
      fields[name] = part
      name = undefined
      part = ''
    } else part += letter
  }
  return { broken: text }
}

interface ContentLine {
  name: string
  parameters: string
  /** Parts between semicolons. */
  parts: string[]
  raw: string
}

/** Lines of vCard and iCalendar (RFC 2425). */
export function readContentLines(text: string): ContentLine[] {
  if (!text.endsWith('\r\n')) throw new Error('the last line does not end')
  for (const physical of text.split('\r\n')) {
    if (new TextEncoder().encode(physical).length > 75) throw new Error(`too long: ${physical}`)
    if (/[\r\n]/.test(physical)) throw new Error(`a line break in ${physical}`)
  }
  const lines = text.replaceAll('\r\n ', '').slice(0, -2).split('\r\n')
  return lines.map((line) => {
    const colon = line.indexOf(':')
    const [name = '', ...parameters] = line.slice(0, colon).split(';')
    const raw = line.slice(colon + 1)
    return { name, parameters: parameters.join(';'), parts: readParts(raw), raw }
  })
}

function readParts(value: string): string[] {
  const parts = ['']
  for (let i = 0; i < value.length; i++) {
    const letter = value.charAt(i)
    const last = parts.length - 1
    if (letter === ';') parts.push('')
    else if (letter === '\\') {
      const next = value.charAt(++i)
      parts[last] += next.toLowerCase() === 'n' ? '\n' : next
    } else parts[last] += letter
  }
  return parts
}

/** The parts of a property; undefined without one. */
export function partsOf(text: string, name: string, parameters = ''): string[] | undefined {
  return readContentLines(text).find((line) => line.name === name && line.parameters === parameters)
    ?.parts
}

/** An address of `mailto:` as a mail program reads it. */
export function readMail(text: string): {
  to: string
  subject: string | null
  body: string | null
} {
  const { protocol, pathname, search } = new URL(text)
  if (protocol !== 'mailto:') throw new Error(`no mail: ${text}`)
  // A plus is a plus here, unlike in a form.
  const query = new URLSearchParams(search.replaceAll('+', '%2B'))
  return {
    to: decodeURIComponent(pathname),
    subject: query.get('subject'),
    body: query.get('body'),
  }
}
