/** Values of the fact `system`, with their names for people. iPadOS 13 and later reports macOS. */
export const ruleSystems = {
  ios: 'iOS',
  android: 'Android',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  chromeos: 'ChromeOS',
} as const
export type RuleSystem = keyof typeof ruleSystems

/** Values of the fact `device`. */
export const ruleDevices = { mobile: 'phone', tablet: 'tablet', desktop: 'computer' } as const
export type RuleDevice = keyof typeof ruleDevices

/** Values of the fact `browser`. The names are those of the reports. */
export const ruleBrowsers = {
  chrome: 'Chrome',
  safari: 'Safari',
  firefox: 'Firefox',
  edge: 'Edge',
  opera: 'Opera',
  samsung_internet: 'Samsung Internet',
  android_browser: 'Android Browser',
  brave: 'Brave',
  duckduckgo: 'DuckDuckGo',
  vivaldi: 'Vivaldi',
  yandex: 'Yandex Browser',
  uc: 'UC Browser',
  internet_explorer: 'Internet Explorer',
} as const
export type RuleBrowser = keyof typeof ruleBrowsers

/** Values of the fact `in_app` besides `any`: apps with a built-in browser. The names are those of the reports. */
export const ruleApps = {
  instagram: 'Instagram',
  facebook: 'Facebook',
  messenger: 'Messenger',
  threads: 'Threads',
  whatsapp: 'WhatsApp',
  tiktok: 'TikTok',
  snapchat: 'Snapchat',
  linkedin: 'LinkedIn',
  pinterest: 'Pinterest',
  x: 'X (Twitter)',
  reddit: 'Reddit',
  telegram: 'Telegram',
  discord: 'Discord',
  slack: 'Slack',
  line: 'LINE',
  kakaotalk: 'KakaoTalk',
  wechat: 'WeChat',
  weibo: 'Weibo',
  google: 'Google app',
} as const
export type RuleApp = keyof typeof ruleApps

/** Values of the fact `source`. */
export const ruleSources = { link: 'the link', qr: 'a QR code' } as const
export type RuleSource = keyof typeof ruleSources

/** Values of the fact `weekday`. */
export const weekdays = {
  monday: 'Monday',
  tuesday: 'Tuesday',
  wednesday: 'Wednesday',
  thursday: 'Thursday',
  friday: 'Friday',
  saturday: 'Saturday',
  sunday: 'Sunday',
} as const
export type Weekday = keyof typeof weekdays

/** ISO 3166-1 alpha-2, and XK for Kosovo, which databases of addresses have. */
export const countryCodes: ReadonlySet<string> = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
    'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO ' +
    'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
    'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
    'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW ' +
    'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM ' +
    'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'
  ).split(' '),
)

export function isCountryCode(code: string): boolean {
  return countryCodes.has(code)
}

/**
 * An instant with its offset, as RFC 3339 writes it: `2026-12-24T18:00:00+01:00`; seconds may be missing.
 *
 * @returns milliseconds since 1970; undefined for another text, and for a day that does not exist
 */
export function parseInstant(text: string): number | undefined {
  const parts =
    /^(\d{4}-\d{2}-(\d{2}))T(\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/.exec(text)
  if (!parts) return undefined
  const [, date = '', day, time = '', seconds = ':00', offset = ''] = parts
  // `Date` moves 30 February into March.
  if (new Date(date).getUTCDate() !== Number(day)) return undefined
  const instant = Date.parse(`${date}T${time}${seconds}${offset}`)
  return Number.isNaN(instant) ? undefined : instant
}

/** Minutes of a day, `from` included, `to` not; it runs over midnight when `to` is not after `from`. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

const clockTime = String.raw`([01]\d|2[0-3]):([0-5]\d)`
const timeSpan = new RegExp(`^${clockTime}-(?:${clockTime}|(24):(00))$`)

/** `09:00-17:00`; `22:00-06:00` runs over midnight; the end may be `24:00`. Undefined for any other text, and for an empty span. */
export function parseTimeSpan(text: string): TimeSpan | undefined {
  const parts = timeSpan.exec(text)
  if (!parts) return undefined
  const [fromHour, fromMinute, toHour, toMinute] = parts.slice(1).filter(Boolean).map(Number)
  const from = Number(fromHour) * 60 + Number(fromMinute)
  const to = Number(toHour) * 60 + Number(toMinute)
  return from === to ? undefined : { from, to }
}
