import type { Config } from '../config.ts'
import { signingKeyOf } from '../tokens/keys.ts'

/**
 * Prints the line that all servers of one database need: with the key of this server, or else with a new one. The API
 * keys of both roles are signed with it, so those of all servers are valid at each.
 */
export async function printKeys(
  args: readonly string[],
  { dataDir, signingKey }: Pick<Config, 'dataDir' | 'signingKey'>,
): Promise<string> {
  if (args.length > 0) throw new Error('Usage: npm run --silent keys >> .env')
  const { key, isNew } = await signingKeyOf(dataDir, signingKey)
  // Beside the line, so that the output can be appended to a file of settings.
  process.stderr.write(
    isNew
      ? 'A new key. Give all servers of one database this line, and keep it: without it everyone has to sign in again.\n'
      : 'The key of this server. Give all servers of its database this line, and keep it.\n',
  )
  return `JWT_SIGNING_KEY=${JSON.stringify(key)}`
}
