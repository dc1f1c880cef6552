import { mcpAudience } from '../../tokens/audiences.ts'
import { oauthErrors } from '../errors.ts'

/** What the doors are called as a resource: each alone, or all of them. */
const doorPaths = ['', '/rest/v1', '/auth/v1', '/functions/v1']

/**
 * What a token is to be for (RFC 8707): `/mcp`, or null for the doors, which share their tokens.
 *
 * @throws {OAuthError} invalid_target for what is not here
 */
export function resourceOf(text: string | undefined, publicUrl: string): string | null {
  if (text === undefined) return null
  if (text.length > 2_048 || !URL.canParse(text) || text.includes('#'))
    throw oauthErrors.invalidTarget()
  const { href } = new URL(text)
  const wanted = href.replace(/\/$/, '')
  const mcp = mcpAudience({ publicUrl })
  if (wanted === mcp) return mcp
  if (doorPaths.some((path) => wanted === `${publicUrl}${path}`)) return null
  throw oauthErrors.invalidTarget()
}

/**
 * The token endpoint gives what the person was asked for, and never a token for something else.
 *
 * @param text undefined when the app does not say it again
 * @throws {OAuthError} invalid_target
 */
export function checkSameResource(
  text: string | undefined,
  { resource }: { resource: string | null },
  publicUrl: string,
): void {
  if (text !== undefined && resourceOf(text, publicUrl) !== resource)
    throw oauthErrors.invalidTarget()
}
