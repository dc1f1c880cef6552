/** @module-tag extended */
import { expect, it } from 'vitest'
import { createWorkerPool } from '#server/workers/worker-pool.ts'
import type { WorkerProcess } from '#server/workers/worker-process.ts'
import { recordLog } from '#test/record-log.ts'

/** Workers without a process: the test says when each gets ready and when it ends. */
function createStage(count: number, onEnd = () => {}) {
  const { log, lines } = recordLog()
  const forked: (WorkerProcess & { getReady(): void; end(): void })[] = []
  const pool = createWorkerPool({
    count,
    log,
    onEnd,
    fork(number) {
      let getReady = () => {}
      let end = () => {}
      const ready = new Promise<void>((resolve, reject) => {
        getReady = resolve
        end = () => reject(new Error('it ended'))
      })
      ready.catch(() => {})
      const ended = new Promise<string>((resolve) => {
        const fail = end
        end = () => {
          worker.hasEnded = true
          fail()
          resolve('it ended')
        }
      })
      const worker = {
        number,
        journal: `${number}`,
        ready,
        ended,
        load: 0,
        silentSeconds: undefined,
        servedMs: 0,
        isReady: false,
        hasEnded: false,
        send: ({ kind }: { kind: string }) => {
          if (kind === 'stop') end()
        },
        kill: () => end(),
        getReady: () => getReady(),
        end: () => end(),
      }
      forked.push(worker)
      return worker
    },
  })
  return { pool, forked, pauses: () => lines.flatMap((line) => line['pauseMs'] ?? []) }
}

it('the pool of workers ends the start when the first worker ends before it is ready', async () => {
  const { pool, forked } = createStage(3)
  const starting = pool.start()
  forked[0]?.end()
  await expect(starting).rejects.toThrow('it ended')
  expect(forked).toHaveLength(1)
  await pool.stop()
})

it('the pool of workers waits longer each time before it replaces a worker that dies at once', async () => {
  const { pool, forked, pauses } = createStage(1)
  const starting = pool.start()
  forked[0]?.getReady()
  await starting
  for (let deaths = 1; deaths <= 3; deaths++) {
    forked.at(-1)?.end()
    await expect.poll(() => forked.length).toBe(deaths + 1)
  }
  expect(pauses()).toEqual([100, 200, 400])
  await pool.stop()
  expect(forked).toHaveLength(4)
})

it('the pool of workers replaces a worker after an error at its end', async () => {
  const { pool, forked } = createStage(1, () => {
    throw new Error('EROFS')
  })
  const starting = pool.start()
  forked[0]?.getReady()
  await starting
  forked[0]?.end()
  await expect.poll(() => forked.length).toBe(2)
  await pool.stop()
})

it('the pool of workers keeps the former workers when a new one does not get ready', async () => {
  const { pool, forked, pauses } = createStage(2)
  const starting = pool.start()
  forked[0]?.getReady()
  await expect.poll(() => forked.length).toBe(2)
  forked[1]?.getReady()
  await starting

  const restarting = pool.restart()
  forked[2]?.end()
  await restarting
  expect([...pool.workers()]).toEqual(forked.slice(0, 2))

  // One that dies meanwhile is replaced.
  const again = pool.restart()
  forked[0]?.end()
  forked[3]?.end()
  await again
  await expect.poll(() => forked.length).toBe(5)
  expect(pauses()).toEqual([100])
  await pool.stop()
  expect(pool.workers().size).toBe(0)
})
