import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../log.ts'
import { sha256Hex } from '../primitives/sha256.ts'
import { writeWhole } from '../primitives/write-whole.ts'

/** Domains that may have a certificate, in the data directory: a start without a database answers from there. */
const fileName = 'certified-hosts'
const heading = 'hoplet-hosts-1'
/** About 400,000 hosts. */
const maxBytes = 8 * 1024 ** 2
/** Between two writes. */
const pauseMs = 5_000

/** The hosts of the last server of this data directory; none where the file is missing, too large or damaged. */
export async function readCertifiedHosts(dataDir: string, log: Logger): Promise<string[]> {
  const path = join(dataDir, fileName)
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  )
  if (size === undefined) return []
  const text = size > maxBytes ? '' : await readFile(path, 'utf8').catch(() => '')
  const end = text.indexOf('\n')
  const hosts = text.slice(end + 1)
  if (end >= 0 && text.slice(0, end) === headingOf(hosts)) return hosts.split('\n').filter(Boolean)
  log.warn({ path }, 'the copy of the hosts with certificates is damaged: it is ignored')
  return []
}

const headingOf = (hosts: string) => `${heading} ${sha256Hex(hosts)}`

/** Keeps the file up to date, with a pause between two writes. */
export function keepCertifiedHosts(dataDir: string, read: () => readonly string[], log: Logger) {
  let written: string | undefined
  let isChanged = false
  let pause: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = async (): Promise<void> => {
    isChanged = false
    const hosts = withinBounds(read())
    if (hosts === written) return
    try {
      await writeWhole(join(dataDir, fileName), `${headingOf(hosts)}\n${hosts}`)
      written = hosts
    } catch (error) {
      log.warn({ err: error }, 'the copy of the hosts with certificates was not written')
    }
  }
  const writeIfChanged = (): void => {
    pause = undefined
    if (!isChanged) return
    writing = writing.then(write)
    pause = setTimeout(writeIfChanged, pauseMs).unref()
  }
  return {
    changed(): void {
      isChanged = true
      if (!pause) writeIfChanged()
    },
    async close(): Promise<void> {
      clearTimeout(pause)
      if (isChanged) writing = writing.then(write)
      await writing
    },
  }
}

/** A line each, the first ones. */
function withinBounds(hosts: readonly string[]): string {
  const room = maxBytes - headingOf('').length - 1
  let bytes = 0
  const fitting = hosts.filter((host) => (bytes += host.length + 1) <= room)
  return fitting.map((host) => `${host}\n`).join('')
}
