import { claimedEmail } from '../auth/credentials.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { type Database, DatabaseUnavailableError } from '../postgres/database.ts'
import { makeSignInLink } from './make-sign-in-link.ts'
import { withDatabase } from './with-database.ts'
import { oneArgument } from './one-argument.ts'
import { errorMessage } from '../primitives/caught-error.ts'
import { errorCode } from '../primitives/error-code.ts'
import { orThrow } from '../primitives/or-throw.ts'

const usage = `Usage: npm run admin -- EMAIL   (makes the account with this e-mail address an admin)
       npm run admin -- --sign-in EMAIL   (makes a link that signs in to the account, once)`

/**
 * Gives an existing account the role admin, or, with `--sign-in`, makes a link that signs in to it.
 *
 * @param args the e-mail address, and `--sign-in` before it
 * @returns a message for the operator
 * @throws {Error} with advice for the operator
 */
export async function makeAdmin(args: string[], config: Config, log: Logger): Promise<string> {
  if (args[0] === '--sign-in') return makeSignInLink(oneArgument(args.slice(1), usage), config, log)
  const email = oneArgument(args, usage)
  const before = await withDatabase(config, log, (database) => grantAdmin(database, email))
  return before === 'admin'
    ? `${email} is an admin already.`
    : `${email} is an admin now. The next page that they load shows it.`
}

/** Also where a claim gave the role, which is good in its sessions only. @returns the role that the account had by hand */
async function grantAdmin(database: Database, email: string): Promise<string | undefined> {
  return database.transactionAs({ role: 'hoplet_worker' }, async (db) => {
    const { rows } = await db.query<{
      id: string
      role: string | null
      claim_provider: string | null
    }>(
      `select p.id, r.role, r.claim_provider from app.profiles p left join app.user_roles r on r.user_id = p.id where p.email = $1`,
      [claimedEmail(email)],
    )
    const account = orThrow(
      rows[0],
      () => new Error(`No account has the e-mail address ${email}. Sign up with it first.`),
    )
    const isByHand = account.role === 'admin' && account.claim_provider === null
    if (!isByHand) {
      await db.query(
        `insert into app.user_roles (user_id, role) values ($1, 'admin')
          on conflict (user_id) do update set role = excluded.role, claim_provider = null`,
        [account.id],
      )
    }
    return isByHand ? 'admin' : undefined
  })
}

/** The error message for the operator, in one line. */
export function explain(error: unknown): string {
  // undefined_table, invalid_schema_name, undefined_object: the server has never run on this database.
  if (/^(42P01|3F000|42704|22023)$/.test(errorCode(error) ?? ''))
    return 'This database has no accounts yet. Start Hoplet with npm start and sign up first.'
  if (error instanceof DatabaseUnavailableError)
    return `The database cannot be reached: ${errorMessage(error.cause ?? error)}`
  return errorMessage(error)
}
