// The first half page of a report: names, totals and clicks by day.
import { colors, page } from '../../../pdf/pdf-pen.mjs'

const left = page.margin
const room = page.width - 2 * page.margin

export function drawHead(pen, { owner, readOnly, title, facts }) {
  const { doc, state } = pen
  const name = pen.firstOf([owner])
  const letter = name === undefined ? '' : Array.from(name.toLocaleUpperCase())[0]
  if (name !== undefined) {
    doc.roundedRect(left, state.y, 30, 30, 7).fill(colors.tile)
    pen.write(letter, left + 15, state.y + 20, {
      size: 14,
      bold: true,
      color: '#fff',
      align: 'center',
    })
    pen.write(name, left + 40, state.y + 12, { size: 12, bold: true, room: room - 40 })
  }
  const x = name === undefined ? left : left + 40
  pen.write(readOnly, x, state.y + 26, { size: 9, color: colors.soft })
  state.y += 52
  const style = { size: 20, bold: true }
  for (const line of pen.linesOf(pen.firstOf(title) ?? '', room, style)) {
    pen.write(line, left, state.y + 14, style)
    state.y += 24
  }
  const words = facts.map((texts) => pen.firstOf(texts)).filter((text) => text !== undefined)
  for (const line of pen.linesOf(words.join(' · '), room, { size: 10 })) {
    pen.write(line, left, state.y + 8, { size: 10, color: colors.soft })
    state.y += 15
  }
  state.y += 10
}

export function drawTotals(pen, totals) {
  const { state } = pen
  const step = room / totals.length
  for (const [index, { name, value, note, isMore }] of totals.entries()) {
    const x = left + index * step
    pen.write(name, x, state.y + 10, { size: 10, color: colors.soft, room: step - 8 })
    pen.write(value, x, state.y + 34, { size: 22, bold: true, room: step - 8 })
    if (note !== undefined)
      pen.write(note, x, state.y + 49, {
        size: 9,
        color: isMore ? colors.good : colors.soft,
        room: step - 8,
      })
  }
  state.y += 70
}

const height = 120

/** Bars with both axes. */
export function drawChart(pen, { scale, bars, labels }) {
  const { doc, state } = pen
  const from = left + Math.max(...scale.map((text) => pen.widthOf(text, { size: 9 }))) + 8
  const width = page.width - page.margin - from
  for (const [index, text] of scale.entries()) {
    const y = state.y + (index * height) / 2
    pen.write(text, left, y + 3, { size: 9, color: colors.soft })
    doc
      .moveTo(from, y)
      .lineTo(from + width, y)
      .lineWidth(0.5)
      .strokeColor(colors.line)
      .stroke()
  }
  const step = width / Math.max(1, bars.length)
  for (const [index, part] of bars.entries()) {
    if (part === 0) continue
    const tall = Math.max(2, part * height)
    doc
      .rect(from + index * step + step * 0.1, state.y + height - tall, step * 0.8, tall)
      .fill(index === bars.length - 1 ? colors.accent : colors.bar)
  }
  for (const { index, anchor, text } of labels) {
    const x = anchor === 'start' ? 0 : anchor === 'end' ? width : (index + 0.5) * step
    const align = { start: 'left', middle: 'center', end: 'right' }[anchor]
    pen.write(text, from + x, state.y + height + 14, { size: 9, color: colors.soft, align })
  }
  state.y += height + 34
}
