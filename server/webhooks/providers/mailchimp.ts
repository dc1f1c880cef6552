import { type LeadProvider, withKey } from './lead-provider.ts'

/** https://mailchimp.com/developer/marketing/api/list-members/add-member-to-list/ */
export const mailchimp: LeadProvider = {
  url({ key, list }, _origin, hosts) {
    const dataCenter = /-([a-z]{2,4}\d{1,3})$/.exec(key)?.[1]
    if (dataCenter === undefined) return undefined
    return `${hosts.mailchimp.replace('{dc}', dataCenter)}/3.0/lists/${list}/members`
  },
  request({ key }, { email, tags }) {
    const login = `Basic ${Buffer.from(`hoplet:${key}`).toString('base64')}`
    return withKey('authorization', login, { email_address: email, status: 'subscribed', tags })
  },
  isThere: ({ status, answer }) => status === 400 && answer.includes('Member Exists'),
}
