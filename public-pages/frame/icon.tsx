import { iconOutlines } from './icon-outlines.ts'

/** The icon of a platform; the website icon for an unknown one. */
export function PlatformIcon({ platform, size = 20 }: { platform: string; size?: number }) {
  const outline = isOutlined(platform) ? iconOutlines[platform] : iconOutlines.website
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} fill="currentColor" aria-hidden="true">
      <path d={outline} />
    </svg>
  )
}

function isOutlined(platform: string): platform is keyof typeof iconOutlines {
  return Object.hasOwn(iconOutlines, platform)
}

const strokes = {
  share: 'M12 15V3m-4.5 4L12 2.5 16.5 7M5 12v8h14v-8',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  download: 'M12 3v12m-4.5-4 4.5 4.5 4.5-4.5M5 20h14',
  check: 'M5 12.5 10 17.5 19.5 7',
} as const

/** A line icon for the buttons of the pages. */
export function LineIcon({ name, size = 20 }: { name: keyof typeof strokes; size?: number }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={strokes[name]} />
    </svg>
  )
}
