import { isNumber, type LeadProvider, withKey } from './lead-provider.ts'

/** https://developers.brevo.com/reference/createcontact */
export const brevo: LeadProvider = {
  url: ({ list }, _origin, hosts) => (isNumber(list) ? `${hosts.brevo}/v3/contacts` : undefined),
  request: ({ key, list }, { email }) =>
    withKey('api-key', key, { email, listIds: [Number(list)], updateEnabled: true }),
  isThere: () => false,
}
