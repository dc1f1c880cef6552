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

test('it is made for its owner only', async () => {
  const dataDir = await openDataDir(place.dataDir, log)
  const { mode } = await stat(dataDir.path)
  expect(mode & 0o666).toBe(0o600)
  await dataDir.release()
})

test('a second server is refused, by name of the first', async () => {
  const dataDir = await openDataDir(place.dataDir, log)
  await expect(openDataDir(place.dataDir, log)).rejects.toThrow(`process ${process.pid}`)
  expect(await dataDirOwner(place.dataDir)).toBe(process.pid)
  await dataDir.release()
  expect(await dataDirOwner(place.dataDir)).toBeUndefined()
  await (await openDataDir(place.dataDir, log)).release()
})

test('the folder is what is locked, whatever it is called', async () => {
  const dataDir = await openDataDir(place.dataDir, log)
  const moved = join(dirname(place.dataDir), 'moved')
  await rename(place.dataDir, moved)
  await expect(openDataDir(moved, log)).rejects.toThrow(/Another Hoplet/)
  await dataDir.release()
})

test('of ten that start at once, one gets it', async () => {
  await mkdir(place.dataDir)
  const tries = await Promise.allSettled(
    Array.from({ length: 10 }, () => openDataDir(place.dataDir, log)),
  )
  const winners = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(winners).toHaveLength(1)
  await winners[0]?.release()
})

test('a killed server leaves no lock behind, and a second process is refused while it lives', async () => {
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

test('a place that cannot be a folder is refused with its name', async () => {
  await writeFile(place.dataDir, 'a file')
  await expect(openDataDir(place.dataDir, log)).rejects.toThrow(place.dataDir)
})
