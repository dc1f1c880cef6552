import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSecretBox } from '#server/auth/secret-box.ts'

const newBox = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = privateKey.export({ format: 'jwk' })
  return { box: createSecretBox(jwk), same: createSecretBox({ ...jwk }) }
}

it('the secret box opens secrets sealed with the same key for the same place, and nothing else', () => {
  const { box, same } = newBox()
  const sealed = box.seal('a secret', 'here')
  expect(sealed).not.toContain('secret')
  expect(box.seal('a secret', 'here')).not.toBe(sealed)
  expect(same.open(sealed, 'here')).toBe('a secret')
  expect(same.open(sealed, 'there')).toBeUndefined()
  expect(newBox().box.open(sealed, 'here')).toBeUndefined()
})

it('the secret box opens nothing that was changed, truncated or never sealed', () => {
  const { box } = newBox()
  const sealed = box.seal('a secret', 'here')
  const [, text = ''] = sealed.split('.')
  const bytes = Buffer.from(text, 'base64url')
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(box.open(`v1.${changed.toString('base64url')}`, 'here')).toBeUndefined()
  }
  for (const other of ['', 'v1.', 'v1', text, `v2.${text}`, sealed.slice(0, -4), 'v1.AAAA'])
    expect(box.open(other, 'here')).toBeUndefined()
})

it('the secret box marks a code with its key and its place', () => {
  const { box, same } = newBox()
  const mark = box.digest('123456', 'here')
  expect(same.digest('123456', 'here')).toBe(mark)
  expect(
    new Set([mark, box.digest('123456', 'there'), newBox().box.digest('123456', 'here')]).size,
  ).toBe(3)
})
