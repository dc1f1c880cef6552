import type { SecretBox } from '../auth/secret-box.ts'

/** For the secret box: a secret of one webhook cannot be opened as another's. */
export const contextOfWebhookSecret = (webhook: string): string => `webhook ${webhook} secret`

/** The secrets that sign now, the newest first. */
export function openSecrets(
  box: SecretBox,
  webhook: string,
  sealed: { secret: string; previous_secret: string | null },
): string[] {
  return [sealed.secret, sealed.previous_secret].flatMap((each) =>
    each === null ? [] : (box.open(each, contextOfWebhookSecret(webhook)) ?? []),
  )
}
