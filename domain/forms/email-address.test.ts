import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mailboxOf, socialAddress } from '#domain/bio/bio-form.ts'
import { readEmailAddress } from './email-address.ts'
import { deleteAccountForm, emailForm } from './forms.ts'
import { checkReport } from './report-form.ts'

const accepted: [typed: string, stored: string][] = [
  ['ann@example.com', 'ann@example.com'],
  [" Ann.O'Neill+x@Mail.Example.COM\n", "Ann.O'Neill+x@Mail.Example.COM"],
  ['a@пример.рф', 'a@xn--e1afmkfd.xn--p1ai'],
  ['a@例子.中国', 'a@xn--fsqu00a.xn--fiqs8s'],
  ['a@例子。中国', 'a@xn--fsqu00a.xn--fiqs8s'],
  ['A@MÜLLER.de', 'A@xn--mller-kva.de'],
  ['a@mu\u0308ller.de', 'a@xn--mller-kva.de'],
  ['a@ｅｘａｍｐｌｅ.com', 'a@example.com'],
  ['a@faß.de', 'a@xn--fa-hia.de'],
  ['a@موقع.مصر', 'a@xn--4gbrim.xn--wgbh1c'],
  ['r&d/x!~=%#$^*{}`|?@example.com', 'r&d/x!~=%#$^*{}`|?@example.com'],
  ['1@2.io', '1@2.io'],
  ['a@1-2.example', 'a@1-2.example'],
  ['a@xn--p1ai.xn--p1ai', 'a@xn--p1ai.xn--p1ai'],
]
const refused = [
  '',
  ' ',
  'ann',
  'ann@',
  '@example.com',
  'a@@example.com',
  'a b@example.com',
  'a@exam ple.com',
  'a..b@example.com',
  '.a@example.com',
  'a.@example.com',
  'user@localhost',
  'user@-x.com',
  'user@x-.com',
  'a@x..com',
  'a@.com',
  'a@x.com.',
  'a@x.c',
  'a@x.1',
  'a@1.2.3.4',
  'a@[1.2.3.4]',
  'a@0x7f.1',
  'a@x_y.com',
  '"a"@x.com',
  'a(b)@x.com',
  'a,b@x.com',
  'a;b@x.com',
  'a:b@x.com',
  'a\\b@x.com',
  'ä@x.com',
  'a\u200b@x.com',
  'a@x\u200b.com',
  'a@x\u202e.com',
  'a@x.com\0',
  'a@x.com/y',
  'a@x.com?y',
  'a@x.com:25',
  'a@x%2ecom',
  'a@xn--.com',
  'a\n@x.com',
  'a@☃☃ .com',
  `${'a'.repeat(249)}@x.com`,
  `a@${'b'.repeat(64)}.com`,
  `a@${'bcd.'.repeat(70)}com`,
]

describe('an email address', () => {
  it.each(accepted)('%j is stored as %j', (typed, stored) => {
    expect(readEmailAddress(typed)).toBe(stored)
    expect(readEmailAddress(stored)).toBe(stored)
  })

  it.each(refused)('%j is refused by every form', (typed) => {
    expect(readEmailAddress(typed)).toBeUndefined()
    expect(emailForm.safeParse({ email: typed }).success).toBe(false)
    expect(socialAddress('email', typed)).toBeNull()
    const report = { name: 'x', reason: 'spam', details: '', email: typed }
    const isBlank = typed.trim() === ''
    expect('invalid' in checkReport(report, [])).toBe(!isBlank)
  })

  it('is the same in every form, in any spelling', () => {
    const label = fc.constantFrom(
      'müller',
      'пример',
      '例子',
      'example',
      'faß',
      'a-1',
      'موقع',
      'việt',
    )
    const spellings = (domain: string) => [
      domain.normalize('NFD'),
      domain.normalize('NFC').toUpperCase().replaceAll('SS', 'ß'),
      domain.replaceAll('.', '。'),
      new URL(`http://${domain}/`).hostname,
    ]
    fc.assert(
      fc.property(label, fc.constantFrom('de', 'рф', '中国', 'co.uk'), (name, top) => {
        const domain = `${name}.${top}`
        const [stored] = [emailForm.parse({ email: `a@${domain}` }).email]
        for (const spelling of spellings(domain)) {
          const typed = `a@${spelling}`
          expect(emailForm.parse({ email: typed }).email.toLowerCase()).toBe(stored)
          expect(deleteAccountForm(stored).safeParse({ confirmation: typed }).success).toBe(true)
          expect(socialAddress('email', typed)?.toLowerCase()).toBe(`mailto:${stored}`)
        }
      }),
    )
  })

  it('stands in a mailto: address so that nothing in it begins headers', () => {
    const stored = socialAddress('email', 'r&d?x#y%z@müller.de')
    expect(stored).toBe('mailto:r%26d%3Fx%23y%25z@xn--mller-kva.de')
    expect(mailboxOf(stored ?? '')).toBe('r&d?x#y%z@xn--mller-kva.de')
    expect(socialAddress('email', stored ?? '')).toBe(stored)
    for (const headers of [
      'mailto:a@x.de?bcc=b@x.de',
      'mailto:a?bcc=b@x.de',
      'mailto:a&bcc=b@x.de',
    ])
      expect(socialAddress('email', headers)).toBeNull()
    expect(socialAddress('email', 'MAILTO:a+b@x.de')).toBe('mailto:a+b@x.de')
  })
})
