import { isNumber, type LeadProvider, withKey } from './lead-provider.ts'

/** https://listmonk.app/docs/apis/subscribers/ */
export const listmonk: LeadProvider = {
  /** On a host of LEAD_HOSTS an owner reaches this path and no other one. */
  url({ key, list }, origin) {
    if (!isNumber(list) || !key.includes(':') || !URL.canParse(origin)) return undefined
    const { pathname, search, hash } = new URL(origin)
    if (pathname !== '/' || search !== '' || hash !== '') return undefined
    return new URL('/api/subscribers', origin).href
  },
  request: ({ key, list }, { email }) =>
    withKey('authorization', `token ${key}`, {
      email,
      name: email,
      status: 'enabled',
      lists: [Number(list)],
      // Hoplet has asked for the confirmation.
      preconfirm_subscriptions: true,
    }),
  isThere: ({ status }) => status === 409,
}
