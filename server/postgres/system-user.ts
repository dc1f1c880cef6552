import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Logger } from '../log.ts'
import { errorMessage } from '../primitives/caught-error.ts'

const run = promisify(execFile)
const adminPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const userName = 'postgres'
const plain = { cwd: '/', env: { PATH: adminPath, LC_ALL: 'C', TZ: 'UTC' } }

interface Ids {
  uid: number
  gid: number
}

/** Spawn options of a PostgreSQL program. */
export interface Command {
  file: string
  args: string[]
  options: { uid?: number; gid?: number; cwd: string; env: Record<string, string> }
}

/** The user that runs the PostgreSQL programs: ours, or a system user when we are root, which PostgreSQL refuses. */
export interface PostgresUser {
  /** Set when PostgreSQL runs as another user: the owner that its files need. */
  ids: Ids | undefined
  command(program: string, args: string[]): Command
}

/**
 * @param places paths that PostgreSQL must reach
 * @param clusterOwner who owns the cluster already; a cluster keeps its owner
 */
export async function choosePostgresUser(
  places: { programs: string[]; dataDir: string },
  clusterOwner: Ids | undefined,
  log: Logger,
): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) {
    return { ids: undefined, command: (file, args) => ({ file, args, options: plain }) }
  }
  const ids = clusterOwner && clusterOwner.uid !== 0 ? clusterOwner : await systemUser(log)
  const why: string[] = []
  for (const command of waysToRunAs(ids)) {
    const problem = await tryOut(command, places)
    if (problem === undefined) return { ids, command }
    why.push(problem)
  }
  throw new Error(
    `Hoplet runs as root and PostgreSQL must not, but its user (uid ${ids.uid}) cannot reach ` +
      `${places.programs[0]} or DATA_DIR (${why.join('; ')}). Put Hoplet and DATA_DIR where every user may pass, ` +
      'start Hoplet as an ordinary user, or set DATABASE_URL.',
  )
}

/**
 * With the ids alone. Else a clone in /root or in a `mktemp -d` folder is closed to everybody but root: rather than
 * opening such folders, the one program gets the one right to pass them (docs/decisions/0003). The smaller right passes
 * folders and reads, but runs nothing that the user may not run (an install with umask 077).
 */
function waysToRunAs(ids: Ids): PostgresUser['command'][] {
  const withCapability = (capability: string): PostgresUser['command'] => {
    const prefix = [
      `--reuid=${ids.uid}`,
      `--regid=${ids.gid}`,
      '--clear-groups',
      '--securebits=+no_setuid_fixup',
      `--inh-caps=-all,+${capability}`,
      `--ambient-caps=-all,+${capability}`,
    ]
    return (file, args) => ({ file: 'setpriv', args: [...prefix, file, ...args], options: plain })
  }
  return [
    (file, args) => ({ file, args, options: { ...plain, ...ids } }),
    withCapability('dac_read_search'),
    withCapability('dac_override'),
  ]
}

/** @returns why it does not work */
async function tryOut(
  command: PostgresUser['command'],
  places: { programs: string[]; dataDir: string },
): Promise<string | undefined> {
  const script = 'cd "$0" && for program; do "$program" --version || exit; done'
  const { file, args, options } = command('/bin/sh', [
    '-c',
    script,
    places.dataDir,
    ...places.programs,
  ])
  try {
    await run(file, args, options)
    return undefined
  } catch (error) {
    return errorMessage(error).trim().split('\n').at(-1)
  }
}

async function systemUser(log: Logger): Promise<Ids> {
  const found = await lookUp()
  if (found) return found
  log.info(`making the system user ${userName}, because PostgreSQL does not run as root`)
  const group = ['--system', '--force', userName]
  const home = ['--no-create-home', '--shell', '/usr/sbin/nologin']
  try {
    await run('groupadd', group, { env: { PATH: adminPath } })
    await run('useradd', ['--system', '--gid', userName, ...home, userName], {
      env: { PATH: adminPath },
    })
  } catch {
    // The next look-up says whether it worked; two servers may be making it at once.
  }
  const made = await lookUp()
  if (made) return made
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
