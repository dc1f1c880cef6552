import { expect, test } from 'vitest'
import { ruleSoftwareOf } from './rule-software.ts'

const mac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15'
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)'

test.each<[string, string, (string | undefined)[]]>([
  [
    'an iPhone',
    `${iphone} Version/18.0 Mobile/15E148 Safari/604.1`,
    ['ios', 'mobile', 'safari', 'none'],
  ],
  [
    'Chrome on an iPhone',
    `${iphone} CriOS/131.0 Mobile/15E148 Safari/604.1`,
    ['ios', 'mobile', 'chrome', 'none'],
  ],
  [
    'Instagram',
    `${iphone} Mobile/15E148 Instagram 350.0.0.0`,
    ['ios', 'mobile', 'other', 'instagram'],
  ],
  [
    'TikTok',
    `${android} Version/4.0 Chrome/131.0 Mobile Safari/537.36 trill_350 BytedanceWebview/d8a21c6`,
    ['android', 'mobile', 'other', 'tiktok'],
  ],
  ['an app without a name on iOS', `${iphone} Mobile/15E148`, ['ios', 'mobile', 'other', 'other']],
  [
    'an app without a name on Android',
    'Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/131.0 Mobile Safari/537.36',
    ['android', 'mobile', 'other', 'other'],
  ],
  ['an iPad, which reports macOS', mac, ['macos', 'desktop', 'safari', 'none']],
  [
    'Edge on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
    ['windows', 'desktop', 'edge', 'none'],
  ],
  [
    'a Chromebook',
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    ['chromeos', 'desktop', 'chrome', 'none'],
  ],
  [
    'an Android tablet',
    'Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    ['android', 'tablet', 'chrome', 'none'],
  ],
  [
    'FreeBSD',
    'Mozilla/5.0 (X11; FreeBSD amd64; rv:132.0) Gecko/20100101 Firefox/132.0',
    ['other', 'desktop', 'firefox', 'none'],
  ],
  ['nothing', '', [undefined, undefined, undefined, undefined]],
  ['a made-up client', 'x', [undefined, 'other', undefined, undefined]],
])('a rule names the software of %s', (_, userAgent, expected) => {
  const { system, device, browser, inApp } = ruleSoftwareOf(userAgent)
  expect([system, device, browser, inApp]).toEqual(expected)
})
