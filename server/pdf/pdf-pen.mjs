// Letters and shapes of a PDF: Geist, in files of one script each.
import PDFDocument from 'pdfkit'

export const colors = {
  ink: '#1c1815',
  soft: '#665d54',
  line: '#ddd5ca',
  track: '#f1eae0',
  bar: '#3b332c',
  accent: '#f97a2c',
  tile: '#a8430a',
  good: '#2c6e3f',
}
export const page = { width: 595.28, height: 841.89, margin: 48 }
/** The lowest point of the content; the foot is below. */
const bottom = page.height - page.margin - 18

/**
 * A document, and a way to write and draw in it.
 *
 * @param fonts {{ regular: Uint8Array[], bold: Uint8Array[] }} the files of each weight; the first one that has a letter draws it
 * @param info {Record<string, unknown>} of the document
 * @param kind {{ isReport: boolean }} the pages of a report stay open for their feet; other documents have no page yet
 */
export function createPen(fonts, info, { isReport }) {
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    // The default is one that it would have to load.
    font: null,
    bufferPages: isReport,
    autoFirstPage: isReport,
    lang: 'en',
    displayTitle: true,
    info,
  })
  const letters = createLetters(doc, fonts)
  const words = createWords(doc, letters)
  const { hasLetters } = letters
  const state = { y: page.margin }
  return {
    doc,
    state,
    hasLetters,
    /** The first text that the fonts can draw; undefined when they can draw none. */
    firstOf: (texts) => texts.find((text) => text !== null && text !== '' && hasLetters(text)),
    widthOf: letters.widthOf,
    ...words,
    /** Begins a page unless `height` is left on this one. @returns whether it did */
    need(height) {
      if (state.y + height <= bottom) return false
      doc.addPage({ size: 'A4', margin: 0 })
      state.y = page.margin
      return true
    },
    rule(y) {
      doc
        .moveTo(page.margin, y)
        .lineTo(page.width - page.margin, y)
        .lineWidth(0.6)
        .strokeColor(colors.line)
        .stroke()
    },
    bar(x, y, width, part) {
      doc.roundedRect(x, y, width, 5, 2.5).fill(colors.track)
      if (part > 0) doc.roundedRect(x, y, Math.max(3, width * part), 5, 2.5).fill(colors.bar)
    },
  }
}

/** The fonts of letters, and the room that these take. */
function createLetters(doc, fonts) {
  const names = {}
  for (const [weight, files] of Object.entries(fonts))
    names[weight] = files.map((bytes, index) => {
      const name = `${weight}-${index}`
      doc.registerFont(name, Buffer.from(bytes))
      return name
    })
  const letters = new Map()

  /** The font of a letter; undefined when none has it. */
  function fontOf(letter, weight) {
    const key = weight + letter
    if (!letters.has(key)) {
      const code = letter.codePointAt(0)
      letters.set(
        key,
        names[weight].find((name) => doc.font(name)._font.font.hasGlyphForCodePoint(code)),
      )
    }
    return letters.get(key)
  }

  const hasLetters = (text) =>
    Array.from(plain(text)).every((letter) => fontOf(letter, 'regular') !== undefined)

  /** Parts of a text with one font each. */
  function runsOf(text, weight) {
    const runs = []
    for (const letter of Array.from(plain(text))) {
      const known = fontOf(letter, weight)
      const font = known ?? names[weight][0]
      const drawn = known === undefined ? '?' : letter
      const last = runs.at(-1)
      if (last?.font === font) last.text += drawn
      else runs.push({ font, text: drawn })
    }
    return runs
  }

  function widthOf(text, { size, bold = false }) {
    return runsOf(text, bold ? 'bold' : 'regular').reduce(
      (sum, run) => sum + doc.font(run.font).fontSize(size).widthOfString(run.text),
      0,
    )
  }

  return { hasLetters, runsOf, widthOf }
}

/** Lines of text. */
function createWords(doc, { runsOf, widthOf }) {
  /** A line, cut to `room`; `y` is that of its letters' feet. */
  function write(
    text,
    x,
    y,
    { size, bold = false, color = colors.ink, room = Infinity, align = 'left' },
  ) {
    const shown = cut(text, room, { size, bold })
    const width = align === 'left' ? 0 : widthOf(shown, { size, bold })
    let at = align === 'right' ? x - width : align === 'center' ? x - width / 2 : x
    for (const run of runsOf(shown, bold ? 'bold' : 'regular')) {
      doc.font(run.font).fontSize(size).fillColor(color)
      doc.text(run.text, at, y, { lineBreak: false, baseline: 'alphabetic' })
      at += doc.widthOfString(run.text)
    }
  }

  function cut(text, room, style) {
    if (room === Infinity || widthOf(text, style) <= room) return text
    const whole = Array.from(text)
    let [fits, over] = [0, whole.length]
    while (over - fits > 1) {
      const middle = Math.floor((fits + over) / 2)
      if (widthOf(`${whole.slice(0, middle).join('')}…`, style) <= room) fits = middle
      else over = middle
    }
    return `${whole.slice(0, fits).join('').trimEnd()}…`
  }

  /** Lines of at most `room`, broken at spaces, and in words that are longer. */
  function linesOf(text, room, style) {
    const lines = []
    let line = ''
    for (const word of text.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`
      if (widthOf(longer, style) <= room) {
        line = longer
        continue
      }
      if (line !== '') lines.push(line)
      line = ''
      for (const letter of Array.from(word)) {
        if (line !== '' && widthOf(line + letter, style) > room) {
          lines.push(line)
          line = ''
        }
        line += letter
      }
    }
    return line === '' ? lines : [...lines, line]
  }

  return { write, linesOf }
}

/** Each space is the same one, and letters with marks are one character where there is one. */
function plain(text) {
  return text.normalize('NFC').replaceAll(/[\p{Zs}\p{Cc}]/gu, ' ')
}
