import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { canonicalPassword, passwordSpellings } from '#domain/forms/passwords.ts'
import { createConcurrencyLimit } from '../primitives/concurrency-limit.ts'
import { orThrow } from '../primitives/or-throw.ts'

/** More passwords wait for their hash than the queue holds: 429. */
export class HasherBusyError extends Error {
  name = 'HasherBusyError'
}

export type PasswordHasher = ReturnType<typeof createPasswordHasher>

interface HasherOptions {
  queueLimit?: number
  /** Binary logarithm of the rounds. 10 is Supabase's, so that accounts can be moved between the two. */
  cost?: number
  /** Sees each thread as it starts: tests kill it. */
  onThread?: (thread: Worker) => void
}

interface Job {
  request: { spellings: readonly string[]; hash?: string }
  resolve: (value: string | boolean) => void
  reject: (error: Error) => void
  /** How often the thread died with this job. */
  deaths: number
}

/** The hash of 32 random bytes that were not kept, compared for accounts that do not exist. */
const dummyHash = '$2b$10$0MjNt2BVX7LeEagwKov5dOQRsEtgorrtWNWGasEFO6dM3u.jQL7n2'

/**
 * Hashes passwords, in their canonical spelling, with bcrypt, those over 72 bytes as their SHA-384 (the hash is marked `sha384:`). One at a time, away
 * from the thread that answers visits and from libuv's pool.
 *
 * A flood of sign-ins must not slow redirects down: on libuv's pool 8 queued hashes kept a disk write waiting 0.6 s.
 * So one low-priority thread hashes synchronously, and at most `queueLimit` passwords wait for it.
 */
export function createPasswordHasher({ queueLimit = 50, cost = 10, onThread }: HasherOptions = {}) {
  const queue: Job[] = []
  let current: Job | undefined
  let worker: Worker | undefined
  let closed = false
  // As many as can wait, and the one with a password being hashed.
  const reserved = createConcurrencyLimit(queueLimit + 1)

  const start = (): Worker => {
    const next = new Worker(workerPath(), { workerData: { cost } })
    onThread?.(next)
    next.on('message', ({ value, error }: { value?: string | boolean; error?: string }) => {
      const job = current
      current = undefined
      if (value === undefined) job?.reject(new Error(error ?? 'hashing failed'))
      else job?.resolve(value)
      work()
    })
    let failure: Error | undefined
    next.on('error', (error) => {
      failure = error
    })
    next.on('exit', () => {
      worker = undefined
      const job = current
      current = undefined
      // After a crash a new thread gets the same password; one that crashes two threads is rejected.
      if (job && (closed || ++job.deaths > 1))
        job.reject(failure ?? new Error('the hashing thread ended'))
      else if (job) queue.unshift(job)
      work()
    })
    return next
  }

  const work = () => {
    if (current || closed) return
    current = queue.shift()
    if (!current) {
      worker?.unref()
      return
    }
    worker ??= start()
    worker.ref()
    worker.postMessage(current.request)
  }

  const run = (request: Job['request']) =>
    new Promise<string | boolean>((resolve, reject) => {
      if (closed) return reject(new Error('the password hasher is closed'))
      if (queue.length >= queueLimit) return reject(new HasherBusyError('too many passwords wait'))
      queue.push({ request, resolve, reject, deaths: 0 })
      work()
    })

  return {
    /** @throws {HasherBusyError} */
    hash: async (password: string): Promise<string> =>
      String(await run({ spellings: [canonicalPassword(password)] })),

    /**
     * Without a `hash` it takes as long and answers false, so that an unknown account takes the time of a known one.
     *
     * @param canonical if another spelling was hashed
     * @throws {HasherBusyError}
     */
    async verify(
      password: string,
      hash: string | null | undefined,
      canonical = canonicalPassword(password),
    ): Promise<boolean> {
      const spellings = passwordSpellings(password, canonical)
      const matches = await run({ spellings, hash: hash ?? dummyHash })
      return matches === true && hash != null
    },

    /**
     * Takes one of the slots for requests that will hash a password. Taken before the first database query, it keeps a
     * crowd from using up the connections.
     *
     * @returns how to release the slot, or undefined when all are taken
     */
    reserve: () => reserved.take('all'),

    /** How many passwords are being hashed or wait. */
    pending: (): number => queue.length + (current ? 1 : 0),
    async close(): Promise<void> {
      closed = true
      const ended = new Error('the password hasher was closed')
      for (const job of queue.splice(0)) job.reject(ended)
      await worker?.terminate()
    },
  }
}

/** Beside this file in the sources; beside the bundle, or above its chunks, in dist/server. */
function workerPath(): string {
  const candidates = ['./hash-worker.mjs', './hash-worker.js', '../hash-worker.js']
  const paths = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return orThrow(
    paths.find((path) => existsSync(path)),
    () => new Error(`The hashing thread's file is missing: looked at ${paths.join(', ')}`),
  )
}
