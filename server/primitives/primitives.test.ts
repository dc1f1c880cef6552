import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { createBreaker } from './breaker.ts'
import { errorMessage } from './caught-error.ts'
import { constantTimeEqual } from './constant-time.ts'
import { DeadlineExceededError, withDeadline } from './deadline.ts'
import { errorCode, isUniqueViolation } from './error-code.ts'
import { startPeriodicJob } from './jobs.ts'
import { createSlices } from './slices.ts'
import { createWaitingRoom } from './waiting-room.ts'

const log = pino({ level: 'silent' })

describe('errorCode', () => {
  it('reads SQLSTATEs and system codes, and nothing else', () => {
    expect(errorCode(Object.assign(new Error('taken'), { code: '23505' }))).toBe('23505')
    expect(isUniqueViolation(Object.assign(new Error('taken'), { code: '23505' }))).toBe(true)
    expect(errorCode(Object.assign(new Error('odd'), { code: 5 }))).toBeUndefined()
    expect(errorCode({ code: '23505' })).toBeUndefined()
    expect(errorCode(undefined)).toBeUndefined()
  })
})

describe('errorMessage', () => {
  it('of a connection that tried several addresses names each error', () => {
    const refused = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}`))
    expect(errorMessage(new AggregateError(refused))).toBe(
      'connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1',
    )
  })
})

describe('withDeadline', () => {
  it('returns the result of the work and does not abort its signal', async () => {
    let signal: AbortSignal | undefined
    const result = await withDeadline(60_000, async (given) => {
      signal = given
      return 7
    })
    expect(result).toBe(7)
    expect(signal?.aborted).toBe(false)
  })

  it('ends work that ignores its signal', async () => {
    const work = withDeadline(1, () => new Promise(() => {}))
    await expect(work).rejects.toBeInstanceOf(DeadlineExceededError)
  })

  it('passes an error of the work on', async () => {
    const work = withDeadline(60_000, () => Promise.reject(new Error('refused')))
    await expect(work).rejects.toThrow('refused')
  })
})

describe('startPeriodicJob', () => {
  it('joins the run in progress, survives a failure and waits for it when closed', async () => {
    let runs = 0
    const gates: (() => void)[] = []
    const job = startPeriodicJob(log, 'test', { everyMs: 3_600_000 }, async () => {
      runs++
      await new Promise<void>((resolve) => gates.push(resolve))
      if (runs === 1) throw new Error('first run fails')
    })
    const both = [job.run(), job.run()]
    expect(runs).toBe(1)
    gates[0]?.()
    await Promise.all(both)
    void job.run()
    expect(runs).toBe(2)
    let closed = false
    const closing = job.close().then(() => (closed = true))
    await Promise.resolve()
    expect(closed).toBe(false)
    gates[1]?.()
    await closing
  })

  it('runs at its interval', async () => {
    let runs = 0
    const twice = new Promise<void>((resolve) => {
      const job = startPeriodicJob(log, 'test', { everyMs: 1 }, async () => {
        if (++runs === 2) {
          resolve()
          void job.close()
        }
      })
    })
    await twice
    expect(runs).toBe(2)
  })
})

describe('constantTimeEqual', () => {
  it('compares contents and lengths', () => {
    expect(constantTimeEqual('secret', Buffer.from('secret'))).toBe(true)
    expect(constantTimeEqual('secret', 'secreT')).toBe(false)
    expect(constantTimeEqual('secret', 'secret ')).toBe(false)
  })
})

describe('createBreaker', () => {
  it('opens after the last allowed failure, then lets one probe through per period', () => {
    let now = 0
    const breaker = createBreaker({ maxFailures: 2, retryMs: 1_000 }, () => now)
    breaker.failed()
    expect(breaker.tryAcquire()).toBe(true)
    breaker.failed()
    expect(breaker.isOpen()).toBe(true)
    expect(breaker.tryAcquire()).toBe(false)
    expect(breaker.retryAfterSeconds()).toBe(1)
    now = 1_000
    expect(breaker.retryAfterSeconds()).toBeUndefined()
    expect([breaker.tryAcquire(), breaker.tryAcquire()]).toEqual([true, false])
    breaker.succeeded()
    expect([breaker.isOpen(), breaker.tryAcquire()]).toEqual([false, true])
  })
})

describe('waiting room', () => {
  it('lets no more in than it has places, in turn, and for no longer than they wait', async () => {
    const room = createWaitingRoom(2)
    const [first, second] = [await room.enter(0), await room.enter(0)]
    expect(await room.enter(5)).toBeUndefined()
    const entered: string[] = []
    const third = room.enter(60_000).then((leave) => (entered.push('third'), leave))
    const fourth = room.enter(60_000).then((leave) => (entered.push('fourth'), leave))
    first?.()
    const leaveThird = await third
    expect(entered).toEqual(['third'])
    second?.()
    await fourth
    leaveThird?.()
    expect(await room.enter(0)).toBeDefined()
    expect(await room.enter(5)).toBeUndefined()
  })
})

describe('createSlices', () => {
  it('lets the event loop turn in a long loop', async () => {
    const pause = createSlices()
    let turns = 0
    const count = () => void (turns++, (counting = setImmediate(count)))
    let counting = setImmediate(count)
    for (let slice = 0; slice < 3; slice++) {
      const startedAt = performance.now()
      while (performance.now() - startedAt < 6);
      await pause()
    }
    clearImmediate(counting)
    expect(turns).toBeGreaterThanOrEqual(3)
  })
})
