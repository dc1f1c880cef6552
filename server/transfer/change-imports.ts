import type { ImportChoices } from '#domain/transfer/import-shapes.ts'
import type { ColumnMap } from '#domain/transfer/readers/mapped.ts'
import { HttpError } from '../http/errors.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs, valueAs } from '../postgres/rows.ts'
import { replaceErrorWhen } from '../primitives/caught-error.ts'
import { isUniqueViolation } from '../primitives/error-code.ts'
import { type ImportJobDeps, importIsAtWork, placesOf } from './import-at-work.ts'

const worker = { role: 'hoplet_worker' } as const

const noSuchImport = () => new HttpError(404, 'No such import')
const wrongState = (what: string) => new HttpError(409, `This import cannot be ${what} now`)

/** One of them, for another dry run. */
interface ReadAgain {
  source?: string | undefined
  mapping?: ColumnMap | undefined
  /** '' is the host of the server. */
  domain?: string | undefined
}

/** @throws {HttpError} 400 about a host that is no domain of the account */
async function requireDomain(database: Database, account: string, domain: string): Promise<void> {
  const { domains } = await placesOf(database, { user_id: account, domain: null })
  if (domain !== '' && !domains.includes(domain))
    throw new HttpError(400, 'This is not a domain of yours.')
}

/** @returns whether the import was ready for it; @throws {HttpError} 409 while another one is at work */
function repeatDryRun(
  database: Database,
  account: string,
  id: string,
  { source, mapping, domain }: ReadAgain,
): Promise<boolean> {
  return database
    .transactionAs({ ...worker, statementTimeout: 60_000 }, async (db) => {
      const { rows } = await db.query(
        `update app.imports set source = coalesce($3, case when $4::jsonb is null then source else 'mapped' end),
            mapping = case when $5::text is null then $4::jsonb else mapping end,
            choices = choices || case when $5::text is null then '{}' else jsonb_build_object('domain', $5::text) end,
            state = 'reading', totals = '{}', next_at = now()
          where id = $1 and user_id = $2 and state = 'ready' returning id`,
        [id, account, source ?? null, mapping ? JSON.stringify(mapping) : null, domain ?? null],
      )
      if (rows.length > 0)
        await db.query(
          'update app.import_rows set outcome = null, link = null where import_id = $1',
          [id],
        )
      return rows.length > 0
    })
    .catch(replaceErrorWhen(isUniqueViolation, importIsAtWork))
}

/** The changes of imports by their owners. Each throws a HttpError: 404 for a foreign import, 409 in another state. */
export function createChanges({ database }: Pick<ImportJobDeps, 'database'>, wake: () => void) {
  async function change(account: string, id: string, what: string, text: string): Promise<void> {
    const changed = await queryAs(
      database,
      worker,
      `update app.imports i set ${text} returning i.id`,
      [id, account],
    )
    if (changed.length === 0) {
      await requireOwn(account, id)
      throw wrongState(what)
    }
    wake()
  }

  async function requireOwn(account: string, id: string): Promise<void> {
    const found = await queryAs(
      database,
      worker,
      'select from app.imports where id = $1 and user_id = $2',
      [id, account],
    )
    if (found.length === 0) throw noSuchImport()
  }

  return {
    /**
     * Repeats the dry run with another kind of file, a map of its columns, or the host of its links.
     *
     * @throws {HttpError} 400 about a host that is no domain of the account, 404 or 409
     */
    async readAgain(account: string, id: string, given: ReadAgain) {
      await requireOwn(account, id)
      if (given.domain !== undefined) await requireDomain(database, account, given.domain)
      const changed = await repeatDryRun(database, account, id, given)
      if (!changed) throw wrongState('read again')
      wake()
    },

    /** Starts the job. @throws {HttpError} 404 or 409 */
    async confirm(account: string, id: string, { codes, taken, rows }: ImportChoices) {
      await requireOwn(account, id)
      const isConfirmed = await valueAs<boolean>(
        database,
        { ...worker, claims: { sub: account }, statementTimeout: 60_000 },
        'select app.confirm_import($1, $2, $3, $4)',
        [id, codes, taken, JSON.stringify(rows)],
      ).catch(replaceErrorWhen(isUniqueViolation, importIsAtWork))
      if (isConfirmed !== true) throw wrongState('confirmed')
      wake()
    },

    pause: (account: string, id: string) =>
      change(
        account,
        id,
        'paused',
        `state = 'paused' where i.id = $1 and i.user_id = $2 and i.state in ('running', 'waiting') and not i.undoes`,
      ),
    resume: (account: string, id: string) =>
      change(
        account,
        id,
        'resumed',
        `state = 'running', next_at = now() where i.id = $1 and i.user_id = $2 and i.state in ('paused', 'waiting')`,
      ),
    undo: (account: string, id: string) =>
      change(
        account,
        id,
        'undone',
        `state = 'running', undoes = true, next_at = now() where i.id = $1 and i.user_id = $2
          and (i.state in ('running', 'waiting', 'paused') or (i.state = 'done' and i.ended_at > now() - interval '1 day'))`,
      ).catch(replaceErrorWhen(isUniqueViolation, importIsAtWork)),

    /** Deletes an import and its rows, not its links. @throws {HttpError} 404, or 409 while it runs */
    async delete(account: string, id: string): Promise<void> {
      const gone = await queryAs(
        database,
        { ...worker, statementTimeout: 60_000 },
        `delete from app.imports where id = $1 and user_id = $2 and state not in ('running', 'waiting', 'paused')
          returning id`,
        [id, account],
      )
      if (gone.length > 0) return
      await requireOwn(account, id)
      throw wrongState('deleted')
    },
  }
}
