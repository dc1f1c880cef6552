// The thread that hashes passwords (see password-hasher.ts). Plain JavaScript with one import, so that the same file
// runs from the sources, under the test runner and, bundled, from dist/server.
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/bcrypt'

/** Supabase's cost, so that accounts can be moved between the two; about 50 ms on one core. */
const cost = 10
/** bcrypt ignores what lies beyond; a longer password must therefore never match. */
const mostBytes = 72

// On Linux this lowers only the calling thread; elsewhere it would slow the whole server down.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)

parentPort?.on('message', ({ password, hash }) => {
  try {
    const value =
      hash === undefined
        ? hashSync(password, { cost })
        : verifySync(password, hash) && Buffer.byteLength(password) <= mostBytes
    parentPort?.postMessage({ value })
  } catch (error) {
    parentPort?.postMessage({ error: String(error) })
  }
})
