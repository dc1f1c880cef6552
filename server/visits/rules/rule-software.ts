import {
  type RuleApp,
  ruleApps,
  type RuleBrowser,
  ruleBrowsers,
  type RuleSystem,
  ruleSystems,
} from '#domain/visits/rule-values.ts'
import { canonicalAgent } from '#domain/visits/reading/agents.ts'
import type { NamedSoftware } from '#domain/visits/simulated-visit.ts'
import { softwareOf } from '../../analytics/hits/software.ts'
import { createLru } from '../../primitives/lru.ts'

const byName = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  new Map(Object.entries(labels).map(([value, name]) => [name, value as Value]))

const systems: ReadonlyMap<unknown, RuleSystem> = byName(ruleSystems)
const browsers: ReadonlyMap<unknown, RuleBrowser> = byName(ruleBrowsers)
const apps: ReadonlyMap<unknown, RuleApp> = byName(ruleApps)

/** Apps that reports name, and that no condition can. */
const otherApps = new Set(
  'WeCom,QQ,Douyin,Alipay,DingTalk,Lark,Zalo,Microsoft Teams,Notion,Spotify,VS Code,Thunderbird,Outlook,Bing app,Naver app,Daum app,Baidu app,Yahoo Japan app,Phantom,Android app'.split(
    ',',
  ),
)

/** The page of an app that does not give its name: a WebView of Android, or one of iOS, which names no Safari. */
const unnamedApp = /;\s*wv\)|\b(?:iPhone|iPad|iPod)\b(?!.*(?:Safari|CriOS|FxiOS|EdgiOS|OPT)\/)/

const known = createLru<NamedSoftware>(10_000)

/** System, device, browser and app by the User-Agent, as conditions name them. The names are those of the reports. */
export function ruleSoftwareOf(header: string): NamedSoftware {
  const agent = canonicalAgent(header)
  let named = known.get(agent)
  if (!named) known.set(agent, (named = nameSoftware(agent)))
  return named
}

function nameSoftware(userAgent: string): NamedSoftware {
  const { system, device, browser } = softwareOf(userAgent)
  const app =
    apps.get(browser) ??
    (otherApps.has(browser) || unnamedApp.test(userAgent) ? 'other' : undefined)
  return {
    system: system === '' ? undefined : (systems.get(system) ?? 'other'),
    device: device === '' ? undefined : device === 'tv' ? 'other' : device,
    browser:
      browser === '' && !app ? undefined : app ? 'other' : (browsers.get(browser) ?? 'other'),
    inApp: app ?? (browser === '' ? undefined : 'none'),
  }
}
