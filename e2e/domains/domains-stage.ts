import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'
import { startDnsServer } from '#test/stand-ins/dns.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

/** The server's own host of links, which the test's name server knows. */
export const linksHost = 'hop.example'

export type Dns = Awaited<ReturnType<typeof startDnsServer>>

const dns = await startDnsServer()
dns.set(linksHost, { A: ['127.0.0.1'] })

/** The built server with the name server of the test. It asks no domain over https. */
export function setDomainStage(
  ready: (stage: { server: BuiltServer; browser: Browser; dns: Dns }) => void,
): void {
  setStage((stage) => ready({ ...stage, dns }), {
    environment: () => ({
      RATE_LIMITS: 'off',
      LINKS_URL: `http://${linksHost}`,
      DNS_SERVERS: dns.address,
      DOMAIN_PROBE: 'off',
    }),
  })
  afterAll(() => dns.close())
}
