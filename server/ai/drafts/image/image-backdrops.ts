import type { ImagePalette } from '../../ai-provider.ts'
import type { Random } from '../design/design-moods.ts'
import { hueOf, oklch } from '../design/oklch.ts'

/** The colors of one picture, from the background to the darkest shadow. */
export interface Inks {
  ground: string
  tint: string
  deep: string
  main: string
  paper: string
  shadow: string
}

/** Where subjects are placed: on a floor at that height, or floating around the middle. */
export interface Stage {
  floorY: number | undefined
}

interface Backdrop {
  svg: string
  stage: Stage
}

const { width, height } = { width: 1200, height: 800 }

/** Tints of the popup's colors. A white popup gets a tint of its accent, so that the picture has an edge. */
export function backdropInks({ background, accent }: ImagePalette): Inks {
  const ground = hueOf(background)
  const lead = hueOf(accent)
  const hue = lead.chroma > 0.03 ? lead.hue : ground.hue
  const chroma = Math.max(lead.chroma > 0.03 ? 0.055 : 0, Math.min(ground.chroma, 0.1))
  if (ground.lightness < 0.45) {
    return {
      ground: oklch(0.3, chroma, hue),
      tint: oklch(0.38, chroma * 1.2, hue),
      deep: oklch(0.47, chroma * 1.5, hue),
      main: oklch(0.72, Math.max(lead.chroma, 0.02), hue),
      paper: oklch(0.93, 0.02, hue),
      shadow: oklch(0.14, 0.02, hue),
    }
  }
  const own = ground.chroma > 0.05 ? ground.hue : hue
  return {
    ground: oklch(0.945, chroma * 0.6, own),
    tint: oklch(0.895, chroma, own),
    deep: oklch(0.83, chroma * 1.35, own),
    main: oklch(0.7, Math.max(0.12, lead.chroma * 0.9) * (lead.chroma > 0.03 ? 1 : 0), hue),
    paper: oklch(0.985, 0.008, own),
    shadow: oklch(0.4, chroma, own),
  }
}

/** A background for subjects, chosen by chance, or an abstract one that needs none. */
export function drawBackdrop(hasSubjects: boolean, inks: Inks, random: Random): Backdrop {
  const scenes = hasSubjects ? [arch, podium, burst, hills, confetti] : [waves, tiles, discs]
  const scene = scenes[Math.floor(random() * scenes.length)] ?? arch
  const { svg, stage } = scene(inks, random)
  return {
    svg: `${defs(inks)}<rect width="${width}" height="${height}" fill="${inks.ground}"/>${svg}`,
    stage,
  }
}

const between = (random: Random, from: number, to: number) => from + random() * (to - from)

function defs({ paper, shadow }: Inks): string {
  return `<defs><radialGradient id="hp-light"><stop offset="0" stop-color="${paper}" stop-opacity=".85"/><stop offset="1" stop-color="${paper}" stop-opacity="0"/></radialGradient><radialGradient id="hp-shadow"><stop offset="0" stop-color="${shadow}" stop-opacity=".42"/><stop offset=".6" stop-color="${shadow}" stop-opacity=".2"/><stop offset="1" stop-color="${shadow}" stop-opacity="0"/></radialGradient></defs>`
}

