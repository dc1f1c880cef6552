/** A place that a social link of a bio page leads to. */
export interface Platform {
  readonly id: string
  readonly name: string
  /** An address as it looks there. */
  readonly example: string
}

const website = { id: 'website', name: 'Website', example: 'https://example.com' } as const

/**
 * Every platform, in the order in which the editor offers them; a stored platform that is not here is a website. A new
 * one also needs an icon (public-pages/frame/icon-outlines.ts; the types ask for it) and, unless it is a common word, its id
 * among the reserved brands, by a new migration (test/tables/brands.test.ts asks for it).
 */
export const platforms = [
  { id: 'youtube', name: 'YouTube', example: 'https://youtube.com/@you' },
  { id: 'twitter', name: 'X (Twitter)', example: 'https://x.com/you' },
  { id: 'instagram', name: 'Instagram', example: 'https://instagram.com/you' },
  { id: 'facebook', name: 'Facebook', example: 'https://facebook.com/you' },
  { id: 'linkedin', name: 'LinkedIn', example: 'https://linkedin.com/in/you' },
  { id: 'github', name: 'GitHub', example: 'https://github.com/you' },
  { id: 'tiktok', name: 'TikTok', example: 'https://tiktok.com/@you' },
  { id: 'snapchat', name: 'Snapchat', example: 'https://snapchat.com/add/you' },
  { id: 'twitch', name: 'Twitch', example: 'https://twitch.tv/you' },
  { id: 'truthsocial', name: 'Truth Social', example: 'https://truthsocial.com/@you' },
  { id: 'threads', name: 'Threads', example: 'https://threads.net/@you' },
  { id: 'whatsapp', name: 'WhatsApp', example: 'https://wa.me/15551234567' },
  { id: 'discord', name: 'Discord', example: 'https://discord.gg/invite' },
  website,
  { id: 'email', name: 'Email', example: 'you@example.com' },
] as const satisfies readonly Platform[]

export type PlatformId = (typeof platforms)[number]['id']

/** The platform of a stored id; an unknown one is a website. */
export function platformOf(id: string): Platform {
  return platforms.find((platform) => platform.id === id) ?? website
}
