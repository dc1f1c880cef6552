import manifest from '../../package.json' with { type: 'json' }
import { type ApiSourceId, isApiSource } from '#domain/transfer/sources.ts'
import { createSourceAccess } from './apis/source-access.ts'
import { pauseMsOf, readSourcePage } from './apis/source-apis.ts'
import { SourceError } from './apis/source-error.ts'
import { queryAs } from '../postgres/rows.ts'
import { matchError } from '../primitives/caught-error.ts'
import { parseJson } from '../primitives/parse-json.ts'
import { RowWriter } from './import-rows.ts'
import type { ImportAtWork, ImportJobDeps } from './import-at-work.ts'
import { TransferError } from './transfer-error.ts'

/** How a service is read: sealed in the database until everything was. */
export interface SourceAccessState {
  origin: string
  token: string
  cursor?: string
  /** Rows before the cursor. */
  rows: number
  /** Failures in a row. */
  failures?: number
}

const worker = { role: 'hoplet_worker' } as const
/** Where a service gives no time. */
const waitSeconds = 120
const retrySeconds = 30
const maxFailures = 10

export const accessContext = (id: string) => `import ${id}`

/** Reads the next page of a service, and stores its rows. An upload without news for long has failed. */
export async function readSourceStep(deps: ImportJobDeps, job: ImportAtWork): Promise<void> {
  const { secretBox } = deps
  if (job.access === null) {
    await fail(deps, job, 'The file did not arrive completely. Please send it again.')
    return
  }
  const opened = secretBox.open(job.access, accessContext(job.id))
  const state = opened === undefined ? undefined : (parseJson(opened) as SourceAccessState)
  if (!state || !isApiSource(job.source)) {
    await fail(deps, job, 'The token can no longer be read here. Please start again.')
    return
  }
  try {
    await storePage(deps, job, job.source, state)
  } catch (error) {
    const caught: SourceError | undefined = matchError(
      error,
      [TransferError, ({ message }) => new SourceError('answer', message)],
      [SourceError, (known) => known],
    )
    if (!caught) throw error
    await handleFailure(deps, job, state, caught)
  }
}

async function storePage(
  deps: ImportJobDeps,
  job: ImportAtWork,
  source: ApiSourceId,
  state: SourceAccessState,
): Promise<void> {
  const { database, secretBox, getPublic, config } = deps
  const { origin, token } = state
  const { allowsPrivate, timeoutMs } = config.imports
  const access = createSourceAccess({
    getPublic,
    origin,
    token,
    allowsPrivate,
    timeoutMs,
    userAgent: `Hoplet-Import/${manifest.version}`,
  })
  const page = await readSourcePage(source, access, state.cursor)
  // A process that died after rows of this page has left them.
  await queryAs(
    database,
    worker,
    'delete from app.import_rows where import_id = $1 and place > $2',
    [job.id, state.rows],
  )
  const writer = new RowWriter(database, job.id, { place: state.rows })
  for (const record of page.records) await writer.add(record)
  await writer.flush()
  const { cursor } = page
  const next: SourceAccessState = {
    origin,
    token,
    rows: writer.rows,
    ...(cursor !== undefined && { cursor }),
  }
  const isComplete = page.cursor === undefined
  await queryAs(
    database,
    worker,
    `update app.imports set access = $2, is_complete = $3, notice = null,
        next_at = now() + make_interval(secs => $4)
      where id = $1 and state = 'reading'`,
    [
      job.id,
      isComplete ? null : secretBox.seal(JSON.stringify(next), accessContext(job.id)),
      isComplete,
      isComplete ? 0 : pauseMsOf(source) / 1_000,
    ],
  )
}

async function handleFailure(
  deps: ImportJobDeps,
  job: ImportAtWork,
  state: SourceAccessState,
  { kind, message, retryAfterSeconds }: SourceError,
): Promise<void> {
  const { database, secretBox } = deps
  const failures = kind === 'wait' ? 0 : (state.failures ?? 0) + 1
  const isFinal =
    kind === 'token' || kind === 'right' || kind === 'answer' || failures > maxFailures
  if (isFinal) {
    await fail(deps, job, message)
    return
  }
  const seconds =
    kind === 'wait' ? Math.min(retryAfterSeconds ?? waitSeconds, 86_400) : retrySeconds
  await queryAs(
    database,
    worker,
    `update app.imports set access = $2, notice = $3, next_at = now() + make_interval(secs => $4)
      where id = $1 and state = 'reading'`,
    [
      job.id,
      secretBox.seal(JSON.stringify({ ...state, failures }), accessContext(job.id)),
      kind === 'wait'
        ? 'The service asks to wait. Reading goes on by itself.'
        : `${message} Reading goes on by itself.`,
      seconds,
    ],
  )
}

/** Ends an import that cannot be read; its token is gone. */
async function fail({ database }: ImportJobDeps, job: ImportAtWork, notice: string): Promise<void> {
  await queryAs(
    database,
    worker,
    `update app.imports set state = 'failed', access = null, notice = $2, ended_at = now()
      where id = $1 and state = 'reading'`,
    [job.id, notice.slice(0, 500)],
  )
}
