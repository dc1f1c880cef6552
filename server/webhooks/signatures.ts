import { createHmac, randomBytes } from 'node:crypto'

// The symmetric scheme of the Standard Webhooks specification (standardwebhooks.com). Its npm package verifies in the tests;
// here node:crypto signs: the package has SHA-256 in JavaScript, which takes many times as long (docs/decisions/0064).

const prefix = 'whsec_'
/** The specification wants 24 to 64. */
const secretBytes = 32

/** A new secret as receivers get it: `whsec_` and Base64. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64')
}

interface SignedMessage {
  /** Id of the event, the same for each attempt. */
  id: string
  /** When this attempt was made, in seconds since 1970. */
  timestamp: number
  body: string
}

/** The headers of a message, with one signature for each secret. */
export function signedHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    return `v1,${digest}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
