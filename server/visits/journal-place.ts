import { statfsSync } from 'node:fs'
import type { Logger } from '../log.ts'

// From linux/magic.h: file systems whose content is lost with the machine or the container.
const volatile = new Map([
  [0x0102_1994, 'tmpfs'],
  [0x8584_58f6, 'ramfs'],
  [0x794c_7630, 'overlay'],
])

/** Warns when the journal is on a file system that does not outlive the container or the machine. */
export function warnIfVolatile(folder: string, log: Logger): void {
  const name = volatile.get(statfsSync(folder).type)
  if (name === undefined) return
  log.warn(
    { folder, file_system: name },
    'the click journal is on a file system that is lost with the container or the machine: put DATA_DIR on a volume',
  )
}
