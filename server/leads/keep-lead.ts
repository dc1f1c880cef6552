import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'

/** An address as a visitor gave it, and the place. */
export interface GivenLead {
  popupId: string
  /** Of the popup, as the page showed it. */
  version: number
  email: string
  /** Name of the link or page. */
  from: string | null
  source: string | null
}

/** `lead` is null when nothing was kept. */
export interface KeptLead {
  outcome: 'added' | 'known' | 'full' | 'not-kept' | 'unknown-version'
  lead: string | null
  /** Whether a confirmation by email is missing. */
  is_open: boolean
}

/** Commits an address once per popup (database/code/25_leads.sql). @throws {DatabaseUnavailableError} */
export async function keepLead(database: Database, given: GivenLead): Promise<KeptLead> {
  const { popupId, version, email, from, source } = given
  const [kept] = await queryAs<KeptLead & Record<string, unknown>>(
    database,
    { role: 'hoplet_worker' },
    'select outcome, lead, is_open from app.add_lead($1, $2, $3, $4, $5)',
    [popupId, version, email, from, source],
  )
  if (!kept) throw new Error('no outcome')
  return kept
}
