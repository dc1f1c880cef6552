/** Who we are to apps: the `iss` of every token, and of every answer to an app (RFC 9207). */
export function issuerOf(config: { publicUrl: string }): string {
  return `${config.publicUrl}/auth/v1`
}
