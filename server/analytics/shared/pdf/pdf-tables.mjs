// The rest of a report: its links, tests, lists and notes, on as many pages as they need.
import { colors, page } from '../../../pdf/pdf-pen.mjs'

const left = page.margin
const right = page.width - page.margin
const room = right - left
const countAt = left + room * 0.5
const barAt = left + room * 0.6
const barWidth = room * 0.25

/** A table, with its head on each page. */
export function drawTable(pen, table) {
  const { state } = pen
  pen.need(80)
  if (table.heading !== undefined) {
    pen.write(table.heading, left, state.y + 12, { size: 13, bold: true })
    state.y += 26
  }
  if (table.caption !== undefined) {
    drawName(pen, table.caption, left, room)
    state.y += 28
  }
  drawColumns(pen, table.columns)
  for (const row of table.rows) {
    if (pen.need(28)) drawColumns(pen, table.columns)
    drawRow(pen, row)
  }
  state.y += 6
  if (table.note !== undefined) drawNotes(pen, [table.note])
  state.y += 14
}

function drawColumns(pen, [first, second, third]) {
  const { state } = pen
  const style = { size: 9, color: colors.soft }
  pen.write(first, left, state.y + 9, style)
  pen.write(second, countAt, state.y + 9, style)
  pen.write(third, right, state.y + 9, { ...style, align: 'right' })
  state.y += 15
  pen.rule(state.y)
}

function drawRow(pen, { name, print, mark, cells: [count, last], part }) {
  const { doc, state } = pen
  const indent = print === undefined ? 0 : 34
  if (print !== undefined) drawPrint(doc, print, left, state.y + 3)
  drawName(pen, name, left + indent, countAt - left - indent - 12, mark)
  pen.write(count, countAt, state.y + 17, { size: 10, bold: true })
  pen.bar(barAt, state.y + 11, barWidth, part)
  pen.write(last, right, state.y + 17, { size: 10, align: 'right' })
  state.y += 28
  pen.rule(state.y)
}

/** A title and the address below it; the address alone without a title, or with one that the font cannot draw. */
function drawName(pen, { title, address }, x, width, mark) {
  const { y } = pen.state
  const shown = pen.firstOf([title])
  if (shown === undefined || address === null) {
    const only = shown ?? address ?? ''
    pen.write(only, x, y + 17, { size: 10, room: width })
    if (mark !== undefined)
      pen.write(mark, x + pen.widthOf(only, { size: 10 }) + 8, y + 17, {
        size: 9,
        color: colors.good,
      })
    return
  }
  pen.write(shown, x, y + 12, { size: 10, room: width })
  pen.write(address, x, y + 23, { size: 8, color: colors.soft, room: width })
}

/** The picture of a short code. */
function drawPrint(doc, { arcs, landings, goal }, x, y) {
  doc.save().translate(x, y).scale(0.58)
  doc.path(arcs).lineWidth(2.2).lineCap('round').strokeColor(colors.ink).stroke()
  for (const landing of landings) doc.circle(landing.x, landing.y, 2).fill(colors.ink)
  doc.circle(goal.x, goal.y, 3).fill(colors.accent)
  doc.restore()
}

/** Two lists beside each other. */
export function drawLists(pen, lists) {
  const { state } = pen
  const width = (room - 24) / 2
  for (let index = 0; index < lists.length; index += 2) {
    const pair = lists.slice(index, index + 2)
    const lines = Math.max(
      ...pair.map(({ rows, note }) => rows.length + (note === undefined ? 0 : 1)),
    )
    pen.need(30 + lines * 18)
    const top = state.y
    for (const [column, list] of pair.entries()) {
      state.y = top
      drawList(pen, list, left + column * (width + 24), width)
    }
    state.y = top + 44 + lines * 18
  }
}

function drawList(pen, { name, rows, note }, x, width) {
  const { doc, state } = pen
  pen.write(name, x, state.y + 11, { size: 11, bold: true })
  state.y += 20
  for (const { name: value, count, part } of rows) {
    doc.rect(x, state.y, width * part, 16).fill(colors.track)
    pen.write(count, x + width - 6, state.y + 11.5, { size: 9, align: 'right' })
    const taken = pen.widthOf(count, { size: 9 }) + 18
    pen.write(value, x + 6, state.y + 11.5, { size: 9, room: width - taken })
    state.y += 18
  }
  if (note !== undefined)
    pen.write(note, x, state.y + 11, { size: 9, color: colors.soft, room: width })
}

export function drawNotes(pen, notes) {
  const style = { size: 9, color: colors.soft }
  for (const note of notes)
    for (const line of pen.linesOf(note, room, style)) {
      pen.need(14)
      pen.write(line, left, pen.state.y + 9, style)
      pen.state.y += 14
    }
}

/** The foot of each page, with its number. */
export function drawFeet(pen, foot) {
  const { start, count } = pen.doc.bufferedPageRange()
  const y = page.height - page.margin + 8
  for (let number = start; number < start + count; number++) {
    pen.doc.switchToPage(number)
    pen.write(foot, left, y, { size: 8, color: colors.soft })
    pen.write(`${number + 1} / ${count}`, right, y, { size: 8, color: colors.soft, align: 'right' })
  }
}
