import { auth } from '#web/api/auth-client.ts'

interface Leaving {
  /** Parameters for the provider. */
  queryParams?: Record<string, string> | undefined
  /** Opens the provider's address; by default in this tab. */
  open?: ((url: string) => void) | undefined
}

/** Sends the browser to a provider, to sign in there. @returns why it did not work, or null */
export async function leaveForProvider(
  provider: string,
  redirectTo: string,
  { queryParams = {}, open = (url) => window.location.assign(url) }: Leaving = {},
): Promise<string | null> {
  const { data, error } = await auth.signInWithOAuth({
    provider: provider as Parameters<typeof auth.signInWithOAuth>[0]['provider'],
    options: { redirectTo, queryParams, skipBrowserRedirect: true },
  })
  if (error !== null) return error.message
  open(data.url)
  return null
}
