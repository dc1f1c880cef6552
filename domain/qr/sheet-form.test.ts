import { expect, it } from 'vitest'
import { safeParse } from 'zod/mini'
import { plainQrLook } from './qr-look.ts'
import {
  type SheetFields,
  sheetBody,
  sheetForm,
  type SheetSource,
  tooManyLabels,
} from './sheet-form.ts'

const plain: SheetFields = {
  format: 'L7160',
  start: '1',
  copies: '1',
  dx: '0',
  dy: '0',
  caption: 'none',
  text: '',
}

function checkedOf(changes: Partial<SheetFields>, codes = 1) {
  const checked = safeParse(sheetForm(codes), { ...plain, ...changes })
  if (checked.success) return checked.data
  return Object.fromEntries(checked.error.issues.map(({ path, message }) => [path[0], message]))
}

it('a sheet begins at one of its labels', () => {
  expect(checkedOf({ start: '21' })).toMatchObject({ start: 21 })
  expect(checkedOf({ start: '22' })).toEqual({ start: 'Please enter a label from 1 to 21' })
  expect(checkedOf({ format: '5167', start: '80' })).toMatchObject({ start: 80 })
  for (const start of ['', '0', '-1', '1.5', 'x', '99999999'])
    expect(checkedOf({ start })).toHaveProperty('start', expect.stringMatching(/^Please enter/))
})

it('a sheet moves by at most 5 mm, typed with a point or a comma', () => {
  expect(checkedOf({ dx: '-1,5', dy: '\u22120.25' })).toMatchObject({ dx: -1.5, dy: -0.25 })
  expect(checkedOf({ dx: '', dy: '5' })).toMatchObject({ dx: 0, dy: 5 })
  const problem = 'Please enter -5 to 5 mm'
  expect(checkedOf({ dx: '5.1', dy: 'left' })).toEqual({ dx: problem, dy: problem })
})

it('a file has at most 1,000 labels', () => {
  expect(checkedOf({ copies: '10' }, 100)).toMatchObject({ copies: 10 })
  const problem = 'One file has at most 1,000 labels, these are 1,100'
  expect(checkedOf({ copies: '11' }, 100)).toEqual({ copies: problem })
  expect(tooManyLabels(1_100)).toBe(problem)
  expect(tooManyLabels(1_000)).toBeUndefined()
  expect(tooManyLabels(Number.NaN)).toBeUndefined()
  expect(checkedOf({ copies: '0' })).toEqual({ copies: 'Please enter 1 to 1000' })
})

it('an own caption is one line of at most 300 characters', () => {
  expect(checkedOf({ caption: 'text', text: ' Tisch 4 🎉 ' })).toMatchObject({ text: 'Tisch 4 🎉' })
  expect(checkedOf({ caption: 'text', text: '\u200B' })).toEqual({ text: 'Please enter a caption' })
  const long = '🎉'.repeat(301)
  expect(checkedOf({ caption: 'text', text: long })).toEqual({
    text: 'A caption has at most 300 characters',
  })
  expect(checkedOf({ caption: 'text', text: 'a\u0007b' })).toEqual({
    text: 'A caption is one line of text',
  })
  // Values of fields that are not shown do not matter.
  expect(checkedOf({ caption: 'code', text: long })).toMatchObject({ text: '' })
  const hidden = { format: '30x20', start: '40', dx: 'x', dy: '9' }
  expect(checkedOf(hidden)).toMatchObject({ start: 1, dx: 0, dy: 0 })
})

it('the question for a sheet names its codes, labels and caption, and has its look', () => {
  const bodyOf = (source: SheetSource, changes: Partial<SheetFields>, hasOutlines = false) => {
    const values = sheetForm(1).parse({ ...plain, ...changes })
    return sheetBody(source, plainQrLook, values, hasOutlines)
  }
  const codes: SheetSource = { kind: 'codes', codes: ['menu', 'wine-card'] }
  expect(bodyOf(codes, { start: '4', dx: '1.5', caption: 'text', text: 'Scan & see' })).toEqual({
    codes: 'menu,wine-card',
    label: 'L7160',
    start: 4,
    dx: 1.5,
    dy: 0,
    copies: 1,
    caption: 'text',
    text: 'Scan & see',
    look: plainQrLook,
  })
  const placements: SheetSource = { kind: 'placements', code: 'menu', count: 12 }
  expect(bodyOf(placements, { format: '62x40', caption: 'placement' }, true)).toEqual({
    code: 'menu',
    placements: 'all',
    label: '62x40',
    copies: 1,
    caption: 'placement',
    look: plainQrLook,
    outlines: '1',
  })
  expect(bodyOf({ kind: 'page' }, {})).toMatchObject({ page: '1' })
})