const light = (x: number, y: number, r: number, opacity = 1) =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="url(#hp-light)" opacity="${opacity}"/>`

/** An alcove in a wall, lit from inside, above a floor. */
function arch({ tint, deep, main }: Inks): Backdrop {
  const wall = (half: number, fill: string, opacity = 1) =>
    `<path d="M${600 - half} 640V${430}a${half} ${half} 0 0 1 ${2 * half} 0V640z" fill="${fill}" opacity="${opacity}"/>`
  return {
    svg: `${wall(430, tint)}${wall(345, deep)}${light(600, 400, 380, 0.75)}<rect y="640" width="1200" height="160" fill="${tint}"/><rect y="640" width="1200" height="5" fill="${deep}"/><circle cx="1045" cy="250" r="46" fill="${main}" opacity=".9"/><circle cx="150" cy="330" r="20" fill="${deep}"/>`,
    stage: { floorY: 660 },
  }
}

/** Round steps as in a shop window, with a disc behind. */
function podium({ tint, deep, main, paper }: Inks): Backdrop {
  const step = (y: number, rx: number, depth: number, top: string, side: string) =>
    `<path d="M${600 - rx} ${y}v${depth}a${rx} ${rx * 0.13} 0 0 0 ${2 * rx} 0v${-depth}z" fill="${side}"/><ellipse cx="600" cy="${y}" rx="${rx}" ry="${rx * 0.13}" fill="${top}"/>`
  return {
    svg: `<circle cx="600" cy="390" r="325" fill="${tint}"/><circle cx="600" cy="390" r="325" fill="none" stroke="${main}" stroke-opacity=".55" stroke-width="5" stroke-dasharray="2 26" stroke-linecap="round"/>${light(600, 360, 320, 0.7)}${step(700, 520, 120, tint, deep)}${step(640, 410, 56, paper, tint)}`,
    stage: { floorY: 642 },
  }
}

/** Rays from behind the subject. */
function burst({ tint, deep, main, paper }: Inks): Backdrop {
  const count = 18
  const rays = Array.from({ length: count }, (_, index) => {
    const [a, b] = [index * 2, index * 2 + 1].map((n) => (n * Math.PI) / count)
    const point = (angle = 0) =>
      `${(600 + 900 * Math.cos(angle)).toFixed(1)} ${(400 + 900 * Math.sin(angle)).toFixed(1)}`
    return `<path d="M600 400L${point(a)}L${point(b)}z" fill="${tint}"/>`
  })
  return {
    svg: `${rays.join('')}<circle cx="600" cy="400" r="310" fill="${deep}"/><circle cx="600" cy="400" r="310" fill="none" stroke="${paper}" stroke-width="10"/>${light(560, 350, 300, 0.6)}<circle cx="600" cy="400" r="345" fill="none" stroke="${main}" stroke-opacity=".5" stroke-width="4"/>`,
    stage: { floorY: undefined },
  }
}

/** A low sun over hills. */
function hills({ tint, deep, main, paper, shadow }: Inks, random: Random): Backdrop {
  const sun = random() < 0.5 ? 880 : 320
  return {
    svg: `<circle cx="${sun}" cy="300" r="150" fill="${paper}"/><circle cx="${sun}" cy="300" r="112" fill="${main}" opacity=".85"/><path d="M0 520C180 400 330 390 520 470S900 560 1200 400V800H0z" fill="${tint}"/><path d="M0 620C220 520 420 560 640 580S1020 520 1200 560V800H0z" fill="${deep}"/><path d="M0 690C300 620 560 640 760 660S1080 650 1200 640V800H0z" fill="${shadow}" opacity=".12"/>`,
    stage: { floorY: 690 },
  }
}

/** Small shapes around a soft plate. */
function confetti({ tint, deep, main, paper }: Inks, random: Random): Backdrop {
  const pieces = Array.from({ length: 34 }, (_, index) => {
    const angle = (index / 34) * Math.PI * 2 + between(random, -0.08, 0.08)
    const distance = between(random, 1.02, 1.65)
    const [x, y] = [600 + 400 * distance * Math.cos(angle), 400 + 300 * distance * Math.sin(angle)]
    const fill = [main, deep, paper, main, deep][index % 5] ?? main
    const turn = between(random, 0, 360).toFixed(0)
    const shape = [
      `<circle r="11" fill="${fill}"/>`,
      `<rect x="-16" y="-5" width="32" height="10" rx="5" fill="${fill}"/>`,
      `<path d="M-12 10A16 16 0 0 1 12 10" fill="none" stroke="${fill}" stroke-width="7" stroke-linecap="round"/>`,
      `<path d="M0-15 4-4 15 0 4 4 0 15-4 4-15 0-4-4z" fill="${fill}"/>`,
    ][index % 4]
    return `<g transform="translate(${x.toFixed(0)} ${y.toFixed(0)}) rotate(${turn})">${shape}</g>`
  })
  return {
    svg: `<ellipse cx="600" cy="400" rx="430" ry="320" fill="${tint}"/>${light(600, 380, 330, 0.8)}${pieces.join('')}`,
    stage: { floorY: undefined },
  }
}

/** Abstract: waves before a disc. */
function waves({ tint, deep, main, paper }: Inks, random: Random): Backdrop {
  const x = random() < 0.5 ? 830 : 370
  return {
    svg: `<circle cx="${x}" cy="330" r="190" fill="${main}" opacity=".9"/><circle cx="${x}" cy="330" r="250" fill="${paper}" opacity=".35"/><path d="M0 430C200 330 380 350 600 440S1000 540 1200 420V800H0z" fill="${tint}"/><path d="M0 540C240 430 420 500 640 550S1020 600 1200 500V800H0z" fill="${deep}"/><path d="M0 660C260 560 480 640 700 670S1040 690 1200 620V800H0z" fill="${main}" opacity=".8"/>`,
    stage: { floorY: undefined },
  }
}

/** Abstract: quarter circles, discs and rings in a grid. */
function tiles({ tint, deep, main, paper, ground }: Inks, random: Random): Backdrop {
  const fills = [tint, deep, main, paper, tint, deep]
  let at = Math.floor(random() * fills.length)
  const pick = () => fills[at++ % fills.length] ?? tint
  const shapes: string[] = []
  for (let x = 0; x < width; x += 200) {
    for (let y = 0; y < height; y += 200) {
      const kind = Math.floor(random() * 5)
      const turn = Math.floor(random() * 4) * 90
      const shape = [
        `<path d="M-100-100H100A200 200 0 0 1-100 100z" fill="${pick()}"/>`,
        `<path d="M-100-100A100 100 0 0 0 100-100z" fill="${pick()}"/><path d="M-100 0A100 100 0 0 0 100 0z" fill="${pick()}"/>`,
        `<circle r="66" fill="${pick()}"/>`,
        `<circle r="64" fill="none" stroke="${pick()}" stroke-width="36"/>`,
        `<rect x="-100" y="-100" width="200" height="200" fill="${pick()}"/><path d="M-100 100A200 200 0 0 1 100-100V100z" fill="${ground}"/>`,
      ][kind]
      shapes.push(`<g transform="translate(${x + 100} ${y + 100}) rotate(${turn})">${shape}</g>`)
    }
  }
  return { svg: shapes.join(''), stage: { floorY: undefined } }
}

/** Abstract: large overlapping discs. */
function discs({ tint, deep, main, paper }: Inks, random: Random): Backdrop {
  const turn = between(random, -14, 14).toFixed(1)
  return {
    svg: `<g transform="rotate(${turn} 600 400)"><circle cx="250" cy="560" r="360" fill="${tint}"/><circle cx="980" cy="240" r="330" fill="${deep}"/><circle cx="640" cy="470" r="230" fill="${main}" opacity=".85"/><circle cx="820" cy="560" r="120" fill="${paper}" opacity=".8"/><circle cx="400" cy="230" r="70" fill="${main}" opacity=".55"/></g>${light(420, 200, 420, 0.5)}`,
    stage: { floorY: undefined },
  }
}
