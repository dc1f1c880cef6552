import { type BioLook, lookOf } from '#domain/bio/looks.ts'
import { type Properties, themeProperties } from '#public-pages/colors.ts'
import type { BioPageView } from '#public-pages/view-models.ts'

/** Each font (look-fonts.ts) before the installed ones that replace it: for other scripts, and until it is there. */
const types: Record<BioLook['type'], Properties> = {
  sans: {
    '--hp-bio-font': "hp-sans,ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif",
  },
  transitional: type('hp-transitional,Charter,Cambria,Georgia,serif', 600, '-0.015em'),
  rounded: type("hp-rounded,ui-rounded,'Arial Rounded MT Bold',sans-serif", 700),
  mono: type('hp-mono,ui-monospace,Menlo,Consolas,monospace', 600, '-0.03em'),
  industrial: type("hp-industrial,Bahnschrift,'DIN Alternate',sans-serif", 700, '-0.005em'),
  humanist: type("hp-humanist,Seravek,Calibri,'DejaVu Sans',sans-serif", 700, '-0.01em'),
  slab: type("hp-slab,Rockwell,'DejaVu Serif',serif", 700),
  didone: type("hp-didone,Didot,'Bodoni MT',Georgia,serif", 500, '0.01em'),
  geometric: type('hp-geometric,Avenir,Futura,sans-serif', 700, '-0.02em'),
}

function type(font: string, weight: number, spacing = '0'): Properties {
  return {
    '--hp-bio-font': font,
    '--hp-bio-title-weight': String(weight),
    '--hp-bio-title-spacing': spacing,
  }
}

// Without a value the style sheet's own applies: the pills of the specification.
const buttons: Record<BioLook['buttons'], Properties> = {
  pill: {},
  square: { '--hp-bio-radius': '0', '--hp-bio-radius-first': '0', '--hp-bio-border': '1px' },
  soft: { '--hp-bio-radius': '0.625rem', '--hp-bio-radius-first': '0.625rem' },
  card: {
    '--hp-bio-radius': '1rem',
    '--hp-bio-radius-first': '1rem',
    '--hp-bio-border': '1px',
    '--hp-bio-shadow': '0 1px 2px rgb(0 0 0/.12),0 6px 16px -8px rgb(0 0 0/.25)',
  },
  lifted: {
    '--hp-bio-radius-first': '999px',
    '--hp-bio-shadow': '0 8px 20px -10px var(--hp-bio-primary)',
  },
  offset: {
    '--hp-bio-radius': '0.375rem',
    '--hp-bio-radius-first': '0.375rem',
    '--hp-bio-border': '2px',
    '--hp-bio-edge': 'var(--hp-bio-text)',
    '--hp-bio-edge-first': 'var(--hp-bio-text)',
    '--hp-bio-shadow': '4px 4px 0 var(--hp-bio-text)',
  },
}

const t = 'var(--hp-bio-tint)'
const grounds: Record<BioLook['ground'], Properties> = {
  plain: {},
  glow: ground(`radial-gradient(110% 32rem at 50% 0,${t},transparent)`),
  fade: ground(`linear-gradient(${t},transparent 36rem)`),
  band: ground(`linear-gradient(${t} 8.5rem,transparent 0)`),
  dots: ground(`radial-gradient(${t} 2.5px,transparent 3px)`, '20px 20px'),
  grid: ground(
    `linear-gradient(${t} 1px,transparent 0),linear-gradient(90deg,${t} 1px,transparent 0)`,
    '28px 28px',
  ),
  lines: ground(`linear-gradient(transparent 31px,${t} 0)`, '100% 32px'),
  stripes: ground(`repeating-linear-gradient(135deg,${t} 0 12px,transparent 0 24px)`),
}

function ground(image: string, size = 'auto'): Properties {
  return { '--hp-bio-ground': image, '--hp-bio-ground-size': size }
}

/** Differences of a look from the plain one, for bio-page.css. No value comes from an owner. */
export function lookProperties(look: BioLook): Properties {
  const tint = {
    '--hp-bio-tint': `color-mix(in srgb,var(--hp-bio-primary) ${look.tint}%,var(--hp-bio-background))`,
    '--hp-bio-around': 'var(--hp-bio-background)',
  } as const
  return {
    ...types[look.type],
    ...buttons[look.buttons],
    ...grounds[look.ground],
    ...(look.ground === 'plain' ? {} : tint),
  }
}

/** All that bio-page.css needs to know of a page. */
export function bioProperties({ theme, look }: Pick<BioPageView, 'theme' | 'look'>): Properties {
  return { ...themeProperties(theme), ...lookProperties(lookOf(look)) }
}
