import { auth } from '#web/api/auth-client.ts'

/** Sends the browser to a provider, to sign in there. @returns why it did not work, or null */
export async function leaveForProvider(
  provider: string,
  redirectTo: string,
  queryParams: Record<string, string> = {},
): Promise<string | null> {
  const { error } = await auth.signInWithOAuth({
    provider: provider as Parameters<typeof auth.signInWithOAuth>[0]['provider'],
    options: { redirectTo, queryParams },
  })
  return error === null ? null : error.message
}
