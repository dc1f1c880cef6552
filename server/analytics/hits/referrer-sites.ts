/** Android apps that name themselves as the referrer, by the site that people know them by. Others keep their id. */
const sitesOfApps: Readonly<Record<string, string>> = {
  'com.discord': 'discord.com',
  'com.duckduckgo.mobile.android': 'duckduckgo.com',
  'com.facebook.katana': 'facebook.com',
  'com.facebook.lite': 'facebook.com',
  'com.facebook.orca': 'messenger.com',
  'com.google.android.apps.magazines': 'news.google.com',
  'com.google.android.apps.maps': 'maps.google.com',
  'com.google.android.gm': 'mail.google.com',
  'com.google.android.googlequicksearchbox': 'google.com',
  'com.google.android.youtube': 'youtube.com',
  'com.instagram.android': 'instagram.com',
  'com.instagram.barcelona': 'threads.com',
  'com.linkedin.android': 'linkedin.com',
  'com.microsoft.bing': 'bing.com',
  'com.microsoft.office.outlook': 'outlook.com',
  'com.microsoft.teams': 'teams.microsoft.com',
  'com.pinterest': 'pinterest.com',
  'com.reddit.frontpage': 'reddit.com',
  'com.slack': 'slack.com',
  'com.snapchat.android': 'snapchat.com',
  'com.twitter.android': 'x.com',
  'com.viber.voip': 'viber.com',
  'com.whatsapp': 'whatsapp.com',
  'com.yahoo.mobile.client.android.mail': 'mail.yahoo.com',
  'com.zhiliaoapp.musically': 'tiktok.com',
  'com.ss.android.ugc.trill': 'tiktok.com',
  'org.telegram.messenger': 'telegram.org',
  'org.thunderbird.android': 'thunderbird.net',
}

/** Hosts that only lead on, or show a site in another shape, by the site. */
const sitesOfHosts: Readonly<Record<string, string>> = {
  'away.vk.com': 'vk.com',
  'l.facebook.com': 'facebook.com',
  'l.instagram.com': 'instagram.com',
  'l.messenger.com': 'messenger.com',
  'l.threads.com': 'threads.com',
  'l.threads.net': 'threads.com',
  'lm.facebook.com': 'facebook.com',
  'lnkd.in': 'linkedin.com',
  'mbasic.facebook.com': 'facebook.com',
  'new.reddit.com': 'reddit.com',
  'old.reddit.com': 'reddit.com',
  'out.reddit.com': 'reddit.com',
  't.co': 'x.com',
  't.me': 'telegram.org',
  'touch.facebook.com': 'facebook.com',
  'twitter.com': 'x.com',
  'web.facebook.com': 'facebook.com',
  'web.telegram.org': 'telegram.org',
  'web.whatsapp.com': 'whatsapp.com',
}

/** Hosts of `sitesOfHosts` that only redirect: their paths name no page. */
const redirectingHost =
  /^(?:(?:away|lm?|out)\.(?:facebook|instagram|messenger|reddit|threads|vk)\.\w+|lnkd\.in|t\.co)$/

/** Whether the paths of a host name pages that visitors see. */
export function hasPages(host: string): boolean {
  return !redirectingHost.test(host)
}

/** The site of an app's id, in lower case. */
export function siteOfApp(id: string): string {
  return Object.hasOwn(sitesOfApps, id) ? (sitesOfApps[id] ?? id) : id
}

/** The site of a host in canonical form, without `www.` and labels for phones, so that a site is one row. */
export function siteOfHost(host: string): string {
  const site = host
    .replace(/^www\.(?=.)/, '')
    .replace(/^(?:m|mobile)\.(?=[^.]+\.[^.])/, '')
    .replace(/\.m\.(?=wik[a-z]+\.org$)/, '.')
  return Object.hasOwn(sitesOfHosts, site) ? (sitesOfHosts[site] ?? site) : site
}
