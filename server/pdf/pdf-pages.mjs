// Pages of QR codes and their words: labels, a code, a tag (pdf-pages.ts describes them).

/** The first text that the fonts cannot draw. */
export function textWithoutLetters(pen, { pages }) {
  return pages
    .flatMap(({ items }) => items.flatMap(textsOf))
    .find((text) => text !== '' && !pen.hasLetters(text))
}

function textsOf(item) {
  if (item.kind === 'code') return item.drawing.texts.map(({ text }) => text)
  return item.kind === 'shape' || item.isOptional ? [] : [item.text]
}

export function drawPages(pen, { pages }) {
  const codes = new Map()
  const draw = {
    words: drawWords,
    caption: drawCaption,
    shape: drawShape,
    code: (_pen, item) => placeCode(pen, codes, item),
  }
  for (const { width, height, items } of pages) {
    pen.doc.addPage({ size: [width, height], margin: 0 })
    for (const item of items) draw[item.kind](pen, item)
  }
}

function drawWords(pen, { text, x, y, size, room, shrinks, isOptional, ...style }) {
  if (isOptional && !pen.hasLetters(text)) return
  const width = shrinks ? pen.widthOf(text, { ...style, size }) : 0
  if (width > room) pen.write(text, x, y, { ...style, size: (size * room) / width })
  else pen.write(text, x, y, { ...style, size, room })
}

const captionSizes = [14, 12, 11, 10, 9, 8, 7, 6, 5]
const lineHeight = 1.2
const maxLines = 3

function drawCaption(pen, { text, x, y, width, height, align, largest }) {
  const styleOf = (size) => ({ size, bold: true, color: '#000000' })
  const linesAt = (size) =>
    Math.max(1, Math.min(maxLines, Math.floor(height / (size * lineHeight))))
  const fits = (size) => pen.linesOf(text, width, styleOf(size)).length <= linesAt(size)
  const size =
    captionSizes.find((each) => each <= largest && each * lineHeight <= height && fits(each)) ?? 5
  const style = styleOf(size)
  const whole = pen.linesOf(text, width, style)
  const count = linesAt(size)
  const lines = whole.slice(0, count)
  if (whole.length > count)
    lines[count - 1] = `${lines[count - 1]}${' '}${whole.slice(count).join(' ')}`
  const first = align === 'left' ? y + (height - lines.length * size * lineHeight) / 2 : y
  for (const [index, line] of lines.entries())
    pen.write(
      line,
      align === 'left' ? x : x + width / 2,
      first + size * (0.95 + index * lineHeight),
      {
        ...style,
        align,
        room: width,
      },
    )
}

function drawShape({ doc }, { d, x, y, scale, fill, stroke, strokeWidth, dash, isRound }) {
  doc.save().translate(x, y).scale(scale).path(d)
  if (stroke !== undefined) {
    doc.lineWidth(strokeWidth).strokeColor(stroke)
    if (dash !== undefined) doc.dash(dash[0], { space: dash[1] })
    if (isRound) doc.lineCap('round').lineJoin('round')
  }
  if (fill !== undefined && stroke !== undefined) doc.fillAndStroke(fill, stroke)
  else if (fill !== undefined) doc.fill(fill, 'even-odd')
  else doc.stroke()
  doc.restore()
}

/** Draws a code into a form (ISO 32000-1, 8.10) at its first place, and shows the form at each. */
function placeCode(pen, codes, { drawing, x, y, scale }) {
  const { doc } = pen
  if (!codes.has(drawing)) codes.set(drawing, `Code${codes.size}`)
  const name = codes.get(drawing)
  if (typeof name === 'string') codes.set(drawing, { name, form: drawForm(pen, drawing) })
  const known = codes.get(drawing)
  doc.page.xobjects[known.name] = known.form
  doc.save().translate(x, y).scale(scale)
  doc.addContent(`/${known.name} Do`)
  doc.restore()
}

function drawForm(pen, drawing) {
  const { doc } = pen
  const { page } = doc
  const form = doc.ref({
    Type: 'XObject',
    Subtype: 'Form',
    BBox: [0, 0, drawing.width, drawing.height],
    Resources: page.resources,
  })
  const { content } = page
  page.content = form
  doc.save()
  doc.rect(0, 0, drawing.width, drawing.height).fill(drawing.background)
  for (const { d, fill } of drawing.shapes) doc.path(d).fill(fill, 'even-odd')
  if (drawing.logo !== undefined) {
    const { href, x, y, size } = drawing.logo
    doc.image(href, x, y, { width: size, height: size })
  }
  for (const { text, x, y, size, fill } of drawing.texts)
    drawWords(pen, {
      text,
      x,
      y,
      size,
      color: fill,
      align: 'center',
      bold: true,
      room: drawing.width * 0.94,
      shrinks: true,
    })
  doc.restore()
  page.content = content
  form.end()
  return form
}
