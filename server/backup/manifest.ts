import { z } from 'zod'
import { areFormerMigrations } from '../postgres/former-migrations.ts'
import { type Migration, migrationChecksum, migrations } from '../postgres/migrate.ts'
import { BackupError } from './backup-error.ts'
import type { Entry } from './tar.ts'
import { orThrow } from '../primitives/or-throw.ts'

/** Raised when an older program could not restore a newer backup. Format 1 had files of checksums too. */
const formatVersion = 2

const manifestSchema = z.object({
  format: z.literal([1, formatVersion]),
  hoplet: z.string(),
  postgresql: z.string(),
  /** When the snapshot was taken, by the clock of the database. */
  takenAt: z.string(),
  /** Migrations of the database; restoring starts from the same. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** The partitions of the click events, as `YYYY-MM-01`. */
  clickMonths: z.array(z.string().regex(/^\d{4}-\d{2}-01$/)),
  /** The key id of the signing key, and whether the key itself is in the backup. */
  signingKey: z.object({ kid: z.string(), isIncluded: z.boolean() }).optional(),
})

/** Describes a backup; first in its archive, read before anything else. */
export type Manifest = z.infer<typeof manifestSchema>

const contentsSchema = z.object({
  tables: z.array(z.object({ name: z.string(), rows: z.number(), hash: z.string() })),
  sequences: z.array(z.object({ sql: z.string(), value: z.string(), isCalled: z.boolean() })),
  images: z.object({ included: z.number(), missing: z.number(), left: z.number() }),
  journal: z.object({ files: z.number(), bytes: z.number() }).optional(),
})

/** Contents of a backup, last in its archive; a restored database is compared with them. */
export type Contents = z.infer<typeof contentsSchema>

const manifestName = 'manifest.json'
export const contentsName = 'contents.json'

export function jsonEntry(name: string, value: Manifest | Contents): Entry {
  return { name, data: Buffer.from(`${JSON.stringify(value, null, 2)}\n`) }
}

export function newManifest(values: Omit<Manifest, 'format'>): Entry {
  return jsonEntry(manifestName, { format: formatVersion, ...values })
}

/** @throws {BackupError} when this program cannot restore it */
export function parseManifest({ name, data }: Entry, known: Migration[] = migrations): Manifest {
  if (name !== manifestName) throw new BackupError('This is not a backup of Hoplet.')
  const json = parseJson(name, data)
  const { format } = z.object({ format: z.number() }).catch({ format: 0 }).parse(json)
  if (format > formatVersion)
    throw new BackupError(
      `The backup was made by a newer Hoplet (format ${format}; this one reads ${formatVersion}). Restore it with that version.`,
    )
  const manifest = checked(manifestSchema, name, json)
  if (areFormerMigrations(manifest.migrations)) return manifest
  for (const [index, { name: migration, checksum }] of manifest.migrations.entries()) {
    const own = orThrow(
      known[index],
      () =>
        new BackupError(
          `The backup was made by a newer Hoplet: it has migration ${migration}, which this one does not know. Restore it with that version.`,
        ),
    )
    if (own.name !== migration || migrationChecksum(own) !== checksum)
      throw new BackupError(
        `The backup was made by another Hoplet: its migration ${migration} is not ${own.name} of this one.`,
      )
  }
  return manifest
}

export function parseContents({ name, data }: Entry): Contents {
  return checked(contentsSchema, name, parseJson(name, data))
}

function parseJson(name: string, data: Buffer): unknown {
  try {
    return JSON.parse(data.toString())
  } catch (cause) {
    throw new BackupError(`The backup is damaged: ${name} is not JSON.`, { cause })
  }
}

function checked<T>(schema: z.ZodType<T>, name: string, json: unknown): T {
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  throw new BackupError(`The backup is damaged: ${name} does not have what it should.`, {
    cause: parsed.error,
  })
}
