import { createChanges } from './change-imports.ts'
import type { ImportJobDeps } from './import-at-work.ts'
import { startImportJob } from './import-job.ts'
import { listRows, type RowsQuery, showImport } from './show-imports.ts'
import { createStarts } from './start-imports.ts'

export type Imports = ReturnType<typeof createImports>

/** Imports of links: each is a row of `app.imports`, which any server of the database works on (import-job.ts). */
export function createImports(deps: ImportJobDeps) {
  const { database } = deps
  const job = startImportJob(deps)
  return {
    ...createStarts(deps, job.wake),
    ...createChanges(deps, job.wake),
    /** Undefined for a foreign one. */
    show: (account: string, id: string) => showImport(database, account, id),
    rows: (account: string, id: string, query: RowsQuery) => listRows(database, account, id, query),
    close: job.close,
  }
}
