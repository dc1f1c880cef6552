import { Hono } from 'hono'
import type { PublicSite } from './public-site.ts'

interface SecurityTxtDeps {
  config: PublicSite & { securityContact: string | undefined }
}

const validForDays = 90

/** Serves `/.well-known/security.txt` (RFC 9116) on servers with a security contact; on others the path is a 404. */
export function createSecurityTxt({ config }: SecurityTxtDeps): Hono {
  const app = new Hono()
  const { securityContact: contact } = config
  if (contact === undefined) return app
  app.get('/security.txt', (c) => {
    const expires = new Date(Date.now() + validForDays * 86_400_000)
    // Whole days, so that all servers of a site give the same text.
    expires.setUTCHours(0, 0, 0, 0)
    c.header('Cache-Control', 'public, max-age=3600')
    return c.text(
      [
        `Contact: ${contact}`,
        `Expires: ${expires.toISOString()}`,
        `Canonical: ${config.publicUrl}/.well-known/security.txt`,
        '',
      ].join('\n'),
    )
  })
  return app
}
