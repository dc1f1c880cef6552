import type { AuthCall } from './call.ts'

/** Providers that GoTrue lists; clients draw their buttons by this. */
const providers = [
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
  return Response.json({
    external: {
      ...Object.fromEntries(providers.map((provider) => [provider, false])),
      email: true,
    },
    disable_signup: !config.auth.signUp,
    mailer_autoconfirm: config.auth.autoconfirm,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
  })
}
