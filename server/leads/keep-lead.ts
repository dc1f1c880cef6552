import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { enqueueMail } from '../mail/outbox.ts'
import type { Transaction } from '../postgres/database.ts'
import { onlyRow } from '../postgres/rows.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'

/** An address as a visitor gave it, and the place. */
export interface GivenLead {
  popupId: string
  /** Version of the popup, as the page showed it. */
  version: number
  email: string
  /** Key of the name of the link or page. */
  from: string | null
  source: string | null
}

/** `lead` is null when nothing was kept. */
export interface KeptLead {
  outcome: 'added' | 'known' | 'full' | 'not-kept' | 'unknown-version'
  lead: string | null
  /** Whether the account asks for confirmations. */
  double_opt_in: boolean
  /** Whether the email that asks for this one has to be sent. */
  is_due: boolean
}

type LeadDeps = Pick<Context, 'database' | 'rateLimits' | 'secretBox'>

/** Emails to one address after the first one of each popup: a stranger may type it again and again. */
const repeatsPerRecipient: BucketPolicy = {
  name: 'lead-repeat',
  burst: 5,
  windowSeconds: 86_400,
}

/**
 * Commits an address once per popup (database/code/25_leads.sql), with the email that asks for a confirmation where the owner
 * wants one. @throws {DatabaseUnavailableError}
 */
export function keepLead(deps: LeadDeps, given: GivenLead): Promise<KeptLead> {
  const { popupId, version, email, from, source } = given
  return deps.database.transactionAs({ role: 'hoplet_worker' }, async (db) => {
    const kept = await onlyRow<KeptLead & Record<string, unknown>>(
      db,
      'select outcome, lead, double_opt_in, is_due from app.add_lead($1, $2, $3, $4, $5)',
      [popupId, version, email, from, source],
    )
    const isRepeat = kept.outcome === 'known'
    const isDue =
      kept.is_due &&
      !(isRepeat && deps.rateLimits.take(repeatsPerRecipient, email.toLowerCase()) !== undefined)
    if (isDue && kept.lead !== null) await askForConfirmation(db, deps, kept.lead, email)
    return { ...kept, is_due: isDue }
  })
}

interface Asked extends Record<string, unknown> {
  unsubscribe_token: string
  code: string | null
  owner: string | null
  popup: string | null
  consent: string
}

async function askForConfirmation(
  db: Transaction,
  { secretBox }: LeadDeps,
  lead: string,
  email: string,
): Promise<void> {
  // The same in each email of a lead, so that one that arrives late works too.
  const token = secretBox.digest(lead, 'lead confirmation')
  const { unsubscribe_token, ...asked } = await onlyRow<Asked>(
    db,
    'select unsubscribe_token, code, owner, popup, consent from app.open_lead_confirmation($1, $2)',
    [lead, confirmationHash(token)],
  )
  await enqueueMail(db, {
    key: `lead:${lead}:${Date.now()}`,
    template: 'lead-confirmation',
    recipient: email,
    data: {
      ...asked,
      link: `/audience/confirm/${token}`,
      unsubscribe: `/audience/leave/${unsubscribe_token}`,
    },
  })
}

/** Hash of the token in a mail; the database has no token. */
export function confirmationHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
