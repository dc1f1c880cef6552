import { expect, it } from 'vitest'
import { appCallback, askFor, makeApp, pkcePair, sendForm } from '#test/auth/oauth/oauth-app.ts'
import { openPage } from '../browser.ts'
import { look } from '../look.ts'
import { setStage, type Stage } from '../stage.ts'
import { stageSpace } from './space-stage.ts'

let stage: Stage
setStage((ready) => {
  stage = ready
})

it('an app is allowed to act for a space, and the settings name the space', async () => {
  const space = await stageSpace(stage.server)
  const page = await openPage(stage.browser, stage.server.url, { user: space.owner })
  await page.route('https://app.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>The app</title>' }),
  )
  const scope = 'openid email links:read links:write'
  const app = await makeApp(stage.server, {
    client_name: 'Link Robot',
    client_uri: 'https://app.example',
    scope,
  })
  const pkce = pkcePair()
  const id = await askFor(stage.server, app, pkce, { scope, state: 'st-1' })
  await page.goto(`/oauth/consent?authorization_id=${id}`)
  await page.getByLabel('It acts for').selectOption('Harbour Books')
  await look(page, 'space-consent')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${appCallback}**`)
  const code = new URL(page.url()).searchParams.get('code') ?? ''
  const { body } = await sendForm(stage.server, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    code,
    code_verifier: pkce.verifier,
    redirect_uri: appCallback,
  })
  const made = await fetch(`${stage.server.url}/rest/v1/shortened_urls?select=user_id`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${String(body['access_token'])}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify({ original_url: 'https://example.com/' }),
  })
  expect([made.status, await made.json()]).toEqual([201, [{ user_id: space.id }]])
  await page.goto('/settings?tab=apps')
  await page.getByText('Acts for Harbour Books').waitFor()
  await page.context().close()
})
