import type { SecurityEventName } from '#domain/access/security-events.ts'
import { routes } from '#domain/routes.ts'
import { claimedEmail } from '../auth/credentials.ts'
import { linkFor } from '../auth/email-flows/emails.ts'
import { issueLink } from '../auth/email-flows/one-time-tokens.ts'
import { lockAccountOf } from '../auth/users.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { defaultPublicUrl } from '../http/default-public-url.ts'
import { withDatabase } from './with-database.ts'

const event: SecurityEventName = 'sign-in link made on the machine'

/**
 * Makes a link that signs in to an account, once and within ten minutes: the way in when neither passwords nor the provider
 * work. A second factor is still asked for, and the owner of the account sees the event.
 *
 * @returns a message for the operator, with the link
 * @throws {Error} with advice for the operator
 */
export async function makeSignInLink(email: string, config: Config, log: Logger): Promise<string> {
  const publicUrl = config.publicUrl ?? defaultPublicUrl(config.host, config.port)
  const link = await withDatabase(config, log, (database) => issue(database, email, publicUrl))
  return `This link signs in as ${email}, once and within 10 minutes:\n${link}`
}

function issue(database: Database, email: string, publicUrl: string): Promise<string> {
  return database.transactionAs({ role: 'hoplet_auth' }, async (db) => {
    const account = orThrow(
      await lockAccountOf(db, claimedEmail(email)),
      () => new Error(`No account has the e-mail address ${email}.`),
    )
    if (account.banned_until !== null && account.banned_until > new Date())
      throw new Error(`The account of ${email} is blocked. Unblock it first.`)
    const redirectTo = new URL(routes.auth.path, publicUrl).href
    const token = { userId: account.id, kind: 'operator' as const, redirectTo }
    const secret = await issueLink(db, { ...token, email: account.email ?? '' })
    await db.query(
      `insert into auth.security_events (at, user_id, event, facts) values (now(), $1, $2, '{}')`,
      [account.id, event],
    )
    return linkFor({ publicUrl }, 'operator', secret, redirectTo)
  })
}
