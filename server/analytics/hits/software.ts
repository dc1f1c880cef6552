import Bowser from 'bowser'
import { clientApps, clientDevices, clientSystems } from './client-apps.ts'

/** Software of a client. Every text is one of a fixed list; '' is not known. */
export interface Software {
  device: 'desktop' | 'mobile' | 'tablet' | 'tv' | 'other' | ''
  browser: string
  system: string
}

/** The names of bowser that people know by another one. */
const plainNames: Readonly<Record<string, string>> = {
  'Microsoft Edge': 'Edge',
  'Samsung Internet for Android': 'Samsung Internet',
  'NAVER Whale Browser': 'Whale',
  'HeyTap Browser': 'Oppo Browser',
  Miui: 'Mi Browser',
  Focus: 'Firefox Focus',
  Epiphany: 'GNOME Web',
  WebOS: 'webOS',
  'WebOS Browser': 'LG Browser',
  'Chrome OS': 'ChromeOS',
}

// Its last resort is text of the header, so only listed names are taken from bowser.
const browserNames = new Set([...Object.values(Bowser.BROWSER_MAP), 'Miui', 'Opera Touch'])
const systemNames = new Set(Object.values(Bowser.OS_MAP))

/** Names device, browser and system by the User-Agent header. */
export function softwareOf(userAgent: string): Software {
  if (userAgent === '') return { device: '', browser: '', system: '' }
  // For bowser, everything with "Yahoo" in it is a bot; it is a popular app in Japan.
  const parser = Bowser.getParser(userAgent.replaceAll(/yahoo/gi, '-'), true)
  const system = nameIn(clientSystems, userAgent) ?? listed(systemNames, parser.parseOS().name)
  const browser = nameIn(clientApps, userAgent) ?? listed(browserNames, parser.parseBrowser().name)
  return { device: deviceOf(userAgent, parser.parsePlatform().type), browser, system }
}

const bowserDevices = ['desktop', 'mobile', 'tablet', 'tv'] as const

function deviceOf(userAgent: string, type: string | undefined): Software['device'] {
  const device = nameIn(clientDevices, userAgent) ?? bowserDevices.find((name) => name === type)
  // A script gives the name of its library, and nothing about the computer.
  return device ?? (/^(?!Mozilla\/)[\w.-]+(?:\/|$)/.test(userAgent) ? 'other' : '')
}

function nameIn<Name extends string>(
  patterns: Readonly<Record<Name, RegExp>>,
  userAgent: string,
): Name | undefined {
  for (const name in patterns) if (patterns[name].test(userAgent)) return name
  return undefined
}

function listed(names: ReadonlySet<string>, name: string | undefined): string {
  return name !== undefined && names.has(name) ? (plainNames[name] ?? name) : ''
}
