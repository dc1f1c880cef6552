import { contrast } from '#domain/colors.ts'
import type { PopupDesign } from '../answers.ts'
import type { Random } from './copy.ts'
import { type Mood, readMood } from './mood.ts'
import { oklch } from './oklch.ts'

/** WCAG 2.2: text 4.5 (we ask for 7 on the ground), things that are no text 3. */
const asked = { text: 7, buttonText: 4.5, button: 3, accent: 3 }

/** Designs a popup for a prompt: colours that pass WCAG AA together, and shapes that go with them. */
export function designPopup(prompt: string, random: Random): PopupDesign {
  const mood = readMood(prompt, random)
  const playful = mood.fontStyle === 'casual'
  const strict = mood.fontStyle === 'professional' || mood.fontStyle === 'elegant'
  const pick = <T>(...options: [T, ...T[]]): T =>
    options[Math.floor(random() * options.length)] ?? options[0]
  return {
    ...coloursOf(mood, random),
    borderRadius:
      sharpOrRound(prompt) ??
      (playful ? pick(18, 20, 24) : strict ? pick(4, 6, 8, 10) : pick(12, 14, 16)),
    fontStyle: mood.fontStyle,
    shadowStyle: /\bflat\b/i.test(prompt)
      ? 'none'
      : mood.ground === 'dark'
        ? pick('medium', 'bold')
        : pick('soft', 'medium', strict ? 'soft' : 'bold'),
    size: /\b(small|tiny|compact|discreet)\b/i.test(prompt)
      ? 'small'
      : /\b(large|big|huge|wide)\b/i.test(prompt)
        ? 'large'
        : 'medium',
  }
}

function sharpOrRound(prompt: string): number | undefined {
  if (/\b(sharp|square|angular|edgy|brutalist)\b/i.test(prompt)) return 0
  return /\b(rounded?|bubbly|pill)\b/i.test(prompt) ? 24 : undefined
}

type Colours = Pick<
  PopupDesign,
  'backgroundColor' | 'textColor' | 'buttonColor' | 'buttonTextColor' | 'accentColor'
>

/** The colours of a mood; each is moved in lightness until it can be read. */
function coloursOf({ hues: [lead, second], strength, ground }: Mood, random: Random): Colours {
  const wobble = (random() - 0.5) * 0.02
  const dark = ground === 'dark'
  const backgroundColor = dark
    ? oklch(0.2 + wobble, 0.035 * strength, lead)
    : oklch(
        (ground === 'tint' ? 0.955 : 0.99) + wobble / 2,
        (ground === 'tint' ? 0.032 : 0.006) * strength,
        lead,
      )
  const away = dark ? 1 : -1
  const textColor = until(
    dark ? 0.94 : 0.3,
    away,
    0.025,
    lead,
    (colour) => contrast(colour, backgroundColor) >= asked.text,
  )
  const buttonHue = random() < 0.7 ? lead : second
  const buttonColor = until(
    dark ? 0.7 : 0.56,
    away,
    0.19 * strength,
    buttonHue,
    (colour) =>
      contrast(colour, backgroundColor) >= asked.button &&
      bestOn(colour, lead).ratio >= asked.buttonText,
  )
  return {
    backgroundColor,
    textColor,
    buttonColor,
    buttonTextColor: bestOn(buttonColor, lead).colour,
    accentColor: until(
      dark ? 0.74 : 0.6,
      away,
      0.17 * strength,
      buttonHue === lead ? second : lead,
      (colour) => contrast(colour, backgroundColor) >= asked.accent,
    ),
  }
}

/** White or a deep shade of the hue, whichever reads better on a colour. */
function bestOn(colour: string, hue: number): { colour: string; ratio: number } {
  const light = { colour: '#ffffff', ratio: contrast('#ffffff', colour) }
  const deep = oklch(0.18, 0.03, hue)
  return light.ratio >= asked.buttonText ? light : { colour: deep, ratio: contrast(deep, colour) }
}

/** Goes from a lightness away from the ground until the colour is good; black or white in the end. */
function until(
  start: number,
  direction: 1 | -1,
  chroma: number,
  hue: number,
  isGood: (colour: string) => boolean,
): string {
  for (let lightness = start; lightness > 0 && lightness < 1; lightness += direction * 0.01) {
    const colour = oklch(lightness, chroma, hue)
    if (isGood(colour)) return colour
  }
  return direction === 1 ? '#ffffff' : '#000000'
}
