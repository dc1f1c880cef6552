import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from '../log.ts'

const run = promisify(execFile)
const adminPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const userName = 'postgres'

interface Ids {
  uid: number
  gid: number
}

/** What a PostgreSQL program is spawned with. */
export interface Command {
  file: string
  args: string[]
  options: { uid?: number; gid?: number; cwd: string; env: Record<string, string> }
}

/** Who runs the PostgreSQL programs: ourselves, or a system user when we are root, whom PostgreSQL refuses. */
export interface PostgresUser {
  /** Set when PostgreSQL runs as another user: the owner that its files need. */
  ids: Ids | undefined
  command(program: string, args: string[]): Command
}

/**
 * @param places files and folders that PostgreSQL must reach
 * @param clusterOwner who owns the cluster already; a cluster keeps its owner
 */
export async function choosePostgresUser(
  places: { programs: string[]; dataDir: string },
  clusterOwner: Ids | undefined,
  log: Logger,
): Promise<PostgresUser> {
  const plain = { cwd: '/', env: { PATH: adminPath, LC_ALL: 'C', TZ: 'UTC' } }
  if (process.platform === 'win32' || process.getuid?.() !== 0) {
    const options = process.platform === 'win32' ? { ...plain, cwd: places.dataDir } : plain
    return { ids: undefined, command: (file, args) => ({ file, args, options }) }
  }
  const ids = clusterOwner && clusterOwner.uid !== 0 ? clusterOwner : await systemUser(log)
  const programsReachable = await all(places.programs.map((path) => mayReach(path, ids)))
  if (programsReachable && (await mayReach(places.dataDir, ids))) {
    return { ids, command: (file, args) => ({ file, args, options: { ...plain, ...ids } }) }
  }
  const prefix = await reachEverything(ids, places.programs)
  log.debug({ uid: ids.uid }, 'PostgreSQL gets one capability to pass folders closed to it')
  return {
    ids,
    command: (file, args) => ({
      file: 'setpriv',
      args: [...prefix, file, ...args],
      options: plain,
    }),
  }
}

async function systemUser(log: Logger): Promise<Ids> {
  const found = await lookUp()
  if (found) return found
  log.info(`making the system user ${userName}, because PostgreSQL does not run as root`)
  const ways: [string, string[]][][] = [
    [
      ['groupadd', ['--system', '--force', userName]],
      [
        'useradd',
        [
          '--system',
          '--gid',
          userName,
          '--no-create-home',
          '--shell',
          '/usr/sbin/nologin',
          userName,
        ],
      ],
    ],
    [
      ['addgroup', ['-S', userName]],
      ['adduser', ['-S', '-D', '-H', '-G', userName, userName]],
    ],
  ]
  for (const way of ways) {
    try {
      for (const [file, args] of way) await run(file, args, { env: { PATH: adminPath } })
    } catch {
      // The next look-up says whether it worked; two servers may be making it at once.
    }
    const made = await lookUp()
    if (made) return made
  }
  throw new Error(
    `PostgreSQL does not run as root, and no system user "${userName}" could be made. ` +
      'Start Hoplet as an ordinary user, or set DATABASE_URL.',
  )
}

async function lookUp(): Promise<Ids | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => {
        const { stdout } = await run('id', [flag, userName], { env: { PATH: adminPath } })
        return Number(stdout)
      }),
    )
    return uid && gid ? { uid, gid } : undefined
  } catch {
    return undefined
  }
}

/** Whether plain permission bits let the user pass every folder above `path`, and enter or run it. */
async function mayReach(path: string, ids: Ids): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    if (!(await allows(at, ids))) return false
    if (at === dirname(at)) return true
  }
}

async function allows(path: string, { uid, gid }: Ids): Promise<boolean> {
  const { mode, uid: owner, gid: group } = await stat(path)
  const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001
  return (mode & bit) !== 0
}

/**
 * A clone in /root or in a `mktemp -d` folder is closed to everybody but root. Rather than opening such folders,
 * the one program gets the one right to pass them (docs/decisions/0003).
 */
async function reachEverything(ids: Ids, programs: string[]): Promise<string[]> {
  const why = []
  // The smaller right passes folders and reads, but runs nothing that the user may not run (an install with umask 077).
  const mayRun = await all(programs.map((program) => allows(program, ids)))
  for (const capability of mayRun ? ['dac_read_search', 'dac_override'] : ['dac_override']) {
    const prefix = [
      `--reuid=${ids.uid}`,
      `--regid=${ids.gid}`,
      '--clear-groups',
      '--securebits=+no_setuid_fixup',
      `--inh-caps=-all,+${capability}`,
      `--ambient-caps=-all,+${capability}`,
    ]
    try {
      for (const program of programs) {
        await run('setpriv', [...prefix, program, '--version'], {
          cwd: '/',
          env: { PATH: adminPath },
        })
      }
      return prefix
    } catch (error) {
      why.push(error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error))
    }
  }
  throw new Error(
    `Hoplet runs as root and PostgreSQL must not, but its user (uid ${ids.uid}) cannot reach ` +
      `${programs[0]} or DATA_DIR (${why.join('; ')}). Put Hoplet and DATA_DIR where every user may pass, ` +
      'start Hoplet as an ordinary user, or set DATABASE_URL.',
  )
}

async function all(answers: Promise<boolean>[]): Promise<boolean> {
  return (await Promise.all(answers)).every(Boolean)
}
