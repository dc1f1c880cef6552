import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Mailbox, openMailbox, type ReceivedMail } from '../mailed/mailbox.ts'
import { type Google, startGoogle } from '../stand-ins/google.ts'
import { type Issuer, startIssuer } from '../stand-ins/issuer.ts'
import { serve } from '../stand-ins/serve.ts'
import { type SmsGateway, startSmsGateway } from '../stand-ins/sms.ts'

/** All that a server with everything switched on talks to. */
export interface Outside {
  google: Google
  /** Gives id_tokens out, as provider `keycloak`. */
  issuer: Issuer
  sms: SmsGateway
  mailbox: Mailbox
  /** Where sign-ins lead back to: a page of another site. */
  app: string
  /** The newest email to a person, once there are as many as `count`. */
  mailFor(email: string, count?: number): Promise<ReceivedMail>
  /** The settings for it. */
  environment: Record<string, string>
  close(): Promise<void>
}

export async function startOutside(): Promise<Outside> {
  const [site, google, issuer, sms, mailbox] = await Promise.all([
    serve(showApp),
    startGoogle(),
    startIssuer(),
    startSmsGateway(),
    openMailbox(),
  ])
  const app = `${site.url}/signed-in`
  return {
    app,
    google,
    issuer,
    sms,
    mailbox,
    environment: {
      RATE_LIMITS: 'off',
      AUTH_PROVIDER_GOOGLE_ISSUER: google.url,
      AUTH_PROVIDER_GOOGLE_CLIENT_ID: google.clientId,
      AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: google.clientSecret,
      AUTH_PROVIDER_KEYCLOAK_ISSUER: issuer.url,
      AUTH_PROVIDER_KEYCLOAK_CLIENT_ID: issuer.clientId,
      AUTH_PROVIDER_KEYCLOAK_CLIENT_SECRET: 'secret',
      AUTH_REDIRECT_URLS: app,
      SMS_WEBHOOK_URL: sms.url,
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Hoplet <hoplet@example.com>',
    },
    async mailFor(email, count = 1) {
      for (let attempt = 0; attempt < 200; attempt++) {
        const mails = mailbox.received.filter(({ to }) => to === email)
        const newest = mails.at(-1)
        if (newest && mails.length >= count) return newest
        await sleep(50)
      }
      throw new Error(`no mail for ${email}`)
    },
    async close() {
      await Promise.all([
        site.close(),
        google.close(),
        issuer.close(),
        sms.close(),
        mailbox.close(),
      ])
    },
  }
}

function showApp(_request: unknown, response: ServerResponse): void {
  response.setHeader('content-type', 'text/html')
  response.end('<!doctype html><link rel="icon" href="data:,"><title>The app</title>')
}
