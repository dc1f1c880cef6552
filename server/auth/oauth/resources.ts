import { mcpAudience } from '../../tokens/audiences.ts'
import { oauthErrors } from '../errors.ts'

/** Resource names of the doors: each alone, or all of them. */
const doorPaths = ['', '/rest/v1', '/auth/v1', '/functions/v1']

/**
 * Resource of a token (RFC 8707): `/mcp`, or null for the doors, which share their tokens.
 *
 * @throws {OAuthError} invalid_target for an unknown resource
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
 * The token endpoint never gives a token for another resource than the person consented to.
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
