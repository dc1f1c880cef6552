/** @module-tag extended */
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dataDirOwner, openDataDir } from '#server/data-dir.ts'
import { createLog } from '#server/log.ts'
import { makePrivatePlace, startHolder } from './database-holder.ts'

const log = createLog('silent')
let place: Awaited<ReturnType<typeof makePrivatePlace>>

beforeEach(async () => {
  place = await makePrivatePlace()
})
afterEach(() => place.remove())

test('the data directory creates the folder for its owner only', async () => {
  const dataDir = await openDataDir(place.dataDir, log)
  const { mode } = await stat(dataDir.path)
  expect(mode & 0o666).toBe(0o600)
  await dataDir.release()
})

test('the data directory fails at once where no folder can be made, and makes all that are missing elsewhere', async () => {
  // Linux only; elsewhere there is no /proc either.
  await expect(openDataDir('/proc/hoplet/data', log)).rejects.toThrow(
    'The data directory /proc/hoplet/data cannot be used',
  )
  await writeFile(join(dirname(place.dataDir), 'file'), '')
  await expect(openDataDir(join(dirname(place.dataDir), 'file'), log)).rejects.toThrow(
    'cannot be used',
  )
  const deep = await openDataDir(join(place.dataDir, 'a', 'b'), log)
  expect((await stat(deep.path)).isDirectory()).toBe(true)
  await deep.release()
})

test('the data directory refuses a second server and names the first', async () => {
  const dataDir = await openDataDir(place.dataDir, log)
  await expect(openDataDir(place.dataDir, log)).rejects.toThrow(`process ${process.pid}`)
  expect(await dataDirOwner(place.dataDir)).toBe(process.pid)
  await dataDir.release()
  expect(await dataDirOwner(place.dataDir)).toBeUndefined()
  await (await openDataDir(place.dataDir, log)).release()
})

test('the data directory locks the folder itself, under any path', async () => {
  const dataDir = await openDataDir(place.dataDir, log)
  const moved = join(dirname(place.dataDir), 'moved')
  await rename(place.dataDir, moved)
  await expect(openDataDir(moved, log)).rejects.toThrow(/Another Hoplet/)
  await dataDir.release()
})

test('the data directory lets one of ten simultaneous starts have it', async () => {
  await mkdir(place.dataDir)
  const tries = await Promise.allSettled(
    Array.from({ length: 10 }, () => openDataDir(place.dataDir, log)),
  )
  const winners = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(winners).toHaveLength(1)
  await winners[0]?.release()
})

test('the data directory refuses a second process while the first lives, and leaves no lock after a kill', async () => {
  const first = startHolder(place.dataDir)
  await first.ready
  const second = startHolder(place.dataDir)
  expect(await second.ended).toBe(1)
  expect(second.complaint()).toContain(`Another Hoplet (process ${first.pid}) is running`)
  first.child.kill('SIGKILL')
  await first.ended
  const third = startHolder(place.dataDir)
  await third.ready
  process.kill(third.pid, 'SIGINT')
  expect(await third.ended).toBe(0)
})

test('the data directory refuses a path that cannot be a folder and names it', async () => {
  await writeFile(place.dataDir, 'a file')
  await expect(openDataDir(place.dataDir, log)).rejects.toThrow(place.dataDir)
})
