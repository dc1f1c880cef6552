import { expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { sharedServer, startTestServer } from '../server.ts'

const path = '/.well-known/security.txt'
const contactOf = (SECURITY_CONTACT: string) =>
  createConfig(parseVariables({ SECURITY_CONTACT })).securityContact

it('security.txt names the contact of the operator and expires within a year (RFC 9116)', async () => {
  const server = await startTestServer({
    securityContact: contactOf('security@hop.example'),
    publicUrl: 'https://hop.example',
  })
  try {
    const response = await fetch(server.url + path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; ?charset=utf-8$/i)
    const fields = Object.fromEntries(
      (await response.text())
        .trim()
        .split('\n')
        .map((line) => line.split(/: (.*)/)),
    )
    expect(fields).toEqual({
      Contact: 'mailto:security@hop.example',
      Expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/),
      Canonical: `https://hop.example${path}`,
    })
    const days = (Date.parse(fields['Expires']) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(30)
    expect(days).toBeLessThan(365)
  } finally {
    await server.close()
  }
})

it('security.txt is a 404 without SECURITY_CONTACT', async () => {
  const { url } = await sharedServer()
  expect((await fetch(url + path)).status).toBe(404)
})

it('SECURITY_CONTACT is an email address or a URI', () => {
  expect(contactOf('https://hop.example/security')).toBe('https://hop.example/security')
  expect(contactOf('mailto:a@hop.example')).toBe('mailto:a@hop.example')
  expect(contactOf('')).toBeUndefined()
  for (const wrong of ['http://hop.example', 'the admin', 'https://hop.example/\r\nExpires: never'])
    expect(() => contactOf(wrong)).toThrow('SECURITY_CONTACT')
})
