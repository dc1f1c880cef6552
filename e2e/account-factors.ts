import type { CDPSession, Page } from 'playwright-core'
import { codeOf } from '#test/auth/factors/second-factor.ts'
import type { TestUser } from '#test/factories.ts'
import { post } from './account-stage.ts'
import type { BuiltServer } from './built-server.ts'

/** Gives a person an authenticator app, which ends all their earlier sessions. @returns its secret */
export async function addTotp(server: BuiltServer, user: TestUser): Promise<string> {
  const { accessToken: token } = user
  const { id, totp } = (await post(server, '/factors', { factor_type: 'totp' }, token)) as {
    id: string
    totp: { secret: string }
  }
  const challenge = (await post(server, `/factors/${id}/challenge`, {}, token)) as { id: string }
  const code = await codeOf(totp.secret, -1)
  await post(server, `/factors/${id}/verify`, { challenge_id: challenge.id, code }, token)
  return totp.secret
}

interface PluggedKey {
  cdp: CDPSession
  authenticatorId: string
}

/** Plugs Chromium's own security key in. */
export async function plugKeyIn(page: Page): Promise<PluggedKey> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'usb',
      hasResidentKey: false,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}
