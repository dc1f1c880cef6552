import { expect, it } from 'vitest'
import { write } from '#server/metrics/families.ts'
import { createCounts } from '#server/primitives/counts.ts'
import { createHistogram } from '#server/primitives/histogram.ts'
import { parse } from './scrape.ts'

it('the format writes strange label values in a way that can be read back', async () => {
  const strange = 'a"b\\c\nd,e="f"}'
  const text = await write([
    {
      name: 'x_total',
      help: 'X.',
      type: 'counter',
      aggregator: 'sum',
      values: [{ labels: { of: strange }, value: 3 }],
    },
  ])
  expect(parse(text).value('x_total', { of: strange })).toBe(3)
})

it.each([
  ['no end of line', '# HELP x X\n# TYPE x gauge\nx 1'],
  ['no help', '# TYPE x gauge\nx 1\n'],
  ['no type', '# HELP x X\nx 1\n'],
  ['a family twice', '# HELP x X\n# TYPE x gauge\nx 1\n# HELP x X\n# TYPE x gauge\nx 2\n'],
  ['a sample twice', '# HELP x X\n# TYPE x gauge\nx{a="1",b="2"} 1\nx{b="2",a="1"} 1\n'],
  ['another name', '# HELP x X\n# TYPE x gauge\ny 1\n'],
  ['a counter without _total', '# HELP x X\n# TYPE x counter\nx 1\n'],
  ['no number', '# HELP x X\n# TYPE x gauge\nx one\n'],
  ['a raw quote', '# HELP x X\n# TYPE x gauge\nx{a="b"c"} 1\n'],
  [
    'a histogram without +Inf',
    '# HELP x X\n# TYPE x histogram\nx_bucket{le="1"} 1\nx_sum 1\nx_count 1\n',
  ],
  [
    'buckets that do not add up',
    '# HELP x X\n# TYPE x histogram\nx_bucket{le="1"} 2\nx_bucket{le="+Inf"} 1\nx_sum 1\nx_count 1\n',
  ],
])('the check of the format notices %s (control)', (_, text) => {
  expect(() => parse(text)).toThrow()
})

it('the format sorts values into buckets, each bound included', () => {
  const histogram = createHistogram([1, 2.5])
  for (const value of [0, 1, 1.1, 2.5, 2.6, 1_000]) histogram.observe(value)
  expect(histogram.read()).toEqual({
    buckets: [
      { bound: 1, count: 2 },
      { bound: 2.5, count: 4 },
      { bound: Infinity, count: 6 },
    ],
    sum: 1_007.2,
    count: 6,
  })
})

it('the format counts only combinations of its words', () => {
  const counts = createCounts(['a', 'b'], ['x', 'y'])
  counts.add('b', 'x')
  counts.add('b', 'x')
  // A type error would refuse it, but hostile input is not typed.
  counts.add('c' as 'a', 'x')
  expect(counts.read()).toEqual([
    { words: ['a', 'x'], count: 0 },
    { words: ['a', 'y'], count: 0 },
    { words: ['b', 'x'], count: 2 },
    { words: ['b', 'y'], count: 0 },
  ])
})
