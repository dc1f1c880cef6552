// The thread that hashes passwords (see password-hasher.ts). Plain JavaScript with one import, so that the same file
// runs from the sources, under the test runner and, bundled, from dist/server.
import { createHash } from 'node:crypto'
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { compareSync, hashSync } from 'bcryptjs'

const { cost } = workerData
/** bcrypt ignores further bytes. */
const mostBytes = 72
/** Stands before the hash of a longer password: bcrypt got its SHA-384 in base64 (64 bytes, and none of them zero). */
const longMark = 'sha384:'

const isLong = (password) => Buffer.byteLength(password) > mostBytes
const shorten = (password) => createHash('sha384').update(password).digest('base64')

function hash(password) {
  return isLong(password) ? longMark + hashSync(shorten(password), cost) : hashSync(password, cost)
}

/** Always one comparison for a wrong spelling, so that its time tells nothing. */
function verify(spellings, stored) {
  const isMarked = stored.startsWith(longMark)
  const bare = isMarked ? stored.slice(longMark.length) : stored
  return spellings.some(
    (password) =>
      compareSync(isMarked ? shorten(password) : password, bare) && isMarked === isLong(password),
  )
}

// On Linux this lowers only the calling thread; elsewhere it would slow the whole server down.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)

parentPort?.on('message', ({ spellings, hash: stored }) => {
  try {
    const value = stored === undefined ? hash(spellings[0]) : verify(spellings, stored)
    parentPort?.postMessage({ value })
  } catch (error) {
    parentPort?.postMessage({ error: String(error) })
  }
})
