/** Which service asks people to prove that they are not a program. */
export interface CaptchaServiceSettings {
  provider: 'turnstile' | 'hcaptcha'
  siteKey: string
  secret: string
  /** Where tokens are checked; undefined for the provider's own address. */
  verifyUrl: string | undefined
}

interface SharedProviderSettings {
  /** As clients name it, for example `google`. */
  id: string
  /** As people read it, for example `Google`. */
  name: string
  /** The first one is ours for signing in here; id_tokens issued for any of them are accepted. */
  clientIds: string[]
  clientSecret: string
  /** Separated by blanks. */
  scopes: string
}

/** A sign-in provider that the operator has set up (server/env-providers.ts). */
export type SignInProviderSettings = SharedProviderSettings &
  (
    | { kind: 'openid'; issuer: string; clientAuth: 'basic' | 'post' | undefined }
    | { kind: 'github'; url: string }
  )

export interface AuthSettings {
  /** New accounts need not confirm their email address. */
  autoconfirm: boolean
  signUp: boolean
  passwordMinLength: number
  /** Where sign-ins may lead besides the web app's own pages (redirects.ts). */
  redirectUrls: readonly string[]
  providers: readonly SignInProviderSettings[]
  /** Whether people may link more sign-ins to their account. */
  manualLinking: boolean
  /** Whether apps may register themselves (oauth/register.ts). */
  oauthRegistration: boolean
  /** Receives text messages for phones as second factors (factors/challenge.ts); undefined: phones are not offered. */
  smsWebhook: string | undefined
  /** Undefined: no captcha. */
  captcha: CaptchaServiceSettings | undefined
}
