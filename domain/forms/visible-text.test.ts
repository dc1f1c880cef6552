import { expect, it } from 'vitest'
import { bioFormProblems } from '#domain/bio/bio-form.ts'
import { newPopup, popupForm } from '#domain/popups/popup-form.ts'
import { defaultTheme } from '#domain/bio/themes.ts'

const unseen = ['', ' ', '\u200B', '\u00A0\u2060', '\u00AD', '\u3164', '\u2800 \uFEFF', '\u{E0020}']

function popupProblem(draft: object): string | undefined {
  return popupForm.safeParse({ ...newPopup, title: 'x', ...draft }).error?.issues[0]?.message
}

function pageProblems(page: { title?: string; slug?: string; description?: string }) {
  const rest = { popupId: null, theme: defaultTheme, links: [], socialLinks: [] }
  return bioFormProblems({ slug: 'x', title: 'x', description: '', ...rest, ...page })
}

it.each(unseen)('a form takes %j for no text at all', (text) => {
  expect(popupProblem({ title: text })).toBe('Title is required')
  expect(popupProblem({ cta_text: text })).toBe('Button text is required')
  expect(pageProblems({ title: text }).get('title')).toBe('Please fill in slug and title')
})

it('a form sees one character between the others', () => {
  for (const text of unseen) expect(popupProblem({ title: `${text}·${text}` })).toBeUndefined()
})

it('a form counts characters, not the halves of an emoji', () => {
  const waves = (length: number) => '👋'.repeat(length)
  expect(popupProblem({ title: waves(200), description: waves(500), cta_text: waves(50) })).toBe(
    undefined,
  )
  expect(popupProblem({ title: waves(201) })).toBe('Title must be at most 200 characters')
  expect(popupProblem({ description: waves(501) })).toBe(
    'Description must be at most 500 characters',
  )
  expect(popupProblem({ cta_text: waves(51) })).toBe('Button text must be at most 50 characters')
  expect(pageProblems({ title: waves(200), description: waves(1000) }).size).toBe(0)
  expect(pageProblems({ title: waves(201) }).get('title')).toBe(
    'Title must be at most 200 characters',
  )
})
