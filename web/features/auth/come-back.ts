import { routes } from '#domain/routes.ts'
import { readNextPage } from '#web/session/next-page.ts'

/**
 * The address that a provider or a mailed link leads back to: this screen, which then leads on.
 *
 * @param from tells web/session/sign-in-completion.ts the purpose of a code that this browser cannot exchange
 */
export function comeBackTo(
  next: string | undefined,
  from?: 'sign-up' | 'provider' | 'silent',
): string {
  return `${window.location.origin}${routes.auth.href({ next: readNextPage(next), from })}`
}
