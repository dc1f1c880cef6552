import { expect, test } from 'vitest'
import { hopShape } from './hop-print.ts'

test('a code has the same print everywhere', () => {
  expect(hopShape('harbour-reads')).toEqual(hopShape('harbour-reads'))
  expect(hopShape('harbour-reads').arcs).toMatchInlineSnapshot(
    `"M3.5 34.5C5.2 11.4 16.2 11.4 18 34.5C20.7 17.3 37.8 17.3 40.5 34.5"`,
  )
})

test('codes that differ in one character have different prints', () => {
  const prints = new Set<string>()
  for (let i = 0; i < 1000; i++) prints.add(hopShape(`code-${i}`).arcs)
  expect(prints.size).toBeGreaterThan(990)
})

test.each(['a', 'harbour-reads', 'x'.repeat(50), 'дом', '', '🐸'])(
  'the print of “%s” stays in its box',
  (code) => {
    for (const [width, height] of [
      [44, 40],
      [56, 36],
      [32, 32],
    ] as const) {
      const { arcs, landings, goal } = hopShape(code, width, height)
      expect(arcs).not.toContain('NaN')
      expect([2, 3]).toContain(landings.length)
      for (const { x, y } of [...landings, goal]) {
        expect(x).toBeGreaterThanOrEqual(3)
        expect(x).toBeLessThanOrEqual(width - 3)
        expect(y).toBeLessThanOrEqual(height - 3)
      }
    }
  },
)
