import * as z from 'zod'
import type { ApiRows } from '#domain/database.generated.ts'
import { domainProblems, domainRecordTypes } from '#domain/domains/domain-problems.ts'
import { plural } from '../../primitives/plural.ts'
import { NotFoundError } from '../tables.ts'
import { defineTool } from '../tool.ts'

const domain = z.object({
  host: z.string(),
  is_verified: z.boolean().describe('Its links and bio page are served.'),
  has_certificate: z.boolean(),
  certificate_ends_at: z.string().nullable(),
  is_probed: z.boolean().describe('The last check asked the host over https; else DNS is trusted.'),
  problem: z.enum(domainProblems).nullable(),
  records: z
    .array(
      z.object({
        type: z.enum(domainRecordTypes),
        name: z.string(),
        value: z.string(),
        found: z.boolean(),
      }),
    )
    .describe('DNS records that the person creates at their provider.'),
  is_default: z.boolean().describe('New links without a domain get this one.'),
  link_count: z.int(),
  checked_at: z.string().nullable(),
})
const columns = Object.keys(domain.shape)

export const listDomains = defineTool({
  name: 'list_domains',
  title: 'List domains',
  description:
    'Lists the hosts of the person for short links and bio pages, with the DNS records of each and the findings of the last check. Changes nothing.',
  scopes: ['links:read'],
  effect: 'read',
  input: z.object({}),
  output: z.object({ domains: z.array(domain) }),
  async run({ tables }) {
    const query = { select: columns.join(','), order: 'host' }
    return { domains: await tables.ask<z.input<typeof domain>[]>('domains', { query }) }
  },
  summarize: ({ domains }) => plural(domains.length, 'domain'),
})

export const checkDomainTool = defineTool({
  name: 'check_domain',
  title: 'Check a domain',
  description:
    'Checks the DNS records and the certificate of a domain of the person now. A domain with right records is served afterwards.',
  scopes: ['links:read'],
  effect: 'read',
  input: z.object({ host: z.string().max(253).describe('As in list_domains.') }),
  output: domain,
  async run({ tables }, { host }) {
    const { id } = await tables.askOne<Pick<ApiRows['domains'], 'id'>>(
      'domains',
      { query: { host: `eq.${host}`, select: 'id' } },
      () => new NotFoundError(`You have no domain ${host}.`),
    )
    const checked = await tables.ask<object>('rpc/check_domain', {
      method: 'POST',
      body: { _id: id },
    })
    return domain.parse(
      Object.fromEntries(Object.entries(checked).filter(([name]) => columns.includes(name))),
    )
  },
  summarize: ({ host, is_verified: isVerified, problem }) =>
    isVerified ? `${host} is verified.` : `${host} is not verified: ${problem}.`,
})
