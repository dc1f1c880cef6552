import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { readCatalog } from '../tables/catalog/catalog.ts'
import { describeTables } from '../tables/openapi/openapi.ts'
import { apiRules } from '../tables/rules.ts'
import type { Identity } from '../tokens/tokens.ts'
import { withDatabase } from './with-database.ts'

const usage = `Usage: npm run --silent api -- openapi          (what a signed-in person may do, as OpenAPI 3.1)
       npm run --silent api -- openapi anon     (what everyone may do)`

/**
 * Prints the description of the table door.
 *
 * @param args `openapi`, and the role if it is not a person's
 * @returns JSON
 * @throws {Error} with the usage
 */
export async function describeApi(args: string[], config: Config, log: Logger): Promise<string> {
  const [what, role = 'authenticated', ...more] = args
  if (what !== 'openapi' || !(role === 'anon' || role === 'authenticated') || more.length > 0)
    throw new Error(usage)
  const catalog = await withDatabase(config, log, (database) => readCatalog(database, 'api'))
  const identity: Identity =
    role === 'anon' ? { role: 'anon', claims: {} } : { role: 'authenticated', claims: { sub: '' } }
  const address = `${config.publicUrl}/rest/v1`
  return JSON.stringify(
    describeTables({ catalog, rules: apiRules }, identity, address, { admin: false, plans: true }),
    null,
    2,
  )
}
