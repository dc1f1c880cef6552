import type { Config } from '../config.ts'
import type { AuthCall } from './call.ts'
import { relyingParty } from './factors/webauthn.ts'

/** The sign-in methods that GoTrue lists; clients draw their buttons by them. */
const knownMethods =
  `anonymous_users apple azure bitbucket discord facebook figma fly github gitlab google kakao
  keycloak linkedin linkedin_oidc notion slack slack_oidc spotify twitch twitter workos zoom
  phone`.split(/\s+/)

/** GET /settings: which sign-in methods there are. Public. */
export function getSettings({ deps: { config } }: AuthCall): Response {
  const { providers, passwords } = config.auth
  return Response.json({
    external: {
      ...Object.fromEntries(knownMethods.map((name) => [name, false])),
      ...Object.fromEntries(providers.map(({ id }) => [id, true])),
      email: passwords,
    },
    // Not part of the protocol: the labels of the buttons.
    providers: providers.map(({ id, name }) => ({ id, name })),
    // Not part of the protocol: where people who have to sign in go without asking.
    auto_provider: providers.find(({ isAutomatic }) => isAutomatic)?.id ?? null,
    manual_linking: config.auth.manualLinking,
    // Not part of the protocol: which second factors can be set up here.
    factors: {
      totp: true,
      webauthn: relyingParty(config.publicUrl) !== undefined,
      phone: config.auth.smsWebhook !== undefined,
    },
    // Not part of the protocol: settings of the captcha widget. Null: no captcha.
    captcha: config.auth.captcha
      ? { provider: config.auth.captcha.provider, site_key: config.auth.captcha.siteKey }
      : null,
    // Not part of the protocol: where emails go. 'log': into files, with their links in the log of this machine.
    mail: mailWay(config.mail),
    disable_signup: !config.auth.signUp,
    mailer_autoconfirm: config.auth.autoconfirm,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
  })
}

function mailWay({ smtpUrl, logsLinks }: Config['mail']): 'sent' | 'log' | 'none' {
  if (smtpUrl !== undefined) return 'sent'
  return logsLinks ? 'log' : 'none'
}

/** GET /health: the auth door answers. Whether the whole server is ready, GET /health/ready tells. */
export function getHealth(): Response {
  return Response.json({ name: 'Hoplet', description: 'Hoplet serves the Supabase auth protocol' })
}

/** GET /.well-known/jwks.json: the public keys that verify access tokens. Clients cache them for 10 minutes. */
export function getJwks({ deps: { tokens } }: AuthCall): Response {
  return Response.json(tokens.jwks, { headers: { 'Cache-Control': 'public, max-age=600' } })
}
