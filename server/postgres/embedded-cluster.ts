import { randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Logger } from '../log.ts'
import { writeWhole } from '../primitives/write-whole.ts'
import { type Binaries, majorVersion } from './embedded-binaries.ts'
import type { Command, PostgresUser } from './system-user.ts'

const state = z.object({
  superuserPassword: z.string().min(1),
  loginPassword: z.string().min(1),
  /** Where it listens; set while it runs. */
  socketFolder: z.string().optional(),
})

/** `DATA_DIR/postgres.json`, mode 0600. */
export type ClusterState = z.infer<typeof state>

export const loginRole = 'hoplet_login'
export const databaseName = 'hoplet'

export function clusterFolder(dataDir: string): string {
  return join(dataDir, 'postgres')
}

export async function readClusterState(dataDir: string): Promise<ClusterState | undefined> {
  try {
    return state.parse(JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8')))
  } catch {
    return undefined
  }
}

export async function writeClusterState(dataDir: string, value: ClusterState): Promise<void> {
  await writeWhole(join(dataDir, 'postgres.json'), `${JSON.stringify(value, null, 2)}\n`)
}

export async function clusterOwner(
  dataDir: string,
): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const { uid, gid } = await stat(clusterFolder(dataDir))
    return { uid, gid }
  } catch {
    return undefined
  }
}

/**
 * Makes the cluster, its login role and its database unless they are there. Everything is made aside and renamed,
 * so whenever the power fails, the next start finds either nothing or a whole cluster.
 */
export async function prepareCluster(
  dataDir: string,
  binaries: Binaries,
  user: PostgresUser,
  log: Logger,
): Promise<ClusterState> {
  const folder = clusterFolder(dataDir)
  const programVersion = await majorVersion(binaries, user)
  const clusterVersion = await clusterVersionOf(folder)
  refuseOtherVersion(dataDir, clusterVersion, programVersion)
  const known = await readClusterState(dataDir)
  if (clusterVersion !== undefined && known) return known

  const fresh: ClusterState = known ?? { superuserPassword: password(), loginPassword: password() }
  await writeClusterState(dataDir, fresh)
  if (clusterVersion !== undefined) {
    log.warn('postgres.json was lost or damaged: the database gets new passwords')
    await singleUser(folder, passwordStatements(fresh), binaries, user)
    return fresh
  }
  log.info({ folder }, 'making the database; this happens once')
  await removeLeftovers(dataDir)
  // A separate name: the initdb of a killed first start may still be busy with its folder.
  const aside = `${folder}.new-${randomBytes(4).toString('hex')}`
  await mkdir(aside, { mode: 0o700 })
  if (user.ids) await chown(aside, user.ids.uid, user.ids.gid)
  await initialise(aside, fresh, dataDir, binaries, user)
  const create = [
    `create role ${loginRole} login createrole nosuperuser`,
    ...passwordStatements(fresh),
    `create database ${databaseName} owner ${loginRole}`,
  ]
  await singleUser(aside, create, binaries, user)
  await rename(aside, folder)
  return fresh
}

async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith('postgres.new-')) continue
    await rm(join(dataDir, name), { recursive: true, force: true }).catch(() => {})
  }
}

/** Where an upgrade prepares the new cluster. It has the file `complete` once the new cluster has all rows. */
export function upgradeFolder(dataDir: string): string {
  return join(dataDir, 'postgres-upgrade')
}

export function isUpgradePrepared(dataDir: string): boolean {
  return existsSync(join(upgradeFolder(dataDir), 'complete'))
}

function refuseOtherVersion(
  dataDir: string,
  clusterVersion: number | undefined,
  programVersion: number,
): void {
  const folder = clusterFolder(dataDir)
  if (clusterVersion === undefined && isUpgradePrepared(dataDir))
    throw new Error(
      'An upgrade of PostgreSQL was interrupted: complete it with npm run upgrade-postgres.',
    )
  if (clusterVersion === undefined || clusterVersion === programVersion) return
  const versions = `The data in ${folder} is of PostgreSQL ${clusterVersion}, this Hoplet brings PostgreSQL ${programVersion}.`
  throw new Error(
    clusterVersion < programVersion
      ? `${versions} Upgrade it with npm run upgrade-postgres (docs/backup.md); it keeps the old data.`
      : `${versions} It was made by a newer Hoplet: start that version.`,
  )
}

/** The major version of the data in a cluster's folder; undefined when there is none. */
export async function clusterVersionOf(folder: string): Promise<number | undefined> {
  try {
    return Number.parseInt(await readFile(join(folder, 'PG_VERSION'), 'utf8'), 10)
  } catch {
    return undefined
  }
}

/** 192 bits, in letters that need no escape in SQL or in a URL. */
function password(): string {
  return randomBytes(24).toString('base64url')
}

function passwordStatements({ superuserPassword, loginPassword }: ClusterState): string[] {
  return [
    `alter role postgres password '${superuserPassword}'`,
    `alter role ${loginRole} password '${loginPassword}'`,
  ]
}

async function initialise(
  folder: string,
  { superuserPassword }: ClusterState,
  dataDir: string,
  binaries: Binaries,
  user: PostgresUser,
): Promise<void> {
  // initdb wants the password in a file that the user running it can read.
  const passwordFile = join(dataDir, 'postgres.password')
  await rm(passwordFile, { force: true })
  await writeFile(passwordFile, superuserPassword, { mode: 0o600 })
  try {
    if (user.ids) await chown(passwordFile, user.ids.uid, user.ids.gid)
    const locale = '--locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --encoding=UTF8'
    const rest = '--username=postgres --auth=scram-sha-256 --data-checksums --no-instructions'
    const args = [...locale.split(' '), ...rest.split(' ')]
    args.push(`--pgdata=${folder}`, `--pwfile=${passwordFile}`)
    await finish('initdb', user.command(binaries.initdb, args))
  } finally {
    await rm(passwordFile, { force: true })
  }
}

/** Runs statements on a stopped cluster, as its superuser, without a password. */
async function singleUser(
  folder: string,
  statements: string[],
  binaries: Binaries,
  user: PostgresUser,
): Promise<void> {
  const settings = ['exit_on_error=true', 'log_min_error_statement=panic', 'log_checkpoints=off']
  const args = ['--single', '-D', folder, ...settings.map((each) => `-c${each}`), 'postgres']
  await finish(
    'preparing the database',
    user.command(binaries.postgres, args),
    `${statements.join('\n')}\n`,
  )
}

function finish(what: string, { file, args, options }: Command, input = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    // Its own process group, so that Ctrl-C in a terminal reaches our process alone.
    const child = spawn(file, args, { ...options, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    let output = ''
    const listen = (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-4_000)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) return resolve()
      const reason = output.split('\n').find((line) => /\b(?:FATAL|PANIC|ERROR|error): /.test(line))
      const how = signal ?? `exit code ${code}`
      reject(new Error(`${what} failed (${how}): ${(reason ?? output).trim()}`))
    })
  })
}
