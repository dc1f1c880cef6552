import { createHash, randomBytes } from 'node:crypto'
import { enqueueMail } from '../mail/outbox.ts'
import type { Database, Transaction } from '../postgres/database.ts'
import { onlyRow } from '../postgres/rows.ts'

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

/**
 * Commits an address once per popup (database/code/25_leads.sql), with the email that asks for a confirmation where the owner
 * wants one. @throws {DatabaseUnavailableError}
 */
export function keepLead(database: Database, given: GivenLead): Promise<KeptLead> {
  const { popupId, version, email, from, source } = given
  return database.transactionAs({ role: 'hoplet_worker' }, async (db) => {
    const kept = await onlyRow<KeptLead & Record<string, unknown>>(
      db,
      'select outcome, lead, is_open from app.add_lead($1, $2, $3, $4, $5)',
      [popupId, version, email, from, source],
    )
    // Once: a crowd that types an address again and again sends no emails.
    if (kept.outcome === 'added' && kept.is_open && kept.lead !== null)
      await askForConfirmation(db, kept.lead, email)
    return kept
  })
}

async function askForConfirmation(db: Transaction, lead: string, email: string): Promise<void> {
  const token = randomBytes(32).toString('base64url')
  const row = await onlyRow<{ unsubscribe_token: string; code: string | null }>(
    db,
    'select unsubscribe_token, code from app.open_lead_confirmation($1, $2)',
    [lead, confirmationHash(token)],
  )
  await enqueueMail(db, {
    key: `lead:${lead}`,
    template: 'lead-confirmation',
    recipient: email,
    data: {
      link: `/audience/confirm/${token}`,
      unsubscribe: `/audience/leave/${row.unsubscribe_token}`,
      code: row.code,
    },
  })
}

/** Of the token in a mail; the database has no token. */
export function confirmationHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
