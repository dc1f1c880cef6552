import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { ConfigurationError, parseVariables } from '#server/env.ts'

const authOf = (variables: Record<string, string>) => createConfig(parseVariables(variables)).auth

function problemsOf(variables: Record<string, string>): string[] {
  try {
    parseVariables(variables)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
  return []
}

const acme = {
  AUTH_PROVIDER_ACME_CORP_ISSUER: 'https://id.acme.example',
  AUTH_PROVIDER_ACME_CORP_CLIENT_ID: 'web, phone',
}

it('the configuration lists no provider unless one is configured', () => {
  expect(authOf({})).toMatchObject({ providers: [], redirectUrls: [], manualLinking: true })
})

it('the configuration reads any provider by its name, and secrets from files', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'hoplet-env-')), 'secret')
  await writeFile(file, 'from a file\n')
  const { providers } = authOf({
    ...acme,
    AUTH_PROVIDER_ACME_CORP_CLIENT_SECRET_FILE: file,
    AUTH_PROVIDER_ACME_CORP_NAME: 'ACME',
    AUTH_PROVIDER_ACME_CORP_ADMIN_CLAIM: 'https://acme.example/groups=cn=admins,dc=acme',
    AUTH_PROVIDER_GITHUB_CLIENT_ID: 'gh',
    AUTH_PROVIDER_GITHUB_CLIENT_SECRET: 's',
  })
  expect(providers).toMatchObject([
    {
      kind: 'openid',
      id: 'acme_corp',
      name: 'ACME',
      issuer: 'https://id.acme.example',
      clientIds: ['web', 'phone'],
      clientSecret: 'from a file',
      scopes: 'openid email profile',
      adminClaim: { name: 'https://acme.example/groups', value: 'cn=admins,dc=acme' },
    },
    { kind: 'github', id: 'github', name: 'GitHub', url: 'https://github.com' },
  ])
})

it.each([
  [{ ...acme }, 'AUTH_PROVIDER_ACME_CORP_CLIENT_SECRET: is missing'],
  [{ AUTH_PROVIDER_GITHUB_CLIENT_ID: 'x' }, 'AUTH_PROVIDER_GITHUB_CLIENT_SECRET: is missing'],
  [{ AUTH_PROVIDER_ACME_KEY: 'x' }, 'AUTH_PROVIDER_ACME_KEY: is not known'],
  [{ AUTH_PROVIDER_EMAIL_CLIENT_ID: 'x' }, 'AUTH_PROVIDER_EMAIL_CLIENT_ID: this name is taken'],
  [
    { AUTH_PROVIDER_X_ISSUER: 'http://id.acme.example' },
    'AUTH_PROVIDER_X_ISSUER: must be an https',
  ],
  [{ AUTH_PROVIDER_X_CLIENT_AUTH: 'jwt' }, 'AUTH_PROVIDER_X_CLIENT_AUTH: must be basic or post'],
  [{ AUTH_PROVIDER_X_ADMIN_CLAIM: 'admins' }, 'AUTH_PROVIDER_X_ADMIN_CLAIM: must name a claim and'],
  [
    { AUTH_PROVIDER_X_ADMIN_CLAIM: 'groups=' },
    'AUTH_PROVIDER_X_ADMIN_CLAIM: must name a claim and',
  ],
  [
    { AUTH_PROVIDER_X_ADMIN_CLAIM: '=admins' },
    'AUTH_PROVIDER_X_ADMIN_CLAIM: must name a claim and',
  ],
  [
    { AUTH_PROVIDER_GITHUB_ADMIN_CLAIM: 'a=b' },
    'AUTH_PROVIDER_GITHUB_ADMIN_CLAIM: is not for this provider',
  ],
  [{ AUTH_REDIRECT_URLS: 'https://*.example/cb' }, 'AUTH_REDIRECT_URLS.0: must name its host'],
  [{ AUTH_REDIRECT_URLS: 'https://a.example, b' }, 'AUTH_REDIRECT_URLS.1: must be an absolute'],
])('the configuration refuses %j', (variables, problem) => {
  const problems = problemsOf(variables)
  expect(problems.filter((each) => each.startsWith(problem))).toHaveLength(1)
})

const other = {
  AUTH_PROVIDER_OTHER_ISSUER: 'https://id.other.example',
  AUTH_PROVIDER_OTHER_CLIENT_ID: 'web',
  AUTH_PROVIDER_OTHER_CLIENT_SECRET: 's',
}

it('the start stops without passwords and without a provider', () => {
  expect(problemsOf({ AUTH_PASSWORDS: 'off' })).toEqual([
    'AUTH_PASSWORDS: off needs a sign-in provider (AUTH_PROVIDER_…); else nobody could sign in',
  ])
  expect(authOf({ AUTH_PASSWORDS: 'off', ...other })).toMatchObject({ passwords: false })
  expect(authOf({})).toMatchObject({ passwords: true })
})

it('the start stops with two providers to go to without asking', () => {
  const secret = { ...acme, AUTH_PROVIDER_ACME_CORP_CLIENT_SECRET: 's' }
  const auto = { AUTH_PROVIDER_ACME_CORP_AUTO: 'on', AUTH_PROVIDER_OTHER_AUTO: 'off' }
  const { providers } = authOf({ ...secret, ...other, ...auto })
  expect(providers.map(({ isAutomatic }) => isAutomatic)).toEqual([true, false])
  expect(problemsOf({ ...secret, ...other, ...auto, AUTH_PROVIDER_OTHER_AUTO: 'on' })).toEqual([
    'AUTH_PROVIDER_OTHER_AUTO: is on for ACME_CORP already; one provider at most',
  ])
})
