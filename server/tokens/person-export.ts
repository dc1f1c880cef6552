import type { Person } from './person.ts'

/** What a feature contributes to the export of a person's data (auth/account/export.ts). */
export interface PersonExport {
  /** Everything short, by the names of its fields in the export. */
  facts?(person: Person): Promise<Record<string, unknown>>
  /** Lists that may be long, page by page. */
  lists?(person: Person): Record<string, AsyncIterable<unknown[]>>
}
