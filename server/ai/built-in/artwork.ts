import { readPrompt } from './brief.ts'
import type { Random } from './copy.ts'
import { readMood } from './mood.ts'
import { type Inks, motifs, motifsFor } from './motifs.ts'
import { oklch } from './oklch.ts'

const artworkSize = { width: 1200, height: 800 } as const

const { width, height } = artworkSize

/** Composes an SVG for a prompt: a ground, one thing on it, colours of its mood. Another one each time. No text, no links. */
export function drawArtwork(prompt: string, random: Random): string {
  const mood = readMood(prompt, random)
  const inks = inksOf(mood.hues, mood.strength, mood.ground === 'dark')
  const names = motifsFor(prompt, readPrompt(prompt).intent)
  const motif = motifs[names[Math.floor(random() * names.length)] ?? names[0]]
  const scene = scenes[Math.floor(random() * scenes.length)] ?? hills
  const { ground, at, scale } = scene(inks, random)
  const thing = motif(inks)
  const tilt = (random() - 0.5) * 10
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\
<rect width="${width}" height="${height}" fill="${inks.ground}"/>${ground}\
<ellipse cx="${at[0]}" cy="${at[1] + 225 * scale}" rx="${170 * scale}" ry="${20 * scale}" fill="${inks.ink}" opacity=".16"/>\
<g transform="translate(${at[0]} ${at[1]}) rotate(${tilt.toFixed(1)}) scale(${scale})">${thing}</g></svg>`
}

function inksOf([lead, second]: [number, number], strength: number, dark: boolean): Inks {
  const chroma = 0.15 * strength
  return dark
    ? {
        ground: oklch(0.24, chroma * 0.35, lead),
        tint: oklch(0.32, chroma * 0.5, lead),
        main: oklch(0.72, chroma, lead),
        second: oklch(0.8, chroma, second),
        paper: oklch(0.96, 0.015, lead),
        ink: oklch(0.46, chroma * 0.8, lead),
      }
    : {
        ground: oklch(0.93, chroma * 0.32, lead),
        tint: oklch(0.87, chroma * 0.48, lead),
        main: oklch(0.66, chroma * 1.15, lead),
        second: oklch(0.78, chroma * 1.05, second),
        paper: oklch(0.985, 0.01, lead),
        ink: oklch(0.38, chroma * 0.75, lead),
      }
}

interface Scene {
  ground: string
  /** Where the thing stands, and how large. */
  at: [number, number]
  scale: number
}

type Draw = (inks: Inks, random: Random) => Scene

const between = (random: Random, least: number, most: number) => least + random() * (most - least)

/** Layered hills under a low sun. */
function hills({ tint, main, second, paper, ink }: Inks, random: Random): Scene {
  const hill = (y: number, fill: string, opacity: number) => {
    const [a, b, c] = [0, 1, 2].map(() => between(random, -90, 90))
    return `<path d="M0 ${y}C200 ${y + (a ?? 0) - 60} 380 ${y + (b ?? 0) - 60} 600 ${y}S1000 ${y + (c ?? 0) + 40} 1200 ${y - 30}V800H0z" fill="${fill}" opacity="${opacity}"/>`
  }
  const [x, thing] =
    random() < 0.5 ? [between(random, 150, 330), 760] : [between(random, 870, 1050), 440]
  return {
    ground: `<circle cx="${x}" cy="${between(random, 170, 270)}" r="${between(random, 90, 150)}" fill="${second}"/>${hill(430, tint, 1)}${hill(520, main, 0.35)}${hill(620, main, 0.55)}${hill(715, ink, 0.85)}${sparks(random, paper, 9, 300)}`,
    at: [thing, 400],
    scale: 1.15,
  }
}

/** Quarter circles in a grid, with a plate for the thing. */
function tiles({ tint, main, second, paper, ink }: Inks, random: Random): Scene {
  const side = 200
  const fills = [tint, main, second, ink, tint]
  const pick = () => fills[Math.floor(random() * fills.length)] ?? tint
  let ground = ''
  for (let x = 0; x < width; x += side) {
    for (let y = 0; y < height; y += side) {
      const turn = Math.floor(random() * 4) * 90
      const kinds = [
        `<path d="M0 0H200A200 200 0 0 1 0 200z" fill="${pick()}"/>`,
        `<path d="M0 0A100 100 0 0 0 200 0z" fill="${pick()}"/>`,
        `<circle cx="100" cy="100" r="62" fill="${pick()}"/>`,
        `<path d="M0 0H200V200z" fill="${pick()}"/>`,
        `<circle cx="100" cy="100" r="80" fill="none" stroke="${pick()}" stroke-width="28"/>`,
        '',
      ]
      ground += `<g transform="translate(${x + 100} ${y + 100}) rotate(${turn}) translate(-100 -100)"><rect width="201" height="201" fill="${random() < 0.4 ? tint : 'none'}"/>${kinds[Math.floor(random() * kinds.length)]}</g>`
    }
  }
  const left = [200, 400, 600][Math.floor(random() * 3)] ?? 400
  return {
    ground: `${ground}<rect x="${left}" y="100" width="600" height="600" rx="300" fill="${paper}"/>`,
    at: [left + 300, 395],
    scale: 1.05,
  }
}

/** Arches, one within the other. */
function arches({ tint, main, second, paper }: Inks, random: Random): Scene {
  const x = between(random, 480, 720)
  const fills = [tint, main, second, paper]
  const ground = fills
    .map((fill, index) => {
      const r = 470 - index * 85
      return `<path d="M${x - r} 800V${520}a${r} ${r} 0 0 1 ${2 * r} 0V800z" fill="${fill}" opacity="${index === 1 ? 0.55 : 1}"/>`
    })
    .join('')
  return { ground: sparks(random, second, 12, 700) + ground, at: [x, 510], scale: 0.95 }
}

/** Rings around the thing, and small worlds on them. */
function orbits({ tint, main, second, paper, ink }: Inks, random: Random): Scene {
  const worlds = [330, 450, 580].map((r, index) => {
    const angle = between(random, 0, Math.PI * 2)
    const [x, y] = [600 + r * Math.cos(angle), 400 + r * Math.sin(angle)]
    return `<circle cx="600" cy="400" r="${r}" fill="none" stroke="${main}" stroke-opacity=".35" stroke-width="3"/><circle cx="${x.toFixed(0)}" cy="${y.toFixed(0)}" r="${between(random, 20, 48).toFixed(0)}" fill="${[second, main, ink][index] ?? second}"/>`
  })
  return {
    ground: `<circle cx="600" cy="400" r="520" fill="${tint}" opacity=".5"/><circle cx="600" cy="400" r="390" fill="${tint}"/><circle cx="600" cy="400" r="280" fill="${paper}"/>${worlds.join('')}${sparks(random, second, 10, 800)}`,
    at: [600, 395],
    scale: 0.95,
  }
}

/** Broad bands across, cut by a disc. */
function bands({ tint, main, second, paper }: Inks, random: Random): Scene {
  const turn = between(random, -34, -18) * (random() < 0.5 ? 1 : -1)
  const fills = [tint, main, second, tint, paper]
  let y = -500
  let ground = ''
  for (let index = 0; y < 1300; index++) {
    const thick = between(random, 40, 170)
    ground += `<rect x="-600" y="${y.toFixed(0)}" width="2400" height="${thick.toFixed(0)}" fill="${fills[index % fills.length] ?? tint}" opacity="${index % 3 === 1 ? 0.5 : 0.9}"/>`
    y += thick + between(random, 30, 150)
  }
  const x = between(random, 450, 750)
  return {
    ground: `<g transform="rotate(${turn.toFixed(1)} 600 400)">${ground}</g><circle cx="${x}" cy="400" r="320" fill="${paper}"/><circle cx="${x}" cy="400" r="320" fill="${tint}" opacity=".12"/>`,
    at: [x, 390],
    scale: 1.05,
  }
}

const scenes: readonly Draw[] = [hills, tiles, arches, orbits, bands]

function sparks(random: Random, fill: string, count: number, below: number): string {
  return Array.from({ length: count }, () => {
    const [x, y] = [
      between(random, 40, width - 40).toFixed(0),
      between(random, 30, below - 40).toFixed(0),
    ]
    const r = between(random, 5, 13)
    return random() < 0.5
      ? `<circle cx="${x}" cy="${y}" r="${r.toFixed(1)}" fill="${fill}"/>`
      : `<path transform="translate(${x} ${y}) scale(${(r / 6).toFixed(2)})" d="M0-12 3-3 12 0 3 3 0 12-3 3-12 0-3-3z" fill="${fill}"/>`
  }).join('')
}
