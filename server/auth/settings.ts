import type { AuthCall } from './call.ts'
import { relyingParty } from './factors/webauthn.ts'

/** Ways in that GoTrue lists; clients draw their buttons by this. */
const listed = [
  'anonymous_users',
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'kakao',
  'keycloak',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'slack',
  'slack_oidc',
  'spotify',
  'twitch',
  'twitter',
  'workos',
  'zoom',
  'phone',
]

/** GET /settings: which ways in there are. Public. */
export async function getSettings({ context: { config } }: AuthCall): Promise<Response> {
  const { providers } = config.auth
  return Response.json({
    external: {
      ...Object.fromEntries(listed.map((name) => [name, false])),
      ...Object.fromEntries(providers.map(({ id }) => [id, true])),
      email: true,
    },
    // Not the protocol's: what the buttons are called.
    providers: providers.map(({ id, name }) => ({ id, name })),
    manual_linking: config.auth.manualLinking,
    // Not the protocol's either: which second factors can be set up here.
    factors: {
      totp: true,
      webauthn: relyingParty(config.publicUrl) !== undefined,
      phone: config.auth.smsWebhook !== undefined,
    },
    // Nor this: what the captcha's widget needs. Null: there is none.
    captcha: config.auth.captcha
      ? { provider: config.auth.captcha.provider, site_key: config.auth.captcha.siteKey }
      : null,
    disable_signup: !config.auth.signUp,
    mailer_autoconfirm: config.auth.autoconfirm,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
  })
}
