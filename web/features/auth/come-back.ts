import { routes } from '#domain/routes.ts'
import { readNextPage } from '#web/session/next-page.ts'

/** The address that a provider or a mailed link leads back to: this screen, which then leads on. */
export function comeBackTo(next: string | undefined): string {
  const wanted = readNextPage(next)
  return `${window.location.origin}${routes.auth.href(wanted === undefined ? {} : { next: wanted })}`
}
