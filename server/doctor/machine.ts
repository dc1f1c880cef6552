import { readFile, stat, statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { hasFonts } from '../pictures/svg-text.ts'
import { type DoctorDeps, type Finding, okIf, problem, warning } from './finding.ts'

const gib = 1024 ** 3
const minFreeBytes = 2 * gib
/** Each visitor's connection is one, and so is each to the database. */
const minOpenFiles = 4_096
/** The last major version of Node that is out of support. https://nodejs.org/en/about/previous-releases */
const lastEndedNode = 20

export async function checkMachine({ config }: DoctorDeps): Promise<Finding[]> {
  return [
    checkNode(),
    await checkDisk(config.dataDir),
    await checkOpenFiles(),
    await checkFileMode(join(config.dataDir, 'keys.json')),
    await checkFileMode('.env'),
    checkMemory(),
    await checkFonts(),
  ].filter((each) => each !== undefined)
}

function checkNode(): Finding {
  const { node } = process.versions
  return okIf(
    Number(node.split('.')[0]) > lastEndedNode,
    `Node ${node}.`,
    warning(`Node ${node} gets no security fixes any more. Install the current LTS version.`),
  )
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  const text = `${(free / gib).toFixed(1)} GiB are free on the disk of ${dataDir}`
  return okIf(free >= minFreeBytes, `${text}.`, warning(`${text}. Make room for more.`))
}

async function checkOpenFiles(): Promise<Finding | undefined> {
  if (process.platform !== 'linux') return undefined
  const limits = await readFile('/proc/self/limits', 'utf8')
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return okIf(
    soft === undefined || Number(soft) >= minOpenFiles,
    'Enough files may be open.',
    warning(
      `Only ${soft} files may be open here, which limits connections. Raise it: LimitNOFILE= of systemd, or ulimit -n.`,
    ),
  )
}

/** For files that hold secrets. */
async function checkFileMode(path: string): Promise<Finding | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return undefined
  return okIf(
    (found.mode & 0o077) === 0,
    `${path} can be read by its owner only.`,
    problem(`Other users of this machine can read ${path}. Run: chmod 600 ${path}`),
  )
}

function checkMemory(): Finding {
  // A container has less than its machine.
  const bytes = process.constrainedMemory() || totalmem()
  const available = Math.min(bytes, totalmem())
  const text = `${(available / gib).toFixed(1)} GiB of memory`
  return okIf(
    available >= gib * 0.9,
    `${text}.`,
    warning(`${text} is little: give it 1 GiB or more, or lower NAME_CACHE_MB.`),
  )
}

async function checkFonts(): Promise<Finding> {
  return okIf(
    await hasFonts(),
    'There is a font for pictures.',
    warning(
      'There is no font, so preview pictures and tags of links have no words. Install one (Debian: fonts-dejavu-core).',
    ),
  )
}
