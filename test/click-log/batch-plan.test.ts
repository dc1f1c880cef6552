/** @module-tag extended */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planBatch } from '#server/visits/stream/batch-plan.ts'
import { contentOf, messageId, type StreamMessage } from '#server/visits/stream/stream-message.ts'

const sources = ['01940000-0000-7000-8000-00000000000a', '01940000-0000-7000-8000-00000000000b']
const whole = Buffer.from(Array.from({ length: 200 }, (_, i) => i))

const message = (seq: number, source: string, from: number, to: number): StreamMessage => {
  const content = { source, from, bytes: whole.subarray(from, to) }
  return { seq, at: 0, id: messageId(content), content }
}

it('the plan of batches takes each byte once, however a source was sent again and however messages are batched', () => {
  const pieces = fc.array(
    fc.record({
      source: fc.nat(1),
      back: fc.nat(60),
      length: fc.integer({ min: 1, max: 40 }),
      repeat: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  fc.assert(
    fc.property(
      pieces,
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (sent, sizes) => {
        const messages: StreamMessage[] = []
        const ends = [0, 0]
        for (const { source, back, length, repeat } of sent) {
          const end = ends[source] ?? 0
          const from = repeat ? Math.max(0, end - back) : end
          const to = Math.min(whole.length, from + length)
          if (to <= from) continue
          messages.push(message(messages.length + 1, sources[source] ?? '', from, to))
          ends[source] = Math.max(end, to)
        }
        const marks = new Map<string, number>()
        const taken: Buffer[] = []
        for (let at = 0, batch = 0; at < messages.length; batch++) {
          const [first, ...more] = messages.slice(at, at + (sizes[batch % sizes.length] ?? 1))
          if (!first) break
          const plan = planBatch([first, ...more], marks)
          expect(plan.missingBytes).toBe(0)
          taken.push(plan.bytes)
          for (const [source, { from, to }] of plan.moves) {
            expect(from).toBe(marks.get(source) ?? 0)
            marks.set(source, to)
          }
          at += more.length + 1
          expect(plan.to.seq).toBe(at)
        }
        const bytes = Buffer.concat(taken)
        expect(bytes.length).toBe((ends[0] ?? 0) + (ends[1] ?? 0))
        // Each value comes from each source at most once.
        for (const value of bytes)
          expect(bytes.filter((each) => each === value).length).toBeLessThan(3)
      },
    ),
  )
})

it('the plan of batches counts clicks after a gap, and says how many bytes are missing', () => {
  const [source = ''] = sources
  const plan = planBatch([message(7, source, 0, 10), message(8, source, 30, 40)], new Map())
  expect(plan).toMatchObject({ missingBytes: 20, foreign: 0, to: { seq: 8 } })
  expect(plan.bytes.length).toBe(20)
  expect(plan.moves.get(source)).toEqual({ from: 0, to: 40 })
})

it('the plan of batches skips messages of others', () => {
  const [source = ''] = sources
  const foreign = { seq: 3, at: 0, id: '', content: undefined }
  const plan = planBatch([message(2, source, 0, 5), foreign], new Map([[source, 5]]))
  expect(plan).toMatchObject({ foreign: 1, missingBytes: 0, to: { seq: 3, id: '' } })
  expect(plan.bytes.length).toBe(0)
  expect(plan.moves.size).toBe(0)
})

it('the plan of batches does not believe an id that its bytes contradict', () => {
  const [source = ''] = sources
  const id = messageId({ source, from: 5, bytes: Buffer.alloc(3) })
  expect(contentOf(id, Buffer.alloc(3))).toMatchObject({ source, from: 5 })
  for (const [wrong, bytes] of [
    [id, 4],
    [`${id}0`, 3],
    ['x', 3],
    ['', 0],
    [`${source}:-1:2`, 3],
  ] as const)
    expect(contentOf(wrong, Buffer.alloc(bytes))).toBeUndefined()
})
