import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import { site } from '#web/site.ts'

/** A command line that tries a new key: it makes a link, or reads some; undefined for a key that can do neither. */
export function firstCall(key: string, scopes: readonly OAuthScope[]): string | undefined {
  const links = `${site.publicUrl}/rest/v1/shortened_urls`
  const asKey = `-H 'Authorization: Bearer ${key}'`
  if (scopes.includes('links:write'))
    return lines(
      `curl '${links}?select=short_code'`,
      asKey,
      `-H 'Content-Type: application/json'`,
      // Without it the answer is empty, and the new code unknown.
      `-H 'Prefer: return=representation'`,
      `-d '{"original_url": "https://example.com/"}'`,
    )
  return scopes.includes('links:read')
    ? lines(`curl '${links}?select=short_code,original_url&limit=3'`, asKey)
    : undefined
}

function lines(...parts: string[]): string {
  return parts.join(' \\\n  ')
}
