import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { originOf } from '#server/analytics/hits/origin-of.ts'

describe('the referrer', () => {
  it.each([
    ['https://www.example.com/blog/post?x=1#top', 'example.com', '/blog/post'],
    ['https://example.com', 'example.com', '/'],
    ['HTTPS://WWW.Example.COM:8443/A/b', 'example.com', '/A/b'],
    ['http://user:secret@example.com/', 'example.com', '/'],
    ['https://example.com./', 'example.com', '/'],
    ['https://www.com/', 'com', '/'],
    ['https://wwwhere.com/', 'wwwhere.com', '/'],
    ['https://xn--mnchen-3ya.de/', 'xn--mnchen-3ya.de', '/'],
    ['https://münchen.de/straße', 'xn--mnchen-3ya.de', '/stra%C3%9Fe'],
    ['https://[2001:db8::1]:8080/x', '[2001:db8::1]', '/x'],
    ['http://192.168.0.10/admin', '192.168.0.10', '/admin'],
    ['android-app://com.google.android.gm/', 'mail.google.com', ''],
    ['android-app://com.LinkedIn.android/https/x?y', 'linkedin.com', ''],
    ['android-app://com.Slack', 'slack.com', ''],
    ['android-app://com.example.reader/', 'com.example.reader', ''],
    ['android-app://constructor.prototype/', 'constructor.prototype', ''],
    ['https://l.facebook.com/l.php?u=x', 'facebook.com', ''],
    ['http://LM.facebook.com/', 'facebook.com', ''],
    ['https://www.facebook.com/', 'facebook.com', '/'],
    ['https://m.facebook.com./', 'facebook.com', '/'],
    ['https://m.youtube.com/watch', 'youtube.com', '/watch'],
    ['https://l.instagram.com/', 'instagram.com', ''],
    ['https://t.co/abc', 'x.com', ''],
    ['https://mobile.twitter.com/', 'x.com', '/'],
    ['https://t.me/channel', 'telegram.org', '/channel'],
    ['https://lnkd.in/', 'linkedin.com', ''],
    ['https://en.m.wikipedia.org/', 'en.wikipedia.org', '/'],
    ['https://m.example.org/', 'example.org', '/'],
    ['https://m.com/', 'm.com', '/'],
    ['https://l.example.org/', 'l.example.org', '/'],
    ['https://notfacebook.com/', 'notfacebook.com', '/'],
    ['android-app://nodots/', '', ''],
    ['android-app://com.evil"><script>/', '', ''],
    ['ios-app://123/x', '', ''],
    ['about:blank', '', ''],
    ['javascript:alert(1)', '', ''],
    ['file:///etc/passwd', '', ''],
    ['example.com/blog', '', ''],
    ['https://', '', ''],
    ['https://exa mple.com/', '', ''],
    [`https://${'a'.repeat(300)}.example/`, '', ''],
    ['', '', ''],
  ])('%j is a page of %j, %j', (referrer, host, path) => {
    expect(originOf(referrer, '')).toMatchObject({ host, path })
  })

  it('keeps the end of a short path', () => {
    expect(originOf('https://example.com/100%', '').path).toBe('/100%')
  })

  it('has a path of at most 100 characters, without half an escape', () => {
    const { path } = originOf(`https://example.com/${'a'.repeat(98)}%C3%BC`, '')
    expect(path).toBe(`/${'a'.repeat(98)}`)
    expect(originOf(`https://example.com/${'a'.repeat(500)}`, '').path).toHaveLength(100)
  })
})

describe('the query', () => {
  it('names a campaign', () => {
    const query =
      'utm_source=News%20Letter&utm_medium=email&utm_campaign=Spring+Sale&utm_term=%C3%BCber&utm_content=a%26b'
    expect(originOf('', query)).toEqual({
      host: '',
      path: '',
      utm_source: 'news letter',
      utm_medium: 'email',
      utm_campaign: 'spring sale',
      utm_term: 'über',
      utm_content: 'a&b',
      rule: '',
      variant: '',
      placement: '',
      source: 'link',
    })
  })

  it.each([
    ['utm_source=a&utm_source=b', 'a'],
    ['?utm_source=a', 'a'],
    ['utm_source=100%&x', '100%'],
    ['utm_source=%zz%41', '%zza'],
    ['utm_source=NEWSLETTER', 'newsletter'],
    ['utm_source=%C3%84RZTE', 'ärzte'],
    ['utm_source=a%00b%0D%0Ac', 'a b  c'],
    ['utm_source=%20%09a%0A', 'a'],
    ['utm_source=%E2%80%AEevil', 'evil'],
    ['utm_source=%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB', '👩‍💻'],
    ['utm_source=%E4%BD%A0%FF%E5%A5%BD%E5', '你%ff好%e5'],
    ['utm_source=%C0%80%ED%A0%80', '%c0%80%ed%a0%80'],
    [`utm_source=${'%E4%BD%A0'.repeat(300)}`, '你'.repeat(100)],
    ['utm_source=a=b', 'a=b'],
    ['utm_source', ''],
    ['UTM_SOURCE=a', ''],
    [`utm_source=${'x'.repeat(99)}😀`, 'x'.repeat(99)],
    [`utm_source=${'x'.repeat(500)}`, 'x'.repeat(100)],
    [`pad=${'x'.repeat(8_192)}&utm_source=late`, ''],
  ])('%j has the source %j', (query, source) => {
    expect(originOf('', query).utm_source).toBe(source)
  })

  it.each([
    ['qr', 'qr'],
    ['?qr', 'qr'],
    ['qr=1', 'qr'],
    ['utm_source=poster&qr', 'qr'],
    ['qr&utm_source=poster', 'qr'],
    ['', 'link'],
    ['qrs=1', 'link'],
    ['utm_source=qr', 'link'],
  ])('%j comes from a %s', (query, source) => {
    expect(originOf('', query).source).toBe(source)
  })
})

it('the origin of a hit takes any text, and gives short texts that a table and a page can show', () => {
  const parts = [
    '%',
    '%2',
    '%F0%9F',
    '&',
    '=',
    '+',
    '😀',
    '\0',
    '\n',
    'utm_source=',
    'qr',
    'https://',
  ]
  const morsel = fc.constantFrom(...parts, 'android-app://', 'a.b', ':', '@', '[', '/')
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(morsel).map((morsels) => morsels.join('')),
  )
  fc.assert(
    fc.property(hostile, hostile, hostile, (referrer, prefix, value) => {
      const { host, ...texts } = originOf(referrer, `${prefix}&utm_term=${value}`)
      const isShown = (text: string, maxLength: number) =>
        text.length <= maxLength &&
        text.isWellFormed() &&
        !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text)
      return isShown(host, 253) && Object.values(texts).every((text) => isShown(text, 100))
    }),
  )
})
